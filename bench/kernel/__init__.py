"""Kernel models against scikit-learn's. ``python -m bench.kernel``"""
