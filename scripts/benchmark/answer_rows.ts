/** Coloured text, and JSON: what searching, querying and outlining them costs. */

import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Row, rowsOf } from "./benchmark_row.ts";
import { capture, fdtoolCommand, fdtoolLine, freshDirectory, pick, type Setting } from "./bench_setting.ts";
import { measureTurns } from "./measure_turns.ts";
import { outputOf, quoted, shell } from "./run_process.ts";
import { colouredText, jsonItems, writeRepeated } from "./sample_data.ts";

const rows = rowsOf("answer");
const MIB = 1 << 20;

/** Measures them. */
export function* answerRows(setting: Setting): Iterable<Row> {
  yield* colouredRows(setting);
  yield* jsonRows(setting);
}

function* colouredRows(setting: Setting): Iterable<Row> {
  const byteCount = pick(setting, 256, 32) * MIB;
  const path = join(setting.directory, "coloured");
  writeRepeated(path, colouredText(1 << 24), byteCount);
  const store = freshDirectory(setting, "coloured-store");
  capture(setting, store, path);
  const pattern = "^ERROR.*id=12345";
  const peer = `sed 's/\\x1b\\[[0-9;]*m//g' ${quoted(path)} | grep -c ${quoted(pattern)}`;
  yield rows.ratio(
    `search ${byteCount / MIB} MiB of coloured text`,
    "sed | grep -c",
    measureTurns(
      { command: fdtoolCommand(setting, store, ["search", "fd:1", pattern, "--count"]), exitCodes: [0, 1] },
      { command: shell(peer), exitCodes: [0, 1] },
      pick(setting, 9, 3),
    ),
    atMost(0.8, 0.3),
  );
  rmSync(path);
  rmSync(store, { recursive: true });
}

function* jsonRows(setting: Setting): Iterable<Row> {
  const itemCount = pick(setting, 520_000, 50_000);
  const document = join(setting.directory, "document.json");
  const lines = join(setting.directory, "lines.json");
  const items = jsonItems(itemCount);
  writeFileSync(document, `[${items.join(",\n")}]\n`);
  writeFileSync(lines, `${items.join("\n")}\n`);
  const store = freshDirectory(setting, "json-store");
  capture(setting, store, document);
  capture(setting, store, lines);
  const size = `${Math.round(Buffer.byteLength(items.join("\n")) / 1e6)} MB`;
  const jq = jqVersion();
  const filters = [
    ["one document", "fd:1", document, '[.[] | select(.status == "failed") | .id] | length'],
    ["JSON lines", "fd:2", lines, 'select(.status == "failed") | .id'],
  ] as const;
  for (const [what, fd, path, filter] of filters) {
    const name = `query ${size}, ${what}`;
    if (jq === undefined) yield rows.value(name, "jq", "x", undefined, { ...atMost(4, 2), note: "needs jq" });
    else {
      const ours = { command: fdtoolCommand(setting, store, ["query", fd, filter]) };
      const theirs = { command: ["jq", "-c", filter, path] };
      yield rows.ratio(name, jq, measureTurns(ours, theirs, pick(setting, 7, 3)), atMost(4, 2));
    }
  }
  rmSync(store, { recursive: true });

  const small = join(setting.directory, "small.json");
  writeFileSync(small, JSON.stringify({ items: JSON.parse(`[${jsonItems(15_000).join(",")}]`) }));
  const line = fdtoolLine(setting, freshDirectory(setting, "outline"), ["capture"]);
  const { length } = outputOf({ command: shell(`${line} < ${quoted(small)}`) });
  yield rows.value("chars of the first answer to 3 MB of JSON", "-", "count", length, atMost(1500, 800));
}

/** jq's name and version; undefined if it is not installed. */
function jqVersion(): string | undefined {
  const { status, stdout } = spawnSync("jq", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
