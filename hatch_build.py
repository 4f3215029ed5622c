"""Compiles src/samara/linalg/kernels.c when the package is built; without a compiler, NumPy serves."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = ["-O3", "-std=c11", "-fPIC", "-shared", "-pthread"]
FLAGS += ["-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
if platform.machine() in ("x86_64", "AMD64"):  # where a processor has 512-bit registers, use all of them
    FLAGS.append("-mprefer-vector-width=512")
ROOM = Path("src/samara/linalg")


class CompileKernels(BuildHookInterface):  # type: ignore[misc]
    """One shared library, loaded by ctypes: no Python headers, one build for every Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put the library into the wheel."""
        source, library = Path(self.root) / ROOM / "kernels.c", Path(self.root) / ROOM / "_kernels.so"
        library.unlink(missing_ok=True)
        compiler = shlex.split(os.environ.get("CC", "cc"))
        if sys.platform == "win32" or shutil.which(compiler[0]) is None:
            self.app.display_warning("no C compiler: samara is installed without its compiled kernels")
            return
        done = subprocess.run(
            [*compiler, *FLAGS, "-o", library, source, "-lm"], capture_output=True, text=True
        )
        if done.returncode:
            self.app.display_warning(f"samara's kernels did not compile:\n{done.stderr}")
            return
        build_data["artifacts"].append(str(ROOM / library.name))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
