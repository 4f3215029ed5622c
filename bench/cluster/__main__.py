"""Past one machine: overhead, bytes and scaling.

``python -m bench.cluster --data DIR``. Results are kept cell by cell: a run goes on where the last one ended;
``--parts overhead,bytes`` narrows, ``--fresh`` measures those parts again.
"""

from bench.parts import Parts

if __name__ == "__main__":
    names = ("overhead", "bytes", "scaling")
    Parts("cluster", "Measure what was promised for clusters.", names).main()
