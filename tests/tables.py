"""Raw tables for the tests of columns: texts as codes, missing values as NaN."""

import numpy as np

from samara.core import Block
from samara.schema import Column, text_code
from samara.summaries import ColumnProfile, Limits

SCHEMA = (
    Column("age", "number"),
    Column("city", "text"),
    Column("member", "boolean"),
    Column("shop", "text"),
    Column("height", "number"),
)
CITIES, SHOPS = ["Paris", "Oslo", "Rome", "東京"], [f"shop {k}" for k in range(40)]
PRICE, CLASS = (Column("price", "number"),), (Column("kind", "text"),)


class Table:
    """Raw rows, their targets, weights and labels."""

    def __init__(self, n, seed=0, kinds=0, missing=0.2, weighted=True):
        rng = np.random.default_rng(seed)
        city, shop = rng.integers(0, 4, n), np.minimum(rng.geometric(0.08, n) - 1, 39)
        codes = [np.array([text_code(text) for text in texts]) for texts in (CITIES, SHOPS)]
        numbers = rng.integers(18, 90, n), rng.integers(0, 2, n), rng.normal(170, 9, n)
        X = np.stack([numbers[0], codes[0][city], numbers[1], codes[1][shop], numbers[2]], axis=1)
        holes = rng.random(X.shape) < missing
        holes[:, 4] = False
        self.X = np.where(holes, np.nan, X)
        self.weight = rng.integers(1, 4, n) / 2 if weighted else None
        score = city + shop / 7 + rng.normal(size=n)
        self.schema, self.kinds = SCHEMA, kinds
        self.labels = {
            "city": dict(zip(codes[0].tolist(), CITIES, strict=True)),
            "shop": dict(zip(codes[1].tolist(), SHOPS, strict=True)),
        }
        if kinds:
            names = [f"kind {k}" for k in range(kinds)]
            values = np.array([text_code(name) for name in names])
            self.labels["kind"] = dict(zip(values.tolist(), names, strict=True))
            self.y, self.targets = values[np.digitize(score, np.linspace(1, 5, kinds - 1))][:, None], CLASS
        else:
            self.y, self.targets = 100 + score[:, None], PRICE

    def profile(self, **options):
        """An empty profile of such a table."""
        return ColumnProfile(self.schema, self.targets, classes=self.kinds > 0, **options)

    def block(self, index):
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[index]
        return Block(self.X[index], self.y[index], weight, 0, labels=self.labels)

    def profiled(self, cuts=(), order=None, **options):
        """The profile of all rows, cut and merged."""
        order = np.arange(len(self.X)) if order is None else order
        made = self.profile(**options)
        for index in np.split(order, list(cuts)):
            part = self.profile(**options)
            part.update(self.block(index))
            made.merge(part)
        return made


SMALL = Limits(sample_rows=30)
