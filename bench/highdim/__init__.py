"""Deep models, components and gaps: the numbers promised of them."""
