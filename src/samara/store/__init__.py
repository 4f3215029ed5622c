"""Files that survive a crash and never run code: records, locks, fingerprints and intervals."""

from samara.store.clock import parse_interval
from samara.store.files import sweep
from samara.store.fingerprints import Fingerprint, compare, digest
from samara.store.locks import held
from samara.store.records import Json, Record, read_record, write_record

__all__ = [
    "Fingerprint",
    "Json",
    "Record",
    "compare",
    "digest",
    "held",
    "parse_interval",
    "read_record",
    "sweep",
    "write_record",
]
