"""Files that survive a crash and never run code: records, locks and fingerprints."""

from samara.store.records import Json, Record, read_record, write_record

__all__ = ["Json", "Record", "read_record", "write_record"]
