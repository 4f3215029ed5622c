"""
Four ways to choose the ridge
=============================

K-fold, leave-one-out, generalised cross-validation and the L-curve on the same table, the same nodes and
the same ridges. The table is scikit-learn's diabetes data: 442 rows, 10 inputs, a noisy target.
"""

# %%
# The nodes depend on the seed only, so the four models differ in nothing but how the ridge is chosen.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from samara import ELMRegressor

X, y = load_diabetes(return_X_y=True)
alphas = np.geomspace(1e-3, 1e3, 25)
models = {
    method: ELMRegressor(n_hidden=100, alpha=alphas, selection=method, random_state=0).fit(X, y)
    for method in ("kfold", "loo", "gcv", "lcurve")
}
for method, model in models.items():
    print(f"{method:<7} ridge {model.alpha_:.3g}")

# %%
# The first three estimate the error on new rows. K-fold and leave-one-out are exact: they are what
# refitting without the held-out rows would give. K-fold trains on four fifths of the rows only and so reads
# a little higher. GCV replaces the leverage of each row by the mean of all; it reads too low where the
# ridge is small and 100 nodes are many for 442 rows.

figure, ax = plt.subplots(layout="constrained")
names = {"kfold": "5-fold", "loo": "leave-one-out", "gcv": "GCV"}
for colour, (method, name) in zip(("#2f4b7c", "#2a9d8f", "#e9a23b"), names.items(), strict=True):
    tried = models[method].selection_
    ax.plot(tried.alphas, np.sqrt(tried.scores[0]), color=colour, linewidth=2, label=name)
    ax.plot(
        tried.best_alpha, np.sqrt(tried.best_score), "o", color=colour, markersize=9, markeredgecolor="white"
    )
ax.axvline(models["lcurve"].alpha_, color="#c8102e", linestyle="--", label="corner of the L-curve")
ax.set(xscale="log", xlabel="ridge α", ylabel="estimated RMSE on new rows")
ax.legend(frameon=False)
plt.show()

# %%
# The L-curve uses no held-out rows. It plots how large the residual is against how large the coefficients
# are, and takes the corner. Both norms are computed here from fitted models; the curvature itself is
# ``-selection_.scores``. On data as noisy as these the corner is weak, and the ridge is larger than the
# other three choose.

paths = [ELMRegressor(n_hidden=100, alpha=float(a), random_state=0).fit(X, y) for a in alphas]
residuals = [np.linalg.norm(y - path.predict(X)) for path in paths]
sizes = [np.linalg.norm(path.coef_) for path in paths]
corner = int(np.argmin(abs(alphas - models["lcurve"].alpha_)))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.loglog(residuals, sizes, color="#2f4b7c", linewidth=2)
left.plot(residuals[corner], sizes[corner], "o", color="#c8102e", markersize=9, markeredgecolor="white")
left.set(xlabel="‖Hβ − y‖", ylabel="‖β‖", title="L-curve")
left.set_xticks([1000, 1100, 1200, 1300], ["1000", "1100", "1200", "1300"])
left.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
left.minorticks_off()
right.semilogx(alphas, -models["lcurve"].selection_.scores[0], color="#2f4b7c", linewidth=2)
right.axvline(alphas[corner], color="#c8102e", linestyle="--")
right.set(xlabel="ridge α", ylabel="curvature", title="Curvature along the ridge")
plt.show()
