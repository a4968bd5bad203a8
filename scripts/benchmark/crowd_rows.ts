/** Very many writers and readers of one store at once. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Row, type rowsOf } from "./benchmark_row.ts";
import { fdtoolLine, freshDirectory, type Setting } from "./bench_setting.ts";
import { outputOf, quoted, shell } from "./run_process.ts";

const CROWD = 64;
const LINES_EACH = 2000;

/** The input of the writer with that number. */
export function writtenBy(writer: number): string {
  return Array.from({ length: LINES_EACH }, (_, line) => `writer ${writer} line ${line}\n`).join("");
}

/** Whether `read` is what one writer wrote, or what of it had arrived: a part from its beginning. */
export function isWrittenByOne(read: string): boolean {
  return read === "" || writtenBy(Number(/^writer (\d+)/.exec(read)?.[1])).startsWith(read);
}

/**
 * Captures and reads at once, on a store that already has as many fds. Every capture must have a unique id and all its
 * bytes. A reader reads a sealed fd completely, and then one that may be live: missing, or a prefix of one writer's
 * bytes.
 */
export function* crowdRows(setting: Setting, rows: ReturnType<typeof rowsOf>): Iterable<Row> {
  const store = freshDirectory(setting, "crowd");
  const answers = freshDirectory(setting, "crowd-answers");
  const pathOf = (kind: string, number: number) => join(answers, `${kind}-${number}`);
  const answerOf = (kind: string, number: number) => readFileSync(pathOf(kind, number), "utf8");
  const program = fdtoolLine(setting, store, [
    "capture",
    "--always",
    "--format",
    "json",
    "--preview",
    "none",
  ]);
  const writing = (number: number) => {
    const words =
      `BEGIN { for (line = 0; line < ${LINES_EACH}; line++) print "writer ${number} line " line }`;
    return `awk ${quoted(words)} | ${program} > ${quoted(pathOf("capture", number))}`;
  };
  const reading = (number: number) => {
    const read = fdtoolLine(setting, store, ["read", `fd:${number + 1}`, "--all", "--format", "json"]);
    return `${read} > ${quoted(pathOf("read", number))} 2>&1`;
  };
  const old = Array.from({ length: CROWD }, (_, number) => number);
  const fresh = old.map((number) => CROWD + number);
  outputOf({ command: shell(old.map(writing).join("\n")) });
  const crowd = old.map((number) => {
    return `(${writing(CROWD + number)}) &\n(${reading(number)}; ${reading(CROWD + number)}) &`;
  });
  outputOf({ command: shell(`${crowd.join("\n")}\nwait`) });

  const readOf = (number: number): { content?: string; error?: string } =>
    JSON.parse(answerOf("read", number));
  const early = fresh.map(readOf).filter(({ error }) => error === "not_found").length;
  const wrongReads = old.filter((number) => readOf(number).content !== writtenBy(number)).length +
    fresh.map(readOf).filter(({ content, error }) =>
      content === undefined ? error !== "not_found" : !isWrittenByOne(content)
    ).length;

  const ids = new Set<string>();
  let lost = 0;
  for (const number of [...old, ...fresh]) {
    const { fd }: { fd: string } = JSON.parse(answerOf("capture", number));
    ids.add(fd);
    const line = fdtoolLine(setting, store, ["read", fd, "--all", "--format", "raw"]);
    if (outputOf({ command: shell(line) }) !== writtenBy(number)) lost++;
  }
  const name = (what: string) => `${CROWD} captures, ${CROWD} readers at once: ${what}`;
  yield rows.value(name("ids given twice"), "-", "count", 2 * CROWD - ids.size, atMost(0));
  yield rows.value(name("contents lost"), "-", "count", lost, atMost(0));
  yield rows.value(name("wrong reads"), "-", "count", wrongReads, {
    ...atMost(0),
    note: `of ${2 * CROWD} reads, ${early} came before their fd and said so`,
  });
}
