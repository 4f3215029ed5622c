"""Read a Parquet file in chunks and print what Arrow held at most, beyond its batches, and the estimate."""

import sys

import pyarrow as pa

import samara

if __name__ == "__main__":
    scan = samara.scan(sys.argv[1])
    for piece in scan.pieces:
        for _ in piece.chunks(1000):
            pass
    print(pa.default_memory_pool().max_memory(), scan.held_bytes)  # noqa: T201
