/** Stores what the ends of pipes let only a part of through, and says where it is. */

import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import {
  type FdEntry,
  formatFd,
  locateSlice,
  readSlice,
  readWhole,
  removeFd,
  shareSealed,
  type Store,
} from "../../fd/mod.ts";
import { countLineFeeds, type FdFailure, ifPossible, utf8Text } from "../../fd/system.ts";
import { counted, groupedDigits, linesText, sizeText } from "../answers/parts/grouped_digits.ts";
import { parseCaptureOptions } from "./capture_options.ts";
import { bareLine, ENDINGS, INTO_FILE, WORDS } from "./cut_functions.ts";
import { acceptOutput, endOutput, type OutputResult, outputSink } from "./store_output.ts";
import type { Host } from "../calls/terms/command.ts";

/** A shell that has ended. */
interface EndedShell {
  /** The directory with the copies. */
  directory: string;
  /** The most that one has. */
  copyBytes: number;
  line: string;
  exitCode: number;
  /** How much it wrote, and what, if that is small. */
  byteCount: number;
  output: Uint8Array | undefined;
}

interface Copy {
  byteCount: number;
  program: string;
  /** The lines that the program shows, if its words say how many: the last, or else the first. */
  shows: { lines: number; isEnd: boolean } | undefined;
}

/** Lines about pipes in one answer. */
const MAX_NOTICES = 5;

/** Stores the copies. Only pipes that were cut are stored and reported. */
export async function cutNotices(
  shell: EndedShell,
  host: Host,
): Promise<{ text: string; failures: readonly FdFailure[] }> {
  const lines: string[] = [];
  let failures: readonly FdFailure[] = [];
  const names = ifPossible(() => readdirSync(shell.directory)) ?? [];
  const ids = names.filter((name) => name.endsWith(WORDS)).map((name) =>
    Number(name.slice(0, -WORDS.length))
  );
  let isCut = false;
  for (const id of ids.sort((one, other) => one - other)) {
    const path = join(shell.directory, String(id));
    const byteCount = ifPossible(() => statSync(path).size) ?? 0;
    const words = ifPossible(() => readFileSync(path + WORDS, "utf8"))?.split("\0").slice(0, -1);
    if (words === undefined || byteCount === 0) continue;
    const [into, program = "", ...args] = words;
    const shows = shownLines(program, args);
    const isShownElsewhere = into === INTO_FILE || shell.byteCount >= byteCount;
    if (shows === undefined && isShownElsewhere) continue;
    const result = storeCopy(path, [program, ...args], host);
    if (result?.kind === "failed") failures = result.failures;
    else if (result?.kind === "small") {
      isCut ||= shows === undefined || countLineFeeds(result.bytes) > shows.lines;
    } else if (result !== undefined) {
      const { store } = result;
      const entry = await shareSealed(store, result.entry);
      if (shows === undefined || entry.lineCount > shows.lines) {
        const text = await notice(store, entry, { byteCount, program, shows }, shell);
        if (text !== undefined) lines.push(text);
        else removeFd(store, entry, "nothing that matters was cut away");
      } else removeFd(store, entry, "nothing was cut away");
    }
  }
  const masked = isCut || lines.length > 0 ? maskedFailure(shell) : undefined;
  const rest = lines.splice(MAX_NOTICES).length;
  if (rest > 0) lines.push(`${counted(rest, "more pipe")} were cut: fdtool ls`);
  if (masked !== undefined) lines.push(masked);
  return { text: lines.map((line) => `fdtool: ${line}\n`).join(""), failures };
}

/** How many lines `head` or `tail` shows of a longer input. */
function shownLines(program: string, args: readonly string[]): Copy["shows"] {
  if (program !== "head" && program !== "tail") return undefined;
  const count = /^(?:-n ?|--lines=|-|)(\d*)$/.exec(args.join(" "));
  return count === null ? undefined : { lines: Number(count[1] || 10), isEnd: program === "tail" };
}

/** Undefined if the copy cannot be read. */
function storeCopy(path: string, command: string[], host: Host): OutputResult | undefined {
  return ifPossible(() => {
    const options = parseCaptureOptions("shell", {});
    const written = statSync(path).size >= LARGE_BYTES && !isOpenElsewhere(path) ? path : undefined;
    const origin = { source: "pipe", command, written };
    const sink = outputSink({ options, host, origin, forward: () => true });
    const file = openSync(path, "r");
    try {
      while (sink.failed === undefined) {
        const window = sink.put.window();
        const byteLength = readSync(file, window, 0, window.length, null);
        if (byteLength === 0) break;
        acceptOutput(sink, byteLength);
      }
    } finally {
      closeSync(file);
    }
    return endOutput(sink);
  });
}

