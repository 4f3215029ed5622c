"""
Digits with holes
=================

A fifth of the pixels of handwritten digits is removed. What the other pixels say about them is learned from
the incomplete digits themselves; components show how many directions the digits have.
"""

# %%
# The digits of scikit-learn have 64 pixels. A third of as many directions hold nine tenths of the variance.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from samara import AdaptivePCA, LowRankImputer

X, y = load_digits(return_X_y=True)
pca = AdaptivePCA(0.9).fit(X)
print(f"{pca.n_components_} components hold {pca.explained_variance_ratio_.sum():.0%} of the variance")

# %%
# Pixels are removed at random. The mean of a pixel is the simplest guess; one Gaussian knows how pixels go
# together; several pieces know that there are different digits.

rng = np.random.default_rng(0)
gone = rng.random(X.shape) < 0.2
holes = np.where(gone, np.nan, X)
tables = {"mean": np.where(gone, np.nanmean(holes, axis=0), X)}
for name, pieces in (("one Gaussian", 1), ("pieces", "auto")):
    tables[name] = LowRankImputer(n_pieces=pieces, random_state=0).fit_transform(holes)
for name, table in tables.items():
    print(f"{name}: root mean square error {np.sqrt(np.mean((table - X)[gone] ** 2)):.2f}")

# %%
# Four digits, as they were, with holes, and filled.

shown = {"digit": X, "holes": holes, **tables}
figure, axes = plt.subplots(4, len(shown), figsize=(1.6 * len(shown), 6.4))
for row, place in zip(axes, (3, 5, 8, 10), strict=True):
    for axis, (name, table) in zip(row, shown.items(), strict=True):
        axis.imshow(table[place].reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        axis.set_xticks([])
        axis.set_yticks([])
        if place == 3:
            axis.set_title(name)
figure.tight_layout()
