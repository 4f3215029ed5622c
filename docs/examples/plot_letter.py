"""
The score surface of one fit
============================

A list of sizes and ``alpha="auto"`` give a score for every pair of size and ridge. All of them come from
the same reading of the rows. Here the letter recognition data are fitted with up to 600 nodes, and the
whole surface is drawn.
"""

# %%
# One fit scores 12 sizes and 10 ridges by 5-fold cross-validation: 120 models, each trained five times,
# without a second pass over the rows.

import matplotlib.pyplot as plt
import numpy as np

from samara import ELMClassifier, SelectionDisplay, SpectrumDisplay
from samara.datasets import load_letter

X_train, X_test, y_train, y_test = load_letter(return_split=True)
model = ELMClassifier(n_hidden=list(range(50, 601, 50)), random_state=0)
model.fit(X_train, y_train)
print(f"{model.n_hidden_} nodes, ridge {model.alpha_:.3g}, test accuracy {model.score(X_test, y_test):.2%}")

# %%
# The display draws a line for each size. The point marks the choice, the band is one standard error wide on
# either side.

SelectionDisplay.from_estimator(model)
plt.show()

# %%
# The same numbers as a map. Each row of it is a line of the plot above. More nodes help at every ridge.
# Ridges below 1 hardly differ, larger ones cost accuracy, whatever the number of nodes.

tried = model.selection_
figure, ax = plt.subplots(layout="constrained")
ridges, sizes = np.meshgrid(tried.alphas, tried.n_hidden)
levels = np.sqrt(np.geomspace(tried.scores.min(), tried.scores.max(), 16))
filled = ax.contourf(ridges, sizes, np.sqrt(tried.scores), levels=levels, cmap="viridis")
ax.plot(
    model.alpha_, model.n_hidden_, "o", color="#c8102e", markersize=9, markeredgecolor="white", clip_on=False
)
ax.set(xscale="log", xlabel="ridge α", ylabel="hidden nodes")
figure.colorbar(filled, label="held-out RMSE of the ±1 codes", format="%.2f")
plt.show()

# %%
# The spectrum shows what the chosen ridge does. Directions whose singular value lies above √α are kept
# almost in full, those below are damped.

SpectrumDisplay.from_estimator(model, X_train)
plt.show()
