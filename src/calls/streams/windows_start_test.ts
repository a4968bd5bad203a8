// Promise: on Windows a line for the shell reaches cmd.exe as it is, and words reach a batch file as words: none of them is
// run as a command, and none names a variable.

import { assertEquals } from "@std/assert";
import { windowsStart } from "./windows_start.ts";

const CMD = "C:\\windows\\system32\\cmd.exe";

Deno.test("a line for cmd.exe is passed as it is", () => {
  assertEquals(windowsStart(CMD, "cmd.exe", ["/d", "/s", "/c", 'echo "a b" & echo %x%']), {
    path: CMD,
    calledAs: "cmd.exe",
    args: ["/d", "/s", "/c", '"echo "a b" & echo %x%"'],
    verbatim: true,
  });
  const own = { path: CMD, calledAs: "cmd", args: ["/c", "exit 3"] };
  assertEquals(windowsStart(own.path, own.calledAs, own.args), own);
});

Deno.test("a program gets its words from the runtime, a batch file from cmd.exe, quoted", () => {
  const node = { path: "C:\\bin\\node.exe", calledAs: "node", args: ["a b", '"'] };
  assertEquals(windowsStart(node.path, node.calledAs, node.args), node);
  const words = ["a", "b c", "", "x&y|z>o", 'say "hi"', "%PATH%", "C:\\d\\", "C:\\d e\\", 'a\\"', "ä"];
  const line = windowsStart("C:\\my bin\\npm.CMD", "npm", words)?.args.at(-1);
  const quoted = [
    "a",
    '"b c"',
    '""',
    '"x&y|z>o"',
    '"say ""hi"""',
    '"%%cd:~,%PATH%%cd:~,%"',
    '"C:\\d\\\\"',
    '"C:\\d e\\\\"',
    '"a\\\\"""',
    '"ä"',
  ];
  assertEquals(line, `""C:\\my bin\\npm.CMD" ${quoted.join(" ")}"`);
});

Deno.test("what cmd.exe cannot pass to a batch file is not started", () => {
  for (const word of ["a\nb", "a\r", "\0"]) assertEquals(windowsStart("C:\\x.bat", "x", [word]), undefined);
  assertEquals(windowsStart("C:\\%x%\\x.bat", "x", []), undefined);
});
