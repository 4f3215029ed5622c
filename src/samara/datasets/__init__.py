"""Named data sets: on board, in a folder of Parquet files, or at OpenML."""

from samara.datasets.catalogue import Entry, catalogue
from samara.datasets.data_set import DataSet
from samara.datasets.letter import load_letter
from samara.datasets.loading import load, origin_of

__all__ = ["DataSet", "Entry", "catalogue", "load", "load_letter", "origin_of"]
