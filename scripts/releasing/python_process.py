"""fdtool's tools as functions: large output as fds, and safe writing. Each call starts the binary once.

The functions are made of the schemas that `fdtool tools` prints; `fdtool help` and the answers say the rest.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Sequence, Union

Answer = Dict[str, Any]


class FdtoolError(Exception):
    """An answer that is an error: its kind, its sentence, the command that helps, and all of it."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(str(answer.get("message", "")))
        self.kind = str(answer.get("error", "unknown"))
        self.next: Optional[str] = answer.get("next")
        self.answer = answer


def binary() -> str:
    """The binary that was installed with this package, else the one on the PATH."""
    for name in ("fdtool", "fdtool.exe"):
        own = Path(sysconfig.get_path("scripts")) / name
        if own.exists():
            return str(own)
    found = shutil.which("fdtool")
    if found is None:
        raise FileNotFoundError("fdtool is neither beside this Python nor on the PATH")
    return found


def call(tool: str, *, store: Optional[str] = None, **arguments: Any) -> Answer:
    """Runs a tool by its name. Arguments that are None are left out. Raises FdtoolError."""
    given = {name: value for name, value in arguments.items() if value is not None}
    where = [] if store is None else ["--store", store]
    ended = subprocess.run(
        [binary(), "call", tool, "--format", "json", *where],
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        check=False,
    )
    answer: Answer = json.loads(ended.stdout)
    if answer.get("type") == "fd_error":
        raise FdtoolError(answer)
    return answer
