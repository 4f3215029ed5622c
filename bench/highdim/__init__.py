"""High-dimensional data, deep models, components and gaps: the numbers promised of them."""
