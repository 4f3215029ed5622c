"""Methods compared on many sets: the rows, the trials, the cells, and what is made of them."""
