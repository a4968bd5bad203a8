// Promise: the next command can be copied into a shell as it is (law 7).

import { assert, assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { findOperation } from "../../commands/rows.ts";
import { dashed } from "../../calls/arguments/option_spellings.ts";
import type { NamedCall } from "../../calls/terms/next_call.ts";
import { callWords, commandLine, inSentences, messageText, shellLine, shellWord } from "./next_command.ts";

/** The words that a shell reads in `line`. */
function shellWords(line: string): string[] {
  const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  return stdout.split("\0").slice(0, -1);
}

const word = fc.string({ unit: "grapheme", maxLength: 8 }).filter((text) => !text.includes("\0"));
const HARD = ["'", "''", "a'b", "$(x)", "`x`", "\\", "*", "~", "a\nb", "!", "", "p&q", "</next>"];

Deno.test("a command line names each argument as its command spells it", () => {
  const line = (call: Parameters<typeof commandLine>[0]) => commandLine(call, undefined);
  const slice = { fd: "fd:1", mode: "line" as const, start: 5, count: undefined, number: true };
  assertEquals(line({ command: "read", args: slice }), "fdtool read fd:1 --mode line --start 5 --number");
  assertEquals(
    line({ command: "read", args: { fd: "fd:1", extract_to_new_fd: true } }),
    "fdtool read fd:1 --extract",
  );
  assertEquals(line({ command: "verify", args: { repair: false } }), "fdtool verify --no-repair");
  assertEquals(
    line({ command: "search", args: { fd: "fd:1", pattern: "-x" } }),
    "fdtool search fd:1 --pattern=-x",
  );
});

/** All arguments of the offered commands that may be positional. The type demands each command. */
const POSITIONALS: Record<NamedCall["command"], readonly string[]> = {
  answer: ["inquiry_id"],
  cancel: ["inquiry_id"],
  create: ["path"],
  diff: ["old_fd", "new_fd"],
  // Offered without its argument.
  doctor: [],
  edit: ["path"],
  gc: [],
  help: ["command"],
  inquiries: [],
  log: ["tx"],
  // Offered without its words.
  ls: [],
  plan: ["action", "file"],
  query: ["fd", "filter"],
  read: ["fd"],
  recover: [],
  refs: [],
  search: ["fd", "pattern"],
  stat: ["fd"],
  store: ["action", "url"],
  stop: ["fd"],
  sync: [],
  "to-file": ["fd", "file_path"],
  tools: [],
  undo: ["tx"],
  uninstall: ["harness"],
  verify: [],
  wait: ["fd"],
};

/** Arguments that the usage line calls by another name than the request. */
const USAGE_NAMES: Readonly<Record<string, string>> = { "plan file": "plan", "undo tx": "step" };

Deno.test("a command line has as arguments without a name those that its command takes so", async () => {
  for (const [command, expected] of Object.entries(POSITIONALS)) {
    const { positionals, options } = (await findOperation(command)!.load()).spec;
    const written = (name: string) =>
      callWords({ command, args: { [name]: "x" } } as unknown as NamedCall).length === 2;
    const usage = expected.map((name) => USAGE_NAMES[`${command} ${name}`] ?? dashed(name));
    assertEquals(usage, ["doctor", "ls"].includes(command) ? [] : [...positionals.names ?? []], command);
    assertEquals(expected.filter((name) => !written(name)), [], command);
    const named = Object.keys(options).map((name) => name.replaceAll("-", "_"));
    assertEquals(named.filter((name) => written(name) && !expected.includes(name)), [], command);
  }
});

Deno.test("--store is repeated if it was given, and never after another program's words", () => {
  const read = { command: "read" as const, args: { fd: "fd:1" } };
  assertEquals(commandLine(read, undefined), "fdtool read fd:1");
  assertEquals(commandLine(read, "/a b"), "fdtool read fd:1 --store '/a b'");
  assertEquals(commandLine({ ...read, store: "/b" }, "/a"), "fdtool read fd:1 --store /b");
  assertEquals(commandLine({ words: ["--store", "/a", "ls"] }, "/a"), "fdtool --store /a ls");
  assertEquals(
    commandLine({ words: ["run", "--", "cmd", "--store", "x"] }, "/a"),
    "fdtool run --store /a -- cmd --store x",
  );
});

Deno.test("a shell reads back exactly the words that were written", () => {
  const words = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), 20);
  for (const each of [...words, HARD]) assertEquals(shellWords(shellLine(each)), each);
});

Deno.test("a command with control characters is written without them and has the same words", () => {
  const control = fc.constantFrom(
    "\u001b[2J",
    "\t",
    "\u0007",
    "\u0085",
    "\u2028",
    "\n",
    "%s\r",
    "-\\033",
    "'\u0001'",
  );
  const words = fc.sample(fc.array(fc.tuple(word, control, word), { minLength: 1, maxLength: 3 }), 20);
  for (const parts of words) {
    const each = ["read", ...parts.map((part) => part.join("")), ...HARD];
    const line = commandLine({ words: each }, undefined);
    assertEquals(shellWords(line).slice(1), each);
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/.test(line), JSON.stringify(line));
  }
});

Deno.test("a message writes its calls in the reader's form", () => {
  const message = inSentences(["One.", [{ command: "log", args: {} }, " lists all."]]);
  assertEquals(messageText(message, () => "write_log {}"), "One. write_log {} lists all.");
  assertEquals(messageText(message, () => undefined), "One. fdtool log lists all.");
});

Deno.test("on Windows a word is quoted as cmd.exe and PowerShell both take it", () => {
  const word = (text: string) => shellWord(text, "win32");
  for (const text of ["fd:1", "C:\\Users\\ann\\f.txt", "--start", "a/b"]) assertEquals(word(text), text);
  assertEquals(word("C:\\my files\\f.txt"), '"C:\\my files\\f.txt"');
  assertEquals(word("a|b & (c)"), '"a|b & (c)"');
  assertEquals(word(""), '""');
  assertEquals(word("it's"), `"it's"`);
  // No quotes suit both.
  assertEquals(word(`say "$x's"`), `'say "$x''s"'`);
  assertEquals(word("C:\\my files\\"), "'C:\\my files\\'");
});
