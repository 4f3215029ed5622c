"""
Layers before the nodes
=======================

Handwritten digits of 8 × 8 pixels, by one hidden layer, by an autoencoder before it, and by local fields.
"""

# %%
# All of them end in the same extreme learning machine of 400 nodes; its ridge is chosen by cross-validation.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from samara import DeepELMClassifier, ELMClassifier
from samara.maps import LocalFields

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
fields = LocalFields((8, 8), n_maps=16, size=3, pool=1, stride=1)
last = {"n_hidden": 400, "random_state": 0}
models = {
    "one hidden layer": ELMClassifier(**last),
    "autoencoder of 60": DeepELMClassifier((60,), **last),
    "sparse autoencoder of 60": DeepELMClassifier((60,), penalty="l1", layer_alpha=150.0, **last),
    "local fields": DeepELMClassifier((fields,), scale=None, **last),
}
for name, model in models.items():
    print(f"{name:25} {model.fit(X_train, y_train).score(X_test, y_test):.1%}")

# %%
# What the nodes of an autoencoder look for: their input weights, as images. With the ridge each node sees all
# pixels, with the ℓ1 penalty a few.

figure, axes = plt.subplots(2, 8, figsize=(8, 2.4), layout="constrained")
for row, name in zip(axes, ("autoencoder of 60", "sparse autoencoder of 60"), strict=True):
    weights = models[name].model_.maps[1].weights[:-1]
    for ax, node in zip(row, weights.T, strict=False):
        size = abs(node).max() or 1
        ax.imshow(node.reshape(8, 8), cmap="RdBu", vmin=-size, vmax=size)
        ax.set(xticks=[], yticks=[])
    row[0].set_title(name, loc="left", fontsize=9)
plt.show()

# %%
# What local fields make of a digit: the strength of each filter's pattern around every pixel.

scaling, pooled = models["local fields"].model_.maps[:2]
maps = pooled(scaling(X_test[:1])).reshape(6, 6, 16)
figure, axes = plt.subplots(1, 9, figsize=(9, 1.3), layout="constrained")
axes[0].imshow(X_test[0].reshape(8, 8), cmap="gray_r")
for ax, k in zip(axes[1:], np.arange(8), strict=True):
    ax.imshow(maps[:, :, k], cmap="magma")
for ax in axes:
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# A digit that is moved by a pixel: how many are still known.

moved = np.roll(X_test.reshape(-1, 8, 8), 1, axis=2).reshape(-1, 64)
for name, model in models.items():
    print(f"{name:25} {model.score(moved, y_test):.1%}")
