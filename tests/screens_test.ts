/**
 * The screens of a person at a terminal, whole: each file in `tests/screens/` has the lines typed and everything that a
 * real pseudo-terminal of that width was sent. With `FDTOOL_UPDATE_GOLDEN=1` a difference rewrites the file: look at it
 * before you commit it. In files with colours, ESC is shown as `␛`.
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { textCells } from "../src/answers/screen/char_width.ts";
import { bytesShown, whyNoTerminal } from "./pseudo_terminal.ts";
import { CHECKOUT, makeWorld, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();
const DIRECTORY = join(CHECKOUT, "tests", "screens");
const updating = Deno.env.get("FDTOOL_UPDATE_GOLDEN") === "1";

const LOG = [
  "Compiling parser v0.3.1",
  "warning: unused variable `depth`",
  "Compiling 日本語 v1.0.0 ✅",
  "error: expected `;`, found `}`",
  "  --> src/parser.rs:41:7",
  "Compiling lexer v0.2.0",
  "error: could not compile `parser`",
  "",
].join("\n");

/** Lines that end the world's preparation; their output is not shown. */
const PREPARATION: readonly string[] = [
  "fdtool run --always --name build -- sh -c 'cat log; exit 101'",
  "fdtool run --always -- sh -c 'grep -v lexer log'",
  "fdtool capture --always --source 日本語のとても長い名前の出力です <notes.txt",
  "fdtool edit notes.txt --old two --new 2",
  "fdtool to-file fd:1 日本/メモ.txt",
  "fdtool create notes.txt",
];

/** Lines whose tables have to fit the width. */
const TABLES: readonly string[] = ["fdtool ls", "fdtool refs", "fdtool log", "fdtool inquiries"];

const LINES: readonly string[] = [
  ...TABLES,
  "fdtool stat fd:1",
  "fdtool read ref:build --max-chars 60",
  "fdtool read fd:1",
  "fdtool read fd:1 --lines 2-4 --number",
  "fdtool search fd:1 error -C 1",
  "fdtool search fd:1 '[cC]ompil[a-z]+' -m 1",
  "fdtool search --all-fds error",
  "fdtool search fd:1 -o -i '[a-z]+ `?lexer'",
  "fdtool search fd:1 nothing",
  "fdtool diff fd:1 fd:2",
  "fdtool diff fd:1 fd:1",
  "fdtool edit notes.txt --old three --new 3 --dry-run",
  "fdtool edit notes.txt --old three --new 3",
  "fdtool undo",
  "fdtool to-file fd:1 notes.txt",
  "fdtool count notes.txt",
  "fdtool run --always --preview-chars 60 -- sh -c 'cat log log; exit 1'",
  "fdtool name fd:1 first",
  "fdtool rm fd:2",
  "fdtool ls --removed",
  "fdtool read fd:99",
  "fdtool read fd:1 --start 9",
  "fdtool lss",
];

/** Ages are shown as `now` this long; a world that took longer is made again. */
const NOW_MS = 55_000;

interface Screen {
  line: string;
  shown: string;
}

/** Runs all lines in a world of their own. */
async function screens(env: Readonly<Record<string, string>>, columns: number): Promise<Screen[]> {
  for (;;) {
    const startedAt = performance.now();
    using world = makeWorld();
    world.write("log", LOG);
    world.write("notes.txt", "one\ntwo\nthree\n");
    for (const line of PREPARATION) await world.shell(line);
    const shown: Screen[] = [];
    for (const line of LINES) shown.push({ line, shown: await screenOf(world, line, env, columns) });
    if (performance.now() - startedAt < NOW_MS) return shown;
  }
}

async function screenOf(
  world: World,
  line: string,
  env: Readonly<Record<string, string>>,
  columns: number,
): Promise<string> {
  const script = `stty cols ${columns} rows 24; ${line}; code=$?; test $code = 0 || echo "[exit $code]"`;
  const bytes = await bytesShown(world, script, { FDTOOL_PAGER: "cat", TZ: "UTC", ...env });
  return new TextDecoder().decode(bytes)
    // How far slow work is, in a line that is wiped.
    .replace(/[^\n]*\r/g, "")
    .replaceAll(world.dir, "$WORK")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "2026-11-23 12:34:56")
    .replace(/\b(?:\d+ ms|\d+\.\d s)\b/g, "12 ms");
}

function goldenText(all: readonly Screen[]): string {
  return all.map(({ line, shown }) => `$ ${line}\n${shown.replaceAll("\x1b", "␛")}`).join("\n");
}

for (const columns of [40, 80, 140]) {
  for (const isColored of [false, true]) {
    if (columns === 40 && isColored) continue;
    const name = `${columns}-columns${isColored ? "-colour" : ""}.txt`;
    Deno.test({
      name: `screens: ${name}${WHY_NOT === undefined ? "" : ` (skipped: ${WHY_NOT})`}`,
      ignore: WHY_NOT !== undefined,
      async fn() {
        const env = isColored ? { TERM: "xterm-256color" } : { TERM: "xterm-256color", NO_COLOR: "1" };
        const all = await screens(env, columns);
        for (const { line, shown } of all) {
          assertEquals(shown.includes("\x1b"), isColored && shown.includes("\x1b"), line);
          if (TABLES.includes(line)) assertFits(shown, columns, line);
        }
        const path = join(DIRECTORY, name);
        const text = goldenText(all);
        if (updating) Deno.writeTextFileSync(path, text);
        else assertEquals(text, Deno.readTextFileSync(path));
      },
    });
  }
}

/** Asserts that no row of a table wraps. Messages and commands below it may. */
function assertFits(shown: string, columns: number, line: string): void {
  const end = /^(?:next: |Showing )/m.exec(shown)?.index ?? shown.length;
  for (const row of shown.slice(0, end).split("\n")) {
    // deno-lint-ignore no-control-regex
    const cells = textCells(row.replace(/\x1b\[[\d;]*m/g, ""));
    assert(cells <= columns, `${line}: ${cells} cells in ${row}`);
  }
}
