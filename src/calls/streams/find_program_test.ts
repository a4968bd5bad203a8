import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { findOnWindows, findProgram, type FoundProgram, shellWords } from "./find_program.ts";

function withPrograms(work: (dir: string) => void): void {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const name of ["bin", "other"]) Deno.mkdirSync(join(dir, name));
    const files: [string, string | Uint8Array, number][] = [
      ["bin/script", "#!/bin/sh\n", 0o755],
      ["bin/text", "echo hi\n", 0o755],
      ["bin/empty", "", 0o755],
      ["bin/binary", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0]), 0o755],
      ["bin/closed", "#!/bin/sh\n", 0o644],
      ["other/closed", "#!/bin/sh\n", 0o755],
      ["other/script", "#!/bin/sh\n", 0o755],
    ];
    for (const [name, content, mode] of files) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      Deno.writeFileSync(join(dir, name), bytes, { mode });
    }
    Deno.mkdirSync(join(dir, "bin/folder"));
    work(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

/** The kind, and the path or the reason. */
function outcomeOf(found: FoundProgram): string[] {
  if ("path" in found) return [found.kind, found.path];
  return [found.kind, "code" in found.failure ? found.failure.code : found.failure.kind];
}

Deno.test("the first executable file in PATH is the program", () =>
  withPrograms((dir) => {
    const path = `${dir}/bin:${dir}/other`;
    assertEquals(outcomeOf(findProgram("script", "/", path)), ["program", `${dir}/bin/script`]);
    assertEquals(outcomeOf(findProgram("binary", "/", path)), ["program", `${dir}/bin/binary`]);
    assertEquals(outcomeOf(findProgram("closed", "/", path)), ["program", `${dir}/other/closed`]);
    assertEquals(outcomeOf(findProgram("script", `${dir}/other`, ":")), ["program", `${dir}/other/script`]);
    assertEquals(outcomeOf(findProgram("script", dir, "other")), ["program", `${dir}/other/script`]);
    assertEquals(outcomeOf(findProgram("./bin/script", dir, "")), ["program", `${dir}/bin/script`]);
  }));

Deno.test("sh runs text without an interpreter line", () =>
  withPrograms((dir) => {
    assertEquals(outcomeOf(findProgram("text", "/", `${dir}/bin`)), ["shell_script", `${dir}/bin/text`]);
    assertEquals(outcomeOf(findProgram("empty", "/", `${dir}/bin`)), ["shell_script", `${dir}/bin/empty`]);
  }));

Deno.test("a missing file is not found, and a file that cannot run is not executable", () =>
  withPrograms((dir) => {
    for (const name of ["nothing", "", "folder"]) {
      assertEquals(outcomeOf(findProgram(name, "/", `${dir}/bin`)), ["not_found", "file_not_found"], name);
    }
    assertEquals(outcomeOf(findProgram("./nothing", dir, "")), ["not_found", "file_not_found"]);
    assertEquals(outcomeOf(findProgram("closed", "/", `${dir}/bin`)), ["not_executable", "EACCES"]);
    assertEquals(outcomeOf(findProgram("./bin/folder", dir, "")), ["not_executable", "EISDIR"]);
    assertEquals(outcomeOf(findProgram("./bin/script/x", dir, "")), ["not_executable", "ENOTDIR"]);
  }));

Deno.test("on Windows a missing program is reported as not found, before it is started", () => {
  const files = [
    "C:\\w\\tool.exe",
    "C:\\bin\\node.EXE",
    "C:\\bin\\npm.CMD",
    "D:\\x y\\run.ps1",
    "C:\\w\\sub\\a.com",
  ];
  const known = new Set(files.map((file) => file.toLowerCase()));
  const isThere = (path: string) => known.has(path.toLowerCase());
  const env = { PATH: "C:\\bin;;D:\\x y", PATHEXT: undefined };
  const found = (name: string) => findOnWindows(name, "C:\\w", env, isThere) !== undefined;
  for (
    const name of [
      "tool",
      "tool.exe",
      "NODE",
      "npm",
      "npm.cmd",
      "run.ps1",
      "sub\\a",
      "sub/a.com",
      "C:\\bin\\node",
    ]
  ) {
    assertEquals(found(name), true, name);
  }
  for (const name of ["", "nothing", "run", "a", "sub\\b", "C:\\nosuch.exe", ".\\node"]) {
    assertEquals(found(name), false, name);
  }
  assertEquals(findOnWindows("run", "C:\\w", { ...env, PATHEXT: ".PS1" }, isThere), "D:\\x y\\run.PS1");
});

Deno.test("on Windows npm is npm.cmd, not the script for sh in the same directory", () => {
  const files = ["C:\\bin\\npm", "C:\\bin\\npm.cmd", "C:\\bin\\plain", "C:\\bin\\a.b.exe"];
  const isThere = (path: string) => files.includes(path);
  const env = { PATH: "C:\\bin", PATHEXT: ".exe;.cmd" };
  const found = (name: string) => findOnWindows(name, "C:\\w", env, isThere);
  assertEquals(found("npm"), "C:\\bin\\npm.cmd");
  assertEquals(found("npm.cmd"), "C:\\bin\\npm.cmd");
  assertEquals(found("plain"), "C:\\bin\\plain");
  assertEquals(found("a.b"), "C:\\bin\\a.b.exe");
});

Deno.test("--shell is sh, on Windows cmd.exe without the registry's commands, or the shell in FDTOOL_SHELL", () => {
  assertEquals(shellWords("a | b", { FDTOOL_SHELL: "pwsh" }, "linux"), ["/bin/sh", "-c", "a | b"]);
  const words = (env: Record<string, string>) => shellWords("a | b", env, "win32");
  const comSpec = "C:\\WINDOWS\\system32\\cmd.exe";
  assertEquals(words({ ComSpec: comSpec }), [comSpec, "/d", "/s", "/c", "a | b"]);
  assertEquals(words({}), ["cmd.exe", "/d", "/s", "/c", "a | b"]);
  assertEquals(words({ FDTOOL_SHELL: "CMD" }), ["CMD", "/d", "/s", "/c", "a | b"]);
  const powerShell = "C:\\x y\\PowerShell.exe";
  assertEquals(words({ FDTOOL_SHELL: powerShell }), [powerShell, "-NoProfile", "-Command", "a | b"]);
  assertEquals(words({ FDTOOL_SHELL: "pwsh" }), ["pwsh", "-NoProfile", "-Command", "a | b"]);
  assertEquals(words({ FDTOOL_SHELL: "C:\\git\\bash.exe" }), ["C:\\git\\bash.exe", "-c", "a | b"]);
});
