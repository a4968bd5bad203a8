// Promise: the sentences that callers rely on, each with the next command (contract, Answers).

import { assertEquals } from "@std/assert";
import { DRESS, nextLine } from "../../../tests/sample_answers.ts";
import { dressedFailure } from "./failure_dress.ts";
import { type Failure, failureText } from "./failure_text.ts";

function textOf(failure: Failure, storeOption?: string) {
  const { type, message, next } = failureText(failure, "read");
  return [type, message, nextLine(next, storeOption)];
}

Deno.test("failures of the store say the action, the reason and what was expected", () => {
  const cases: [Failure, (string | undefined)[]][] = [
    [{ kind: "invalid_page", fd: "fd:1", page: 99, pageCount: 13 }, [
      "invalid_page",
      "Cannot read page 99 of fd:1: valid range: 1-13",
      "fdtool read fd:1 --start 13",
    ]],
    [{ kind: "invalid_page", fd: "fd:1", page: 0, pageCount: 13 }, [
      "invalid_page",
      "Cannot read page 0 of fd:1: valid range: 1-13",
      "fdtool read fd:1 --start 1",
    ]],
    [{ kind: "invalid_range", fd: "fd:1", mode: "line", start: 50, first: 1, last: 9 }, [
      "invalid_range",
      "Cannot read line 50 of fd:1: valid range: 1-9",
      "fdtool read fd:1 --mode line --start 9",
    ]],
    [{ kind: "invalid_range", fd: "fd:1", mode: "char", start: 0, first: 0, last: -1 }, [
      "invalid_range",
      "Cannot read char 0 of fd:1: it has no chars",
      "fdtool stat fd:1",
    ]],
    [{ kind: "not_found", fd: "fd:7", highestId: 3 }, [
      "not_found",
      "fd:7 not found: the newest fd in this store is fd:3",
      "fdtool ls",
    ]],
    [{ kind: "not_found", fd: "fd:91758902942265", highestId: 3 }, [
      "not_found",
      "fd:91758902942265 not found: its host has not shared it yet (fdtool sync there), or it is not of this store",
      "fdtool ls",
    ]],
    [{ kind: "not_found", fd: "ref:x", highestId: 3 }, [
      "not_found",
      "ref:x not found: unknown name",
      "fdtool refs",
    ]],
    [{
      kind: "removed",
      fd: "fd:2",
      removedAtMs: Date.now() - 3 * 86_400_000,
      why: "older than the age limit",
      source: "run",
      command: ["make", "all it"],
      isImported: false,
      byteCount: 10,
      sha256: undefined,
    }, [
      "removed",
      "fd:2 was removed 3 d ago: older than the age limit (10 bytes, from make 'all it')",
      "fdtool run -- make 'all it'",
    ]],
    [{ kind: "storage_full", path: "/s", action: "write", code: "ENOSPC" }, [
      "storage_full",
      "Cannot write /s: no space left (ENOSPC)",
      "fdtool doctor",
    ]],
    [{
      kind: "store_unreachable",
      store: "s3://b/p",
      action: "create fd/000000000012",
      reason: "503 SlowDown",
    }, [
      "store_unreachable",
      "Cannot create fd/000000000012 in s3://b/p: 503 SlowDown",
      "fdtool store check",
    ]],
    [{ kind: "store_denied", store: "s3://b/p", action: "read next", reason: "403 AccessDenied" }, [
      "store_denied",
      "Cannot read next in s3://b/p: 403 AccessDenied",
      "fdtool store check",
    ]],
    [{
      kind: "store_unfit",
      store: "s3://b/p",
      promise: "create_once",
      found: "16 of 16 creates of one key succeeded",
    }, [
      "store_unfit",
      "Cannot share fds in s3://b/p: the object store must create a key only once (If-None-Match), " +
      "but 16 of 16 creates of one key succeeded",
      "fdtool store check",
    ]],
    [{ kind: "invalid_parameter", field: "count", got: "0", wanted: "1 or more" }, [
      "invalid_parameter",
      'Invalid count "0": expected 1 or more',
      "fdtool help read",
    ]],
  ];
  for (const [failure, text] of cases) assertEquals(textOf(failure), text);
  assertEquals(
    textOf({ kind: "not_found", fd: "fd:7", highestId: 0 }, "/s t"),
    ["not_found", "fd:7 not found: this store is empty", "fdtool ls --store '/s t'"],
  );
});

Deno.test("a mistyped word is reported with the corrected call", () => {
  const words = ["read", "fd:1", "--strat=3"];
  assertEquals(
    textOf({
      kind: "unknown_option",
      aliasOf: {},
      command: "read",
      reads: true,
      got: "--strat",
      known: ["--start", "--tail"],
      words,
      at: 2,
    }),
    [
      "invalid_parameter",
      'Unknown option "--strat" of read: did you mean --start?',
      "fdtool read fd:1 --start=3",
    ],
  );
  assertEquals(
    textOf({
      kind: "unknown_command",
      got: "zzzzzz",
      aliasOf: { read: "read" },
      reading: ["read"],
      words: ["zzzzzz"],
      at: 0,
    }),
    ["invalid_parameter", 'Unknown command "zzzzzz"', "fdtool help"],
  );
});

Deno.test("a failure is one line in xml and json, and plain words in raw", () => {
  const text = failureText(
    { kind: "file_exists", path: 'a"<\n\u001b' },
    undefined,
  );
  assertEquals(
    dressedFailure(text, "xml", DRESS),
    '<fd_error type="file_exists" path="a&quot;&lt;&#10;&#27;"><message>Cannot create a"&lt;&#10;&#27;: ' +
      "it already exists</message></fd_error>\n",
  );
  assertEquals(JSON.parse(dressedFailure(text, "json", DRESS)), {
    type: "fd_error",
    error: "file_exists",
    path: 'a"<\n\u001b',
    message: text.message,
  });
  assertEquals(
    dressedFailure(text, "raw", DRESS),
    'fdtool: Cannot create a"<\\x0a\\x1b: it already exists\n',
  );
  const page = failureText(
    { kind: "invalid_page", fd: "fd:1", page: 99, pageCount: 13 },
    "read",
  );
  assertEquals(
    dressedFailure(page, "xml", DRESS),
    '<fd_error type="invalid_page" fd="fd:1"><message>Cannot read page 99 of fd:1: valid range: 1-13</message>' +
      "<next>fdtool read fd:1 --start 13</next></fd_error>\n",
  );
  assertEquals(JSON.parse(dressedFailure(page, "json", DRESS)).pages, 13);
});
