"""Deep models, components and gaps: the numbers promised of them.

``python -m bench.highdim --data DIR``. Results are kept cell by cell: a run goes on where the last one ended;
``--parts impute,pca`` narrows, ``--fresh`` measures those parts again.
"""

from bench.parts import Parts

if __name__ == "__main__":
    about = "Measure what was promised for deep models, components and gaps."
    Parts("highdim", about, ("pca", "impute", "deep")).main()
