"""Benchmarks: each runs its contenders side by side, round by round, every run in a process of its own."""
