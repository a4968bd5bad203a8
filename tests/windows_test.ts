// Promise: the Windows binary stores, reads, writes and runs as the others do, and keeps out of the traps of Windows. Runs
// under Wine if there is one that starts it, on a binary from `scripts/build --target windows-x64`; else it is ignored.

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { runInWine, whyNoWine } from "./wine.ts";

const WHY_NOT = whyNoWine();

interface Run {
  code: number;
  out: string;
}

type Call = (words: readonly string[], input?: string, env?: Record<string, string>) => Promise<Run>;

/** A test in a directory of its own. */
function windowsTest(name: string, test: (call: Call, dir: string) => Promise<void>): void {
  Deno.test({
    name: `windows: ${name}`,
    ignore: WHY_NOT !== undefined,
    async fn() {
      const dir = Deno.makeTempDirSync();
      const call: Call = async (words, stdin, env) => {
        const { code, out, err } = await runInWine(dir, words, { stdin, env });
        return { code, out: new TextDecoder().decode(out) + err };
      };
      try {
        await test(call, dir);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

windowsTest("what is stored is read, searched and verified", async (call) => {
  assertEquals(await call(["capture", "--always"], "one\r\ntwo\n"), { code: 0, out: "fd:1\n" });
  assertEquals((await call(["read", "fd:1"])).out, "one\r\ntwo\n");
  assertEquals((await call(["search", "fd:1", "^t"])).out, "2:two\n");
  assertEquals((await call(["verify"])).code, 0);
});

windowsTest("the default store is the user's", async (call) => {
  const { code, out } = await call(["doctor"], "", { FDTOOL_STORE: "", FDTOOL_FORMAT: "json" });
  assertEquals([code, /"store":"[A-Z]:.*\\\\AppData\\\\Local\\\\fdtool"/.test(out)], [0, true], out);
});

windowsTest("a file keeps its line ends when it is edited, and undo brings it back", async (call, dir) => {
  Deno.writeTextFileSync(join(dir, "f.txt"), "a\r\nb\n");
  assertEquals((await call(["edit", "f.txt"], '{"old_string":"a","new_string":"zz"}')).code, 0);
  assertEquals(Deno.readTextFileSync(join(dir, "f.txt")), "zz\r\nb\n");
  // The journal's own directory was called foreign, by a path compared with the other separator.
  assertEquals((await call(["verify"])).code, 0);
  assertEquals((await call(["undo"])).code, 0);
  assertEquals(Deno.readTextFileSync(join(dir, "f.txt")), "a\r\nb\n");
});

windowsTest(
  "no write goes to a device, a stream or the store, however its path is written",
  async (call, dir) => {
    await call(["capture", "--always"], "text\n");
    for (const path of ["NUL", "nul.txt", "sub\\CON", "f.txt.", "f.txt:hidden", "STORE\\V2\\x"]) {
      const { code, out } = await call(["to-file", "fd:1", path]);
      assertEquals([path, code !== 0], [path, true], out);
    }
    for (const name of ["nul", "com1", "a."]) {
      assertEquals(
        (await call(["name", "fd:1", name])).code,
        2,
        name,
      );
    }
    assertEquals((await call(["name", "fd:1", "Log"])).code, 0);
    assertEquals((await call(["name", "fd:1", "log"])).code, 2);
    assertEquals((await call(["read", "ref:Log"])).out, "text\n");
    const root = `z:${dir.replaceAll("/", "\\").toUpperCase()}`;
    assertEquals((await call(["to-file", "fd:1", "g.txt", "--root", root])).code, 0);
  },
);

windowsTest("a command's output and exit code are its own", async (call, dir) => {
  assertEquals((await call(["run", "--", "cmd", "/c", "exit 3"])).code, 3);
  assertEquals((await call(["run", "--", "cmd", "/c", "echo hi"])).out.trim(), "hi");
  assertEquals((await call(["run", "--", "no-such-program"])).code, 127);
  Deno.writeTextFileSync(join(dir, "f.txt"), "text");
  assertEquals((await call(["run", "--", "./f.txt"])).code, 126);
  Deno.writeTextFileSync(join(dir, "tool.cmd"), "@echo off\r\necho [%1] [%2]\r\nexit /b 5\r\n");
  for (const name of ["tool", "tool.cmd", ".\\tool"]) {
    const { code, out } = await call(["run", "--", name, "a", "b & c > x"]);
    assertEquals([code, out.trim()], [5, '[a] ["b & c > x"]'], name);
  }
});

windowsTest("--shell is cmd.exe, which takes the line as it is", async (call) => {
  const { code, out } = await call(["run", "--shell", 'echo "a b" & echo d| findstr d & exit 4']);
  assertEquals([code, out.replaceAll(/\s+/g, " ").trim()], [4, '"a b" d']);
});

windowsTest("a time limit and stop end the command and what it started", async (call) => {
  const long = ["cmd", "/c", "echo begun & ping -n 600 127.0.0.1 & echo end"];
  assertEquals((await call(["run", "--timeout", "1s", "--threshold", "0", "--", ...long])).code, 124);
  assertEquals((await call(["run", "--background", "--", ...long])).code, 0);
  const seen = await call(["read", "fd:2", "--follow", "--timeout", "2s"]);
  const stop = await call(["stop", "fd:2"]);
  assertEquals([seen.code, stop.code], [124, 0], stop.out);
  const stopped = await call(["wait", "fd:2", "--timeout", "20s", "--format", "json"]);
  assertEquals([stopped.code === 124, stopped.out.includes("begun")], [false, true], stopped.out);
  assertEquals((await call(["verify"])).code, 0);
});
