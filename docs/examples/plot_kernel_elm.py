"""
Ridge, width and centres of a kernel model
==========================================

How the error of a kernel model depends on its ridge, on the width of its kernel, and on the number of rows
that serve as centres. The data are scikit-learn's handwritten digits: 1797 images of 8 × 8 pixels, of which
1347 are for training.
"""

# %%
# One fit scores all ridges: the errors of the model on each row without that row follow from one
# decomposition of the kernel matrix. Three fits with three widths give three curves.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from samara import KernelELMClassifier
from samara.kernel_settings import Nystroem

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
alphas = np.geomspace(1e-7, 10, 25)
scale = 1 / (64 * X_train.var())  # what gamma="scale" is
models = {
    factor: KernelELMClassifier(gamma=factor * scale, alpha=alphas).fit(X_train, y_train)
    for factor in (1 / 8, 1, 8)
}
for model in models.values():
    print(f"gamma {model.gamma_:.1e}: ridge {model.alpha_:.1e}, accuracy {model.score(X_test, y_test):.3f}")

# %%
# A wide kernel makes the model smoother, and a smaller ridge makes up for it in part. For a kernel that is
# too narrow no ridge makes up: every row is far from all others, and the curve is flat. That next to no
# ridge is taken there is a sign that gamma is off. A point on each curve marks the ridge taken.

figure, ax = plt.subplots(layout="constrained")
labels = {1 / 8: 'γ = "scale" / 8', 1: 'γ = "scale"', 8: 'γ = 8 · "scale"'}
for colour, (factor, model) in zip(("#2f4b7c", "#2a9d8f", "#e9a23b"), models.items(), strict=True):
    tried = model.selection_
    ax.plot(tried.alphas, tried.scores[0], color=colour, linewidth=2, label=labels[factor])
    ax.plot(tried.best_alpha, tried.best_score, "o", color=colour, markersize=9, markeredgecolor="white")
ax.set(xscale="log", yscale="log", xlabel="ridge α", ylabel="leave-one-out squared error of the ±1 codes")
ax.set_yticks([0.02, 0.03, 0.05, 0.1, 0.2], ["0.02", "0.03", "0.05", "0.1", "0.2"])
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()

# %%
# With ``solver="nystroem"`` only some rows are centres. The cost then grows with the number of rows and no
# longer with its cube. The ridge is that of the exact model. The lines are means over five seeds, the shades
# reach from the best to the worst of them. k-means centres are worth up to twice as many rows.

best = models[1]
sizes = [10, 20, 40, 80, 160, 320, 640]
kinds = {"rows": ("rows at random", "#2f4b7c"), "kmeans": ("k-means centres", "#2a9d8f")}


def wrong(kind, size, seed):
    """Share of the test images that a model with so many centres gets wrong."""
    model = KernelELMClassifier(
        gamma=best.gamma_, alpha=best.alpha_, solver=Nystroem(kind), rank=size, random_state=seed
    )
    return 1 - model.fit(X_train, y_train).score(X_test, y_test)


figure, ax = plt.subplots(layout="constrained")
for kind, (name, colour) in kinds.items():
    errors = np.array([[wrong(kind, size, seed) for size in sizes] for seed in range(5)])
    ax.plot(
        sizes, 100 * errors.mean(axis=0), "o-", color=colour, linewidth=2, markeredgecolor="white", label=name
    )
    ax.fill_between(
        sizes, 100 * errors.min(axis=0), 100 * errors.max(axis=0), color=colour, alpha=0.15, linewidth=0
    )
exact = 100 * (1 - best.score(X_test, y_test))
ax.axhline(exact, color="#c8102e", linestyle="--", label=f"all {len(X_train)} rows")
ax.set(xscale="log", yscale="log", xlabel="centres", ylabel="test images wrong, %")
ax.set_xticks(sizes, [str(size) for size in sizes])
ax.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()
