// Promise: the Windows binary stores, reads, writes and runs as the others do. Runs under Wine where that can start it (a
// binary from `scripts/build --target windows-x64`, and a Wine with bcryptprimitives.dll); else it is counted as ignored.

import { assertEquals } from "@std/assert";
import { join } from "node:path";

const BINARY = new URL("../dist/fdtool-windows-x64.exe", import.meta.url).pathname;

interface Run {
  code: number;
  out: string;
}

/** Runs the binary in `dir`, with an environment of its own. */
function wine(dir: string, words: readonly string[], input = ""): Run {
  const inputPath = join(dir, ".input");
  Deno.writeTextFileSync(inputPath, input);
  // Through a file: Wine hands on what sh gives it, and Deno's synchronous calls have no input.
  const { code, stdout, stderr } = new Deno.Command("sh", {
    args: ["-c", 'exec wine "$@" < .input', "sh", BINARY, ...words],
    cwd: dir,
    env: { WINEDEBUG: "-all", FDTOOL_FORMAT: "raw", FDTOOL_STORE: `Z:${dir.replaceAll("/", "\\")}\\store` },
  }).outputSync();
  Deno.removeSync(inputPath);
  return { code, out: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

function canRun(): boolean {
  try {
    Deno.statSync(BINARY);
    return wine(Deno.makeTempDirSync(), ["--version"]).code === 0;
  } catch {
    return false;
  }
}

Deno.test({
  name: "the Windows binary stores, edits, undoes, verifies and runs commands under Wine",
  ignore: !canRun(),
  fn() {
    const dir = Deno.makeTempDirSync();
    try {
      const call = (words: readonly string[], input?: string) => wine(dir, words, input);
      assertEquals(call(["capture", "--always"], "one\r\ntwo\n"), { code: 0, out: "fd:1\n" });
      assertEquals(call(["read", "fd:1"]).out, "one\r\ntwo\n");
      assertEquals(call(["search", "fd:1", "^t"]).out, "2:two\n");
      Deno.writeTextFileSync(join(dir, "f.txt"), "a\r\nb\n");
      assertEquals(call(["edit", "f.txt"], '{"old_string":"a","new_string":"zz"}').code, 0);
      assertEquals(Deno.readTextFileSync(join(dir, "f.txt")), "zz\r\nb\n");
      // The journal's own directory was called foreign, by a path compared with the other separator.
      assertEquals(call(["verify"]).code, 0);
      assertEquals(call(["undo"]).code, 0);
      assertEquals(Deno.readTextFileSync(join(dir, "f.txt")), "a\r\nb\n");
      assertEquals(call(["run", "--", "cmd", "/c", "exit 3"]).code, 3);
      assertEquals(call(["run", "--", "cmd", "/c", "echo hi"]).out.trim(), "hi");
      assertEquals(call(["run", "--", "no-such-program"]).code, 127);
      assertEquals(call(["run", "--", "./f.txt"]).code, 126);
      assertEquals(call(["run", "--timeout", "1s", "--", "cmd", "/c", "ping -n 30 127.0.0.1"]).code, 124);
      assertEquals(call(["verify"]).code, 0);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
});
