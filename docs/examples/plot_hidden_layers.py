"""
One curve, nine hidden layers
=============================

Each named hidden layer fits the same 200 noisy points of one curve, with 40 nodes and the ridge chosen by
5-fold cross-validation.
"""

# %%
# The curve has a smooth part, a jump and a fast wave. No layer suits all three.

import matplotlib.pyplot as plt
import numpy as np

from samara import ELMRegressor
from samara.maps import Additive, Radial

rng = np.random.default_rng(0)


def curve(x):
    """A slow wave, a jump at 0, a fast wave on the right."""
    return np.sin(2 * x) + (x > 0) + 0.4 * np.sin(12 * x) * (x > 1)


x = rng.uniform(-2, 2, 200)
y = curve(x) + 0.1 * rng.standard_normal(200)
grid = np.linspace(-2, 2, 500)

# %%
# The number in each title is the root mean squared error against the curve without noise.

layers = ["sigmoid", "tanh", "relu", "sine", "fourier", "rbf", "multiquadric", "hardlim", "linear"]
figure, axes = plt.subplots(3, 3, figsize=(10, 8), sharex=True, sharey=True, layout="constrained")
for hidden, ax in zip(layers, axes.flat, strict=True):
    model = ELMRegressor(n_hidden=40, hidden=hidden, random_state=0).fit(x[:, None], y)
    fitted = model.predict(grid[:, None])
    error = np.sqrt(np.mean((fitted - curve(grid)) ** 2))
    ax.plot(x, y, ".", color="0.75", markersize=4)
    ax.plot(grid, curve(grid), color="0.4", linewidth=1)
    ax.plot(grid, fitted, color="#c8102e", linewidth=2)
    ax.set_title(f"{hidden}: {error:.2f}")
plt.show()

# %%
# ``hardlim`` gives steps, ``relu`` straight pieces, ``linear`` a straight line. The smooth layers miss the
# fast wave: with their default settings the nodes are too wide for it. ``gain`` makes additive nodes
# steeper, ``width`` makes radial nodes narrower. Both follow the wave then, and too much of either follows
# the noise as well.

variants = {
    "sigmoid, gain 2": Additive("sigmoid", bias="data", gain=2),
    "sigmoid, gain 8": Additive("sigmoid", bias="data", gain=8),
    "sigmoid, gain 32": Additive("sigmoid", bias="data", gain=32),
    "rbf, median width": Radial("rbf"),
    "rbf, width 0.2": Radial("rbf", width=0.2),
    "rbf, width 0.05": Radial("rbf", width=0.05),
}
figure, axes = plt.subplots(2, 3, figsize=(10, 5.5), sharex=True, sharey=True, layout="constrained")
for (name, layer), ax in zip(variants.items(), axes.flat, strict=True):
    model = ELMRegressor(n_hidden=40, hidden=layer, random_state=0).fit(x[:, None], y)
    fitted = model.predict(grid[:, None])
    error = np.sqrt(np.mean((fitted - curve(grid)) ** 2))
    ax.plot(x, y, ".", color="0.75", markersize=4)
    ax.plot(grid, curve(grid), color="0.4", linewidth=1)
    ax.plot(grid, fitted, color="#c8102e", linewidth=2)
    ax.set_title(f"{name}: {error:.2f}")
plt.show()
