// Promise: the Windows binary stores, reads, writes and runs as the others do. Runs under Wine where that can start it (a
// binary from `scripts/build --target windows-x64`, and a Wine with bcryptprimitives.dll); else it is counted as ignored.

import { assertEquals } from "@std/assert";
import { join } from "node:path";

const BINARY = new URL("../dist/fdtool-windows-x64.exe", import.meta.url).pathname;

interface Run {
  code: number;
  out: string;
}

/** Runs the binary in `dir`, with an environment of its own and what `env` adds to it. */
function wine(dir: string, words: readonly string[], input = "", env: Record<string, string> = {}): Run {
  const kept = (name: string) => join(dir, `.${name}`);
  Deno.writeTextFileSync(kept("in"), input);
  // Through files: Wine's services live longer than the call, and would hold pipes open.
  const { code } = new Deno.Command("sh", {
    args: ["-c", 'exec wine "$@" < .in > .out 2> .err', "sh", BINARY, ...words],
    cwd: dir,
    env: {
      WINEDEBUG: "-all",
      // Wine complains on stderr if it has none.
      XDG_RUNTIME_DIR: Deno.env.get("XDG_RUNTIME_DIR") ?? dir,
      FDTOOL_FORMAT: "raw",
      FDTOOL_STORE: `Z:${dir.replaceAll("/", "\\")}\\store`,
      ...env,
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).outputSync();
  const out = Deno.readTextFileSync(kept("out")) + Deno.readTextFileSync(kept("err"));
  for (const name of ["in", "out", "err"]) Deno.removeSync(kept(name));
  return { code, out };
}

function canRun(): boolean {
  try {
    Deno.statSync(BINARY);
    return wine(Deno.makeTempDirSync(), ["--version"]).code === 0;
  } catch {
    return false;
  }
}

const IGNORED = !canRun();

/** A test in a directory of its own. */
function windowsTest(name: string, test: (call: Call, dir: string) => void): void {
  Deno.test({
    name: `windows: ${name}`,
    ignore: IGNORED,
    fn() {
      const dir = Deno.makeTempDirSync();
      try {
        test((words, input, env) => wine(dir, words, input, env), dir);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

type Call = (words: readonly string[], input?: string, env?: Record<string, string>) => Run;

windowsTest("what is stored is read, searched and verified", (call) => {
  assertEquals(call(["capture", "--always"], "one\r\ntwo\n"), { code: 0, out: "fd:1\n" });
  assertEquals(call(["read", "fd:1"]).out, "one\r\ntwo\n");
  assertEquals(call(["search", "fd:1", "^t"]).out, "2:two\n");
  assertEquals(call(["verify"]).code, 0);
});

windowsTest("the default store is the user's", (call) => {
  const { code, out } = call(["doctor"], "", { FDTOOL_STORE: "", FDTOOL_FORMAT: "json" });
  assertEquals([code, /"store":"[A-Z]:.*\\\\AppData\\\\Local\\\\fdtool"/.test(out)], [0, true], out);
});

windowsTest("a file keeps its line ends when it is edited, and undo brings it back", (call, dir) => {
  Deno.writeTextFileSync(join(dir, "f.txt"), "a\r\nb\n");
  assertEquals(call(["edit", "f.txt"], '{"old_string":"a","new_string":"zz"}').code, 0);
  assertEquals(Deno.readTextFileSync(join(dir, "f.txt")), "zz\r\nb\n");
  // The journal's own directory was called foreign, by a path compared with the other separator.
  assertEquals(call(["verify"]).code, 0);
  assertEquals(call(["undo"]).code, 0);
  assertEquals(Deno.readTextFileSync(join(dir, "f.txt")), "a\r\nb\n");
});

windowsTest("no write goes to a device, a stream or the store, however its path is written", (call, dir) => {
  call(["capture", "--always"], "text\n");
  for (const path of ["NUL", "nul.txt", "sub\\CON", "f.txt.", "f.txt:hidden", "STORE\\V2\\x"]) {
    const { code, out } = call(["to-file", "fd:1", path]);
    assertEquals([path, code !== 0], [path, true], out);
  }
  for (const name of ["nul", "com1", "a."]) assertEquals(call(["name", "fd:1", name]).code, 2, name);
  assertEquals(call(["name", "fd:1", "Log"]).code, 0);
  assertEquals(call(["name", "fd:1", "log"]).code, 2);
  assertEquals(call(["read", "ref:Log"]).out, "text\n");
  const root = `z:${dir.replaceAll("/", "\\").toUpperCase()}`;
  assertEquals(call(["to-file", "fd:1", "g.txt", "--root", root]).code, 0);
});

windowsTest("a command's output and exit code are its own", (call, dir) => {
  assertEquals(call(["run", "--", "cmd", "/c", "exit 3"]).code, 3);
  assertEquals(call(["run", "--", "cmd", "/c", "echo hi"]).out.trim(), "hi");
  assertEquals(call(["run", "--", "no-such-program"]).code, 127);
  Deno.writeTextFileSync(join(dir, "f.txt"), "text");
  assertEquals(call(["run", "--", "./f.txt"]).code, 126);
  Deno.writeTextFileSync(join(dir, "tool.cmd"), "@echo off\r\necho [%1] [%2]\r\nexit /b 5\r\n");
  for (const name of ["tool", "tool.cmd", ".\\tool"]) {
    const { code, out } = call(["run", "--", name, "a", "b & c > x"]);
    assertEquals([code, out.trim()], [5, '[a] ["b & c > x"]'], name);
  }
});

windowsTest("--shell is cmd.exe, which takes the line as it is", (call) => {
  const { code, out } = call(["run", "--shell", 'echo "a b" & echo d| findstr d & exit 4']);
  assertEquals([code, out.replaceAll(/\s+/g, " ").trim()], [4, '"a b" d']);
});

windowsTest("a time limit and stop end the command and what it started", (call) => {
  const long = ["cmd", "/c", "echo begun & ping -n 600 127.0.0.1 & echo end"];
  assertEquals(call(["run", "--timeout", "1s", "--threshold", "0", "--", ...long]).code, 124);
  assertEquals(call(["run", "--background", "--", ...long]).code, 0);
  const seen = call(["read", "fd:2", "--follow", "--timeout", "2s"]);
  const stop = call(["stop", "fd:2"]);
  assertEquals([seen.code, stop.code], [124, 0], stop.out);
  const stopped = call(["wait", "fd:2", "--timeout", "20s", "--format", "json"]);
  assertEquals([stopped.code === 124, stopped.out.includes("begun")], [false, true], stopped.out);
  assertEquals(call(["verify"]).code, 0);
});
