"""Starts the binary and reads its answers; the same for both clients."""

import asyncio
import json
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

Answer = Dict[str, Any]


class FdtoolError(Exception):
    """An answer that is an error: its kind, its sentence, the command that helps, and all of it."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(str(answer.get("message", "")))
        self.kind = str(answer.get("error", "unknown"))
        self.next: Optional[str] = answer.get("next")
        self.answer = answer


class Match(NamedTuple):
    """A line that a search found, counted from 1."""

    line: int
    text: str


class Ended(NamedTuple):
    """What a process left when it ended."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def binary() -> str:
    """Returns the binary installed with this package, or the one on the PATH."""
    for name in ("fdtool", "fdtool.exe"):
        own = Path(sysconfig.get_path("scripts")) / name
        if own.exists():
            return str(own)
    found = shutil.which("fdtool")
    if found is None:
        raise FileNotFoundError("fdtool is neither beside this Python nor on the PATH")
    return found


def checked(answer: Answer) -> Answer:
    """Returns an answer, or raises the error that it is."""
    if "error" in answer:
        raise FdtoolError(answer)
    return answer


def parsed(line: bytes, kind: str = "fd_") -> Optional[Answer]:
    """Returns the answer that a line is, if it is one of a type that starts with kind."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    if not isinstance(answer, dict):
        return None
    return answer if str(answer.get("type")).startswith(kind) else None


def last_error(stderr: bytes) -> Answer:
    """Returns the error on stderr, which notes may precede."""
    lines = stderr.splitlines()
    found = [answer for answer in map(parsed, lines) if answer is not None and "error" in answer]
    return found[-1] if found else {"error": "unknown", "message": stderr.decode(errors="replace").strip()}


def execute(
    args: List[str],
    input: Optional[bytes],
    env: Optional[Mapping[str, str]] = None,
) -> Ended:
    """Runs the binary. Without input, it reads what this process would read."""
    done = subprocess.run([binary(), *args], input=input, capture_output=True, env=env, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


async def execute_async(
    args: List[str],
    input: Optional[bytes],
    env: Optional[Mapping[str, str]] = None,
) -> Ended:
    """Runs the binary as `execute` does. A cancelled call ends it and its command."""
    process = await asyncio.create_subprocess_exec(
        binary(),
        *args,
        stdin=None if input is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
    )
    try:
        stdout, stderr = await process.communicate(input)
    except asyncio.CancelledError:
        if process.returncode is None:
            process.terminate()
            await process.communicate()
        raise
    return Ended(process.returncode or 0, stdout, stderr)
