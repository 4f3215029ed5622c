"""What a fit with a checkpoint writes beside it, so that ``samara resume`` needs no other arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from samara import __version__
from samara.cli.config import Request, from_sections
from samara.cli.endings import UsageError
from samara.errors import StoreError


@contextmanager
def kept_command(request: Request) -> Iterator[None]:
    """The options lie beside the checkpoint until the block has ended well, or in an error that left none.

    A fit that is refused because another one's checkpoint is there leaves that one's options.
    """
    checkpoint = request.run.checkpoint
    if checkpoint is None:
        yield
        return
    from samara.store.files import replace_file, write_all

    kept = {"samara": __version__, "folder": os.getcwd(), "options": request.given()}
    file = command_file(checkpoint)
    before = file.read_bytes() if file.exists() else None
    replace_file(file, lambda fd: write_all(fd, json.dumps(kept, indent=1).encode()))
    try:
        yield
    except Exception:  # not when it was interrupted: it is to be resumed then
        if before is not None:
            replace_file(file, lambda fd: write_all(fd, before))
        elif not os.path.exists(checkpoint):
            file.unlink(missing_ok=True)
        raise
    with suppress(OSError):
        file.unlink()


def read_command(checkpoint: str) -> tuple[Request, str]:
    """The request that a fit wrote beside its checkpoint, and the folder that it ran in."""
    file = command_file(checkpoint)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            2, f"no fit left its command there; was it run with --checkpoint {checkpoint}?", str(file)
        ) from None
    try:
        kept = json.loads(text)
        folder, options = kept["folder"], kept["options"]
        request = from_sections(options, str(file))
    except (ValueError, KeyError, TypeError, UsageError) as error:
        raise StoreError(f"{file} is not what a fit wrote: {error}. Run the fit again.") from None
    path = os.path.realpath(checkpoint)
    return replace(request, run=replace(request.run, checkpoint=path)), str(folder)


def command_file(checkpoint: str) -> Path:
    """The file beside a checkpoint."""
    return Path(f"{checkpoint}.command")
