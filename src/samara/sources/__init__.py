"""Where rows come from."""

from samara.sources.arrays import ArraySource
from samara.sources.frames import FrameRows, frame_rows, is_collection, is_frame, is_plain, is_spark_frame
from samara.sources.scanned import Scan
from samara.sources.share import Lot, Share
from samara.sources.stream import ClassWeights, StreamSource, Width

__all__ = [
    "ArraySource",
    "ClassWeights",
    "FrameRows",
    "Lot",
    "Scan",
    "Share",
    "StreamSource",
    "Width",
    "frame_rows",
    "is_collection",
    "is_frame",
    "is_plain",
    "is_spark_frame",
]
