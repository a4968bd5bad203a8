import { assertEquals, assertThrows } from "@std/assert";
import { disk, FdError } from "../../fd/mod.ts";
import { readStdin } from "./read_stdin.ts";

/** Lets stdin answer `script`, one entry a read: a number of bytes, or the code of a system error. */
function withStdin<T>(script: (number | string)[], work: () => T): T {
  const read = disk.read;
  disk.read = (() => {
    const step = script.shift();
    if (typeof step === "number") return step;
    throw Object.assign(new Error(step), { code: step });
  }) as typeof disk.read;
  try {
    return work();
  } finally {
    disk.read = read;
  }
}

const window = new Uint8Array(16);

Deno.test("stdin that has nothing yet is waited for, an interrupted read is tried again", () => {
  assertEquals(withStdin(["EAGAIN", "EAGAIN", "EINTR", "EWOULDBLOCK", 7], () => readStdin(window)), 7);
});

Deno.test("the end of stdin is 0 bytes in every spelling: read, EOF error, closed descriptor", () => {
  for (const end of [0, "EOF", "EBADF"]) assertEquals(withStdin([end], () => readStdin(window)), 0);
});

Deno.test("a directory as stdin is a typed read_error", () => {
  const thrown = assertThrows(() => withStdin(["EISDIR"], () => readStdin(window)), FdError);
  assertEquals(thrown.failure, { kind: "read_error", path: "stdin", action: "read", code: "EISDIR" });
});
