"""Files that survive a crash and never run code: records, trees, locks, fingerprints and intervals."""

from samara.store.clock import parse_interval
from samara.store.files import sweep
from samara.store.fingerprints import Fingerprint, compare, digest
from samara.store.heads import RefusedError
from samara.store.locks import held
from samara.store.reading import from_tree, refuse_other_names
from samara.store.records import Json, Record, read_header, read_record, write_record
from samara.store.trees import Classes, to_tree

__all__ = [
    "Classes",
    "Fingerprint",
    "Json",
    "Record",
    "RefusedError",
    "compare",
    "digest",
    "from_tree",
    "held",
    "parse_interval",
    "read_header",
    "read_record",
    "refuse_other_names",
    "sweep",
    "to_tree",
    "write_record",
]
