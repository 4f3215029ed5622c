"""Kernel models against scikit-learn's and against the papers. ``python -m bench.kernel``"""
