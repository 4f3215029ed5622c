"""
Few coordinates first
=====================

Spectral regression maps rows to one coordinate fewer than there are classes. Behind it, a hidden layer is
small and quick. Here handwritten digits are mapped by three kinds of map, with all labels and with few.
"""

# %%
# Three digits have two coordinates. A linear map of the 64 pixels leaves the classes side by side, a kernel
# pulls them apart. The points are rows that the maps have not seen.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from samara import ELMClassifier, KernelELMClassifier, SpectralRegression, TwoStageELMClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
three, three_test = np.isin(y_train, [3, 5, 8]), np.isin(y_test, [3, 5, 8])
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
for ax, embedding in zip(axes, ("linear", "kernel", "elm"), strict=True):
    spectral = SpectralRegression(embedding, random_state=0).fit(X_train[three], y_train[three])
    Z = spectral.transform(X_test[three_test])
    for digit in (3, 5, 8):
        ax.scatter(*Z[y_test[three_test] == digit].T, s=12, label=str(digit))
    ax.set(title=embedding, xlabel="first coordinate", ylabel="second")
axes[0].legend(title="digit")
plt.show()

# %%
# A classifier behind a linear map is the SRELM of Liu et al.; `TwoStageELMClassifier` fits both stages at
# once, the second on coordinates of rows that the first had not seen. Of its two ways to reuse the weights of
# the first stage one works, and one is chance.

srelm = make_pipeline(SpectralRegression(), ELMClassifier(300, random_state=0)).fit(X_train, y_train)
print(f"SRELM      {srelm.score(X_test, y_test):.1%}")
for kind in ("refit", "paired", "literal"):
    model = TwoStageELMClassifier("elm", second_stage=kind, random_state=0).fit(X_train, y_train)
    print(f"{kind:<10} {model.score(X_test, y_test):.1%}")

# %%
# With 50 labels, the other rows still say where the digits lie: neighbours are joined in a graph, and the
# coordinates follow it. A kernel model of the labelled rows gets more of the test rows right from these.

labelled = np.zeros(len(y_train), bool)
labelled[np.random.default_rng(0).permutation(len(y_train))[:50]] = True
partly = np.where(labelled, y_train, -1)
for name, supervision, rows in (("supervised", "supervised", labelled), ("semi", "semi", slice(None))):
    spectral = SpectralRegression("kernel", supervision=supervision).fit(X_train[rows], partly[rows])
    head = KernelELMClassifier().fit(spectral.transform(X_train[labelled]), y_train[labelled])
    print(f"{name:<10} {head.score(spectral.transform(X_test), y_test):.1%}")
