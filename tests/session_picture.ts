/** A session at a real pseudo-terminal, as a picture (SVG): what was typed and shown, in the colours that a terminal shows. */

import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { textCells } from "../src/answers/screen/char_width.ts";
import { bytesShown } from "./pseudo_terminal.ts";
import { CHECKOUT, makeWorld } from "./world.ts";

const COLUMNS = 96;
const CELL_WIDTH = 8.4;
const ROW_HEIGHT = 19;
const MARGIN = 16;

/** A recorded output of `cargo build`: 5,408 lines, in which one name is wrong. */
const RECORDED = join(CHECKOUT, "scripts", "corpus", "outputs", "cargo-build-unknown-name-one-job.gz");

const LINES = [
  "cargo build 2>&1 | fdtool capture --preview-chars 1000",
  "fdtool read fd:1 --lines 746-750",
  "fdtool edit src/lib.rs --old 'tarif +' --new 'tariff +'",
  "fdtool undo",
];

/** Text that a slow machine shows for a while, and wipes. */
const PROGRESS = /[^\n]*\r/g;

/** Runs the session, and draws it. `cargo` prints what was recorded of it. */
export async function sessionPicture(): Promise<string> {
  using world = makeWorld();
  world.write("cargo.log", new TextDecoder().decode(gunzipSync(Deno.readFileSync(RECORDED))));
  world.write(
    "src/lib.rs",
    "pub fn account(base: i64, tariff: i64) -> i64 {\n    (base) * tarif + tariff\n}\n",
  );
  world.write("bin/cargo", "#!/bin/sh\ncat cargo.log\n");
  Deno.chmodSync(world.path("bin/cargo"), 0o755);
  const env = { TERM: "xterm-256color", FDTOOL_PAGER: "cat" };
  const rows: string[] = [];
  for (const line of LINES) {
    const typed = `stty cols ${COLUMNS} rows 24; PATH="$PWD/bin:$PATH"; ${line}`;
    const shown = new TextDecoder().decode(await bytesShown(world, typed, env)).replaceAll(world.dir, "~")
      .replaceAll(PROGRESS, "");
    rows.push(`\x1b[1m$ ${line}\x1b[m`, ...shown.trimEnd().split("\n").flatMap(wrapped), "");
  }
  return drawn(rows.slice(0, -1));
}

/** A sequence that sets colours. */
// deno-lint-ignore no-control-regex
const STYLE = /\x1b\[([\d;]*)m/;

/** The rows of a terminal that a line takes. */
function wrapped(line: string): string[] {
  const rows = [""];
  let cells = 0;
  for (const part of line.split(new RegExp(`(${STYLE.source.replace(/\(.*\)/, "[\\d;]*")})`))) {
    if (STYLE.test(part)) rows.push(rows.pop() + part);
    else {
      for (const char of part.replaceAll("\t", "        ")) {
        if (cells + textCells(char) > COLUMNS) [cells] = [0, rows.push("")];
        rows.push(rows.pop() + char);
        cells += textCells(char);
      }
    }
  }
  return rows;
}

/** The classes of style by the number that sets it. */
const CLASSES: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
};

function drawn(rows: readonly string[]): string {
  const [width, height] = [COLUMNS * CELL_WIDTH + 2 * MARGIN, rows.length * ROW_HEIGHT + 2 * MARGIN];
  const texts = rows.map((row, at) =>
    `<text x="${MARGIN}" y="${MARGIN + (at + 1) * ROW_HEIGHT - 5}">${spansOf(row)}</text>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>A session at a terminal: fdtool captures the output of cargo build, finds the error, edits and undoes</title>
<style>
text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #d7dae0 }
.bold { font-weight: bold; fill: #ffffff } .dim { fill: #8b93a1 } .red { fill: #ff7b85 } .green { fill: #8fd18a }
.yellow { fill: #e8c36a } .blue { fill: #7fb4f5 } .magenta { fill: #d79bf0 } .cyan { fill: #6fd0d6 }
</style>
<rect width="100%" height="100%" rx="8" fill="#1d2026"/>
${texts.join("\n")}
</svg>
`;
}

function spansOf(row: string): string {
  const [first = "", ...rest] = row.split(STYLE);
  let spans = escaped(first);
  let style = new Set<string>();
  for (let at = 0; at < rest.length; at += 2) {
    for (const code of rest[at]!.split(";")) {
      const name = CLASSES[code];
      if (name === undefined) style = new Set();
      else style.add(name);
    }
    const text = escaped(rest[at + 1]!);
    if (text !== "") {
      spans += style.size === 0 ? text : `<tspan class="${[...style].join(" ")}">${text}</tspan>`;
    }
  }
  return spans;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
