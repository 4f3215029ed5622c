"""Model files that lie: edited headers and arrays, with a checksum that fits again."""

from samara.store import read_record, write_record


def rewritten(path, edit):
    """Let ``edit`` change header and arrays of a file, and write them down as a sound record."""
    record = read_record(path)
    edit(record.header, record.arrays)
    write_record(path, record.header, record.arrays)
    return path
