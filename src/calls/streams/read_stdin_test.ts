import { assertEquals, assertThrows } from "@std/assert";
import { disk, FdError } from "../../../fd/system.ts";
import { readStdin } from "./read_stdin.ts";

/** Makes each read of stdin return the next entry of `script`: a number of bytes, or a system error's code. */
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

Deno.test("a read waits for stdin and is repeated after an interruption", () => {
  assertEquals(withStdin(["EAGAIN", "EAGAIN", "EINTR", "EWOULDBLOCK", 7], () => readStdin(window)), 7);
});

Deno.test("the end of stdin is 0 bytes in every spelling: read, EOF error, closed descriptor", () => {
  for (const end of [0, "EOF", "EBADF"]) assertEquals(withStdin([end], () => readStdin(window)), 0);
});

Deno.test("a directory as stdin is a typed read_error", () => {
  const thrown = assertThrows(() => withStdin(["EISDIR"], () => readStdin(window)), FdError);
  assertEquals(thrown.failure, { kind: "read_error", path: "stdin", action: "read", code: "EISDIR" });
});
