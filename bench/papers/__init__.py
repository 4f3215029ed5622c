"""Every table of the five papers, measured again: one module a paper, one function a table."""
