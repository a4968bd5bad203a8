"""The client: what runs, stores and reads output, and a function for each tool."""

import base64
import json
import os
from typing import Any, List, Mapping, Optional, Sequence, Union

from ._process import Answer, FdtoolError, Match, checked, last_error, parsed
from ._process import execute_async as execute

# More characters or lines than an answer can have.
_ALL = 10**12


async def call(tool: str, *, store: Optional[str] = None, **arguments: Any) -> Answer:
    """Runs a tool by its name. Arguments that are None are left out. Raises FdtoolError."""
    given = {name: value for name, value in arguments.items() if value is not None}
    ended = await execute(["call", tool, "--format", "json", *_store(store)], json.dumps(given).encode())
    # Nothing but an answer is there: of a write, a question, a list.
    return checked(parsed(ended.stdout, "") or last_error(ended.stderr))


class Fd:
    """Stored output: a handle such as "fd:12" or "ref:build", and what is known of it.

    answer holds all that fdtool answered. exit_code is that of a command that was run. stored is False if the output could not
    be stored: then preview is all of it, and read() returns it.
    """

    def __init__(self, fd: str, answer: Optional[Answer] = None, *, store: Optional[str] = None) -> None:
        self.fd = fd
        self.answer: Answer = answer or {}
        self.exit_code: Optional[int] = self.answer.get("exit_code")
        self.preview = _preview(self.answer)
        self.stored = "error" not in self.answer
        self._store = store

    def __repr__(self) -> str:
        return f"Fd({self.fd!r})" if self.exit_code is None else f"Fd({self.fd!r}, exit_code={self.exit_code})"

    async def read(self, lines: Optional[str] = None) -> str:
        """Returns all text, or the lines "100-150" (counted from 1; "100-" to the end). Ill-formed bytes become U+FFFD."""
        if not self.stored and lines is None:
            return self.preview
        everything = None if lines else True
        return _content(await self._call("read_fd", lines=lines, read_all=everything, exact=True))

    async def search(
        self, pattern: str, *, fixed: bool = False, ignore_case: bool = False, invert: bool = False
    ) -> List[Match]:
        """Returns all lines that match a regular expression, or that contain a text (fixed)."""
        answer = await self._call(
            "search_fd",
            pattern=pattern,
            fixed=fixed,
            ignore_case=ignore_case,
            invert=invert,
            max_count=_ALL,
            max_chars=_ALL,
        )
        return [Match(each["line"], each["text"]) for each in answer["matches"]]

    async def query(self, filter: str) -> List[Any]:
        """Returns all results of a jq filter of JSON or JSON lines."""
        answer = await self._call("query_fd", filter=filter, max_chars=_ALL)
        return [json.loads(line) for line in answer.get("values", "").split("\n") if line]

    async def _call(self, tool: str, **arguments: Any) -> Answer:
        if not self.stored:
            raise FdtoolError(self.answer)
        return await call(tool, store=self._store, fd=self.fd, **arguments)


async def run(
    command: Union[str, Sequence[str]],
    *,
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    input: Union[str, bytes, None] = None,
    timeout: Optional[float] = None,
    check: bool = False,
    name: Optional[str] = None,
    about: Optional[str] = None,
    store: Optional[str] = None,
) -> Fd:
    """Runs a command, a list or one line of /bin/sh, and stores what it prints, stdout and stderr in their order.

    env is added to this process's. timeout is in seconds (exit_code 124), more than 0; None is no limit. name binds ref:NAME to the
    output. about says which lines the preview shows first. Raises ValueError for another timeout, and FdtoolError if the command
    cannot be started or, with check, if its exit code is not 0 (command_failed); otherwise any exit code is an answer.
    """
    ran = await _run(command, cwd, env, input, _seconds(timeout), name, about, store)
    if check and ran.exit_code != 0:
        message = f"{command!r} ended with exit code {ran.exit_code}; its output is {ran.fd or 'not stored'}:\n{ran.preview}"
        raise FdtoolError({**ran.answer, "error": "command_failed", "message": message})
    return ran


async def _run(
    command: Union[str, Sequence[str]],
    cwd: Optional[str],
    env: Optional[Mapping[str, str]],
    input: Union[str, bytes, None],
    timeout: Optional[str],
    name: Optional[str],
    about: Optional[str],
    store: Optional[str],
) -> Fd:
    options = ["run", "--always", "--format", "json", *_store(store), *_option("--name", name)]
    options += _option("--about", about)
    options += _option("--cwd", cwd) + _option("--timeout", timeout)
    words = ["--shell", "--", command] if isinstance(command, str) else ["--", *command]
    ended = await execute(options + words, _bytes(input), {**os.environ, **env} if env else None)
    # A second line is of processes that the command left running.
    answers = [parsed(line) for line in ended.stdout.splitlines()]
    if answers and answers[0] is not None and None not in answers:
        return Fd(answers[0]["fd"], answers[0], store=store)
    error = last_error(ended.stderr)
    # Other errors are of storing what a command printed.
    if not ended.stdout and ended.exit_code in (2, 125, 126, 127) and error.get("action", "execute") == "execute":
        raise FdtoolError(error)
    return _passed_through({**error, "exit_code": ended.exit_code}, ended.stdout, store)


async def capture(
    content: Union[str, bytes],
    *,
    name: Optional[str] = None,
    source: Optional[str] = None,
    about: Optional[str] = None,
    store: Optional[str] = None,
) -> Fd:
    """Stores text or bytes. source says where they come from. Raises FdtoolError if the name cannot be bound."""
    options = ["capture", "--always", "--format", "json", *_store(store), *_option("--name", name)]
    options += _option("--source", source) + _option("--about", about)
    given = content.encode() if isinstance(content, str) else bytes(memoryview(content))
    ended = await execute(options, given)
    answer = None if ended.stdout == given else parsed(ended.stdout)
    if ended.exit_code != 0:
        raise FdtoolError(last_error(ended.stderr))
    if answer is None:
        return _passed_through(last_error(ended.stderr), given, store)
    return Fd(answer["fd"], answer, store=store)


def _passed_through(error: Answer, output: bytes, store: Optional[str]) -> Fd:
    return Fd("", {**error, "preview": output.decode(errors="replace")}, store=store)


def _store(store: Optional[str]) -> List[str]:
    return _option("--store", store)


def _option(name: str, value: Optional[str]) -> List[str]:
    return [] if value is None else [f"{name}={value}"]


def _seconds(timeout: Optional[float]) -> Optional[str]:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not 0 < timeout < float("inf"):
        raise ValueError(f"timeout must be a number of seconds above 0, or None for no limit, not {timeout!r}")
    # To the binary, 0 is no limit.
    return f"{max(timeout, 0.001):f}s"


def _bytes(content: Union[str, bytes, None]) -> Optional[bytes]:
    return content.encode() if isinstance(content, str) else content


def _content(answer: Answer) -> str:
    content = str(answer["content"])
    return base64.b64decode(content).decode(errors="replace") if answer.get("encoding") == "base64" else content


def _preview(answer: Answer) -> str:
    """Returns the preview as text: what it leaves out is a line "…"."""
    preview = answer.get("preview", "")
    if isinstance(preview, list):
        return "\n".join(str(part.get("content", "…")) for part in preview)
    return _content({**answer, "content": preview})