/** From so many bytes on, finding out whether a copy is complete costs less than copying it. */
const LARGE_BYTES = 32 * 2 ** 20;

/** Whether a process may still write the file: a pipe in the background outlives its shell. */
function isOpenElsewhere(path: string): boolean {
  return ifPossible(() => {
    const target = realpathSync(path);
    const isOpenIn = (directory: string) =>
      ifPossible(() => readdirSync(directory))?.some((name) =>
        ifPossible(() => readlinkSync(join(directory, name))) === target
      );
    return readdirSync("/proc").some((name) => Number(name) > 0 && isOpenIn(`/proc/${name}/fd`) === true);
  }) !== false;
}

/** Undefined if a few columns were cut out, and nothing that matters with them. */
async function notice(
  store: Store,
  entry: FdEntry,
  copy: Copy,
  { output, copyBytes }: EndedShell,
): Promise<string | undefined> {
  const { program, shows } = copy;
  const fd = formatFd(entry.id);
  const all = linesText(entry.lineCount);
  if (copy.byteCount >= copyBytes) {
    return `${program} read more than ${all}; the first ${sizeText(copyBytes)}: ${fd}`;
  }
  const what = shows === undefined
    ? `${program} read ${all}; all of them: ${fd}`
    : shows.isEnd
    ? `${program} showed ${groupedDigits(shows.lines)} of ${all}; all of them: ${fd}`
    : `${program} showed ${linesText(shows.lines)} and ended; the ${all} that came until then: ${fd}`;
  if (entry.byteCount > MAX_STUDIED_BYTES) return what;
  const textOf = (asked: { mode: "line"; start: number; count: number }) =>
    utf8Text(readWhole(readSlice(store, entry, locateSlice(store, entry, asked))));
  const start = shows?.isEnd ? entry.lineCount - shows.lines + 1 : 1;
  const shown = shows === undefined
    ? output && utf8Text(output)
    : shows.lines === 0
    ? ""
    : textOf({ mode: "line", start, count: shows.lines });
  if (shown === undefined) return what;
  const { failuresIn } = await import("./fd_findings.ts");
  const unseen = failuresIn(store, entry).findings.map(({ line }) => line)
    .filter((line) => !shown.includes(textOf({ mode: "line", start: line, count: 1 }).trimEnd()));
  const [first, last] = [unseen[0], unseen[unseen.length - 1]];
  if (first === undefined || last === undefined) return program === "cut" ? undefined : what;
  const lines = last > first && last - first < MAX_READ_LINES ? `${first}-${last}` : String(first);
  const matter = unseen.length === 1 ? "a line that matters was" : `${unseen.length} lines that matter were`;
  return `${what}; ${matter} not shown: fdtool read ${fd} --lines ${lines}`;
}

const MAX_READ_LINES = 40;

/** Studying takes several times as long as storing, and the caller waits for it. */
const MAX_STUDIED_BYTES = 32 * 2 ** 20;

const SIGPIPE_CODE = 141;

/** The first stage of the last pipe that failed, if the exit code does not tell. */
function maskedFailure({ directory, line, exitCode }: EndedShell): string | undefined {
  if (exitCode !== 0) return undefined;
  const codes = ifPossible(() =>
    readFileSync(join(directory, ENDINGS), "latin1").trim().split(" ").map(Number)
  );
  const at = codes?.findIndex((code) => code !== 0 && code !== SIGPIPE_CODE) ?? -1;
  if (codes === undefined || at < 0 || codes.length < 2) return undefined;
  const stages = bareLine(line).split(/(?<!\|)\|&?(?!\|)/).slice(-codes.length);
  const program = /(?:^|[;&|\n(]|\b(?:then|do|else)\s)\s*(?:\w+=\S*\s+)*([\w./+-]+)[^;&|(){}\n]*$/.exec(
    stages[at] ?? "",
  );
  return `${program === null ? "a command before the pipe's end" : basename(program[1]!)} exited with ${
    codes[at]
  }`;
}
