"""
When a range finder stops
=========================

A range finder approximates a matrix by its products with random vectors, one column after the other.
Jankowski and Linowiecki (2019) stop it when the error is below a bound, or when it hardly falls any more.
Here both stops work on the hidden rows of a radial-basis network, as in the paper's figures 1, 4 and 8, and
on the same rows with noise, as in its figures 2 and 5.
"""

# %%
# The hidden rows of 3,000 letters: 500 Gaussian nodes around rows of the table, three times as wide as by
# default, so that neighbours are much alike. The noise has a standard deviation of 0.01; the rows themselves
# lie between 0 and 1.

import matplotlib.pyplot as plt
import numpy as np

from samara import ELMClassifier
from samara.datasets import load_letter
from samara.linalg import ErrorStop, GradientStop, range_finder
from samara.maps import Radial

X, y = load_letter()
X, y = X[:3000], y[:3000]
layer = ELMClassifier(n_hidden=500, hidden=Radial("rbf", width=8.0), alpha=1.0, random_state=0)
H = layer.fit(X, y).transform(X)
tables = {
    "no noise": H,
    "1 % noise": H + 0.01 * np.random.default_rng(0).standard_normal(H.shape),
}

# %%
# ``history`` holds what a stop watched after each column: the largest of ten probes. Times 10√(2/π) it bounds
# the error in the spectral norm. The same seed gives both stops the same columns, so the curve of the one is
# the beginning of the other's.

found = {
    name: [range_finder(A, stop, random_state=0) for stop in (GradientStop(), ErrorStop())]
    for name, A in tables.items()
}
for name, (gradient, error) in found.items():
    print(f"{name:<9}  gradient stop {gradient.rank:3} columns, error stop {error.rank:3}")

# %%
# The solid part of each curve ends at the gradient stop, the dashed part at the error stop. Without noise the
# error falls down to ε = 0.1. Noise has no low-rank approximation: the curve is nearly flat from about 60
# columns on, and ε is met only when all 500 directions are used and nothing is left. The gradient stop ends
# soon after the noise is all that is left.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharex=True, sharey=True, layout="constrained")
for ax, (name, (gradient, error)) in zip(axes, found.items(), strict=True):
    curve = np.maximum(10 * np.sqrt(2 / np.pi) * error.history, 0.1)  # the last one is 0 with noise
    ax.axhline(0.1, color="0.7", linewidth=1)
    ax.plot(curve, color="#2f4b7c", linewidth=1.5, linestyle=(0, (3, 1.5)))
    ax.plot(curve[: gradient.rank + 1], color="#2f4b7c", linewidth=2.5)
    for stopped, label, colour in ((gradient, "gradient", "#c8102e"), (error, "error", "#2f4b7c")):
        end = (stopped.rank, curve[stopped.rank])
        ax.plot(*end, "o", color=colour, markersize=9, markeredgecolor="white")
        text = f"{label} stop\n{stopped.rank} columns"
        left = stopped.rank == H.shape[1]
        ax.annotate(
            text,
            end,
            xytext=(-12 if left else 10, 10),
            textcoords="offset points",
            color=colour,
            ha="right" if left else "left",
        )
    ax.set(title=name, xlabel="columns", yscale="log", ylim=(0.03, 3e4))
    ax.spines[["top", "right"]].set_visible(False)
axes[0].text(0, 0.115, "ε = 0.1", color="0.4", va="bottom")
axes[0].set_ylabel("bound on ‖A − QQᵀA‖")
plt.show()
