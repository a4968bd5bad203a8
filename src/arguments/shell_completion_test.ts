// Promise: shells complete commands, options, choices and fds (contract, Commands), with what the tables say.

import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import { COMMANDS, findCommandEntry } from "../command_table.ts";
import { completionScript, fittingWords } from "./shell_completion.ts";

const completable = {
  commands: COMMANDS,
  find: findCommandEntry,
  handles: () => ["ref:log", "fd:12", "fd:3"],
};

async function fitting(...words: string[]) {
  return await fittingWords(words, completable);
}

Deno.test("the first word is a command, wherever global options stand", async () => {
  assertEquals(await fitting("re"), ["read", "refs", "ref", "rewrite", "recover"]);
  assertEquals(await fitting("--store", "DIR", "re"), ["read", "refs", "ref", "rewrite", "recover"]);
  assertEquals(await fitting("--store", "re"), []);
  assertEquals(await fitting("help", "ver"), ["verify"]);
});

Deno.test("options, their choices and fds follow", async () => {
  assertEquals(await fitting("read", "fd:"), ["fd:12", "fd:3"]);
  assertEquals(await fitting("read_fd", ""), ["ref:log", "fd:12", "fd:3"]);
  assertEquals(await fitting("read", "fd:3", ""), []);
  assertEquals(await fitting("rm", "fd:3", "fd:1"), ["fd:12"]);
  assertEquals(await fitting("diff", "fd:3", "fd:1"), ["fd:12"]);
  assertEquals(await fitting("read", "fd:3", "--mode", ""), ["page", "line", "char"]);
  assertEquals(await fitting("read", "fd:3", "--max"), ["--max-chars"]);
  assertEquals(await fitting("read", "--lines", "1-2", "fd:1"), ["fd:12"]);
  assertEquals(await fitting("--format", "j"), ["json"]);
  assertEquals(await fitting("read", "--", "--m"), []);
});

Deno.test("bash takes the script, and cuts off the text before a colon at which it breaks words", () => {
  const probe = `${completionScript("bash")}
    fdtool() { printf '%s\\n' fd:12 fd:3; }
    COMP_LINE="fdtool read fd:" COMP_POINT=15; _fdtool; echo "\${COMPREPLY[*]}"
    COMP_LINE="fdtool read " COMP_POINT=12; _fdtool; echo "\${COMPREPLY[*]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", probe], { encoding: "utf8" });
  assertEquals([stdout, stderr], ["12 3\nfd:12 fd:3\n", ""]);
});
