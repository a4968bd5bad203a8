/**
 * `diff`: what changed between two fds, such as two runs of a command, as unified hunks with the line numbers of both.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  boundSlice,
  type ByteSource,
  type FdEntry,
  findFd,
  formatFd,
  locateSlice,
  readSlice,
  type Store,
} from "../../fd/mod.ts";
import type { FdDiff } from "../answers.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../command.ts";
import { compareFds, type Differences } from "../comparing/compare_fds.ts";
import { type Ignored, withoutIgnored } from "../comparing/ignored_text.ts";
import { keepDiff, type KeptDiff } from "../comparing/keep_diff.ts";
import { MAX_CONTEXT } from "../requests/max_context.ts";
import { missingFields, missingSentences } from "../missing_remark.ts";
import { callWords } from "../next_command.ts";
import { openHostStore } from "../open_host_store.ts";
import type { DiffRequest } from "../requests/diff_request.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { failUsage } from "../usage_failure.ts";

const DEFAULT_CONTEXT = 3;
const DEFAULT_CHARS = 8000;
/** So much of a diff is looked at for times. */
const HINT_BYTES = 4096;

const spec: CommandSpec = {
  name: "diff",
  aliases: ["diff_fds", "diff_fd"],
  summary: "what changed between two fds, with the line numbers of both",
  usage: "OLD_FD NEW_FD [options]",
  positionals: { least: 2, most: 2, names: ["old-fd", "new-fd"] },
  options: {
    context: {
      kind: "integer",
      short: "C",
      value: "N",
      aliases: ["unified"],
      help: `show N lines around each change (default ${DEFAULT_CONTEXT})`,
    },
    "ignore-times": {
      kind: "flag",
      short: "t",
      help: "dates, times of day, durations and epoch numbers do not count",
    },
    "ignore-addresses": { kind: "flag", help: "addresses in memory (0x7ffe…) do not count" },
    "ignore-space": {
      kind: "flag",
      short: "b",
      aliases: ["ignore-space-change"],
      help: "how much white space there is does not count, nor any at the ends of lines",
    },
    "ignore-case": { kind: "flag", short: "i", help: "upper and lower case do not count" },
    "max-chars": {
      kind: "integer",
      value: "N",
      help:
        `show at most N chars (default ${DEFAULT_CHARS}); a longer diff becomes an fd. raw writes all of it`,
    },
  },
  example: "fdtool diff fd:12 fd:15 --ignore-times",
  exitCodes: [[0, "no difference"], [1, "they differ, or refused or failed (see stderr)"], [2, "wrong call"]],
};

/** The parsed call as a request. */
function diffRequestOf({ positionals, options }: CommandCall): DiffRequest {
  const flag = (name: string) => options[name] as boolean | undefined;
  const number = (name: string) => options[name] as number | undefined;
  return {
    old_fd: positionals[0]!,
    new_fd: positionals[1]!,
    context: number("context"),
    ignore_times: flag("ignore-times"),
    ignore_addresses: flag("ignore-addresses"),
    ignore_space: flag("ignore-space"),
    ignore_case: flag("ignore-case"),
    max_chars: number("max-chars"),
  };
}

function checkRequest({ context, max_chars: maxChars }: DiffRequest): void {
  const refuse = (option: string, got: number, wanted: string) =>
    failUsage({ kind: "bad_value", command: spec.name, option, got: String(got), wanted });
  if (context !== undefined && (context < 0 || context > MAX_CONTEXT)) {
    refuse("--context", context, `0 to ${MAX_CONTEXT} lines; read shows more`);
  }
  if (maxChars !== undefined && maxChars < 1) refuse("--max-chars", maxChars, "at least 1");
}

/**
 * Answers a diff. `checkpoint` is called now and then.
 *
 * Throws `not_found`, `removed`, `invalid_parameter`, `store_corrupt`, and, for a diff that becomes an fd, what storing
 * throws.
 */
export async function diffAnswer(
  store: Store,
  request: DiffRequest,
  checkpoint?: Host["checkpoint"],
): Promise<FdDiff> {
  checkRequest(request);
  const before = findFd(store, request.old_fd);
  const after = findFd(store, request.new_fd);
  const ignored: Ignored = {
    times: request.ignore_times === true,
    addresses: request.ignore_addresses === true,
    space: request.ignore_space === true,
    case: request.ignore_case === true,
  };
  const keeper = keepDiff(store, { source: "diff", command: diffWords(before, after, request), maxBytes: 0 });
  const comparison = { contextLines: request.context ?? DEFAULT_CONTEXT, ignored };
  const totalBytes = before.byteCount + after.byteCount;
  let found: Differences;
  let kept: KeptDiff;
  try {
    found = await compareFds(store, before, after, comparison, keeper.write, async (readBytes) => {
      await checkpoint?.(readBytes, totalBytes);
    });
    kept = keeper.end(request.max_chars ?? DEFAULT_CHARS);
  } catch (thrown) {
    keeper.abandon();
    throw thrown;
  }
  return answerOf(store, { before, after, request, ignored, found, kept });
}

/** The call that makes the diff again: its fd remembers it. */
function diffWords(before: FdEntry, after: FdEntry, request: DiffRequest): string[] {
  const { max_chars: _, ...args } = request;
  const fds = { old_fd: formatFd(before.id), new_fd: formatFd(after.id) };
  return ["fdtool", ...callWords({ command: "diff", args: { ...args, ...fds } })];
}

interface Compared {
  before: FdEntry;
  after: FdEntry;
  request: DiffRequest;
  ignored: Ignored;
  found: Differences;
  kept: KeptDiff;
}

function answerOf(store: Store, compared: Compared): FdDiff {
  const { before, after, ignored, found, kept } = compared;
  const isSame = found.hunkCount === 0;
  const names = (Object.keys(ignored) as (keyof Ignored)[]).filter((name) => ignored[name]);
  const maxChars = compared.request.max_chars ?? DEFAULT_CHARS;
  const view = kept.entry === undefined ? undefined : viewOf(store, kept.entry, maxChars);
  const sentences = [
    isSame ? sameSentence(compared, names) : countsSentence(compared, names),
    ...(found.isCoarse ? ["The diff is right, but a shorter one may exist."] : []),
    ...(isSame ? [] : timesHint(compared)),
    ...new Set(
      [before, after].flatMap((entry) =>
        missingSentences(formatFd(entry.id), missingFields(entry), entry.byteCount)
      ),
    ),
    ...(view === undefined || kept.entry === undefined ? [] : [
      `Showing ${view.part} of the diff; all of it is ${formatFd(kept.entry.id)}.`,
    ]),
  ];
  return {
    type: "fd_diff",
    old_fd: formatFd(before.id),
    new_fd: formatFd(after.id),
    identical: isSame,
    hunks: found.hunkCount,
    lines_added: found.addedCount,
    lines_removed: found.removedCount,
    old_total_lines: before.lineCount,
    new_total_lines: after.lineCount,
    ignored: names.length === 0 ? undefined : names,
    coarse: found.isCoarse ? true : undefined,
    diff_fd: kept.entry === undefined ? undefined : formatFd(kept.entry.id),
    shown_lines: view?.shownLines,
    diff_lines: kept.entry?.lineCount,
    message: sentences.join(" "),
    next: view?.readOn && { command: "read", args: view.readOn },
    diff: isSame ? undefined : view?.shown ?? kept.whole,
    whole: isSame ? undefined : kept.whole,
  };
}

/** The beginning of a diff that is an fd, and the slice that goes on. */
function viewOf(
  store: Store,
  entry: FdEntry,
  maxChars: number,
): { shown: ByteSource; shownLines: number; part: string; readOn: ReadRequest | undefined } {
  const whole = locateSlice(store, entry, { mode: "line", start: 1, count: entry.lineCount });
  const bound = boundSlice(store, entry, whole, maxChars);
  const slice = bound?.slice ?? whole;
  const { rest } = bound ?? {};
  return {
    shown: readSlice(store, entry, slice),
    shownLines: slice.lastLine,
    part: bound?.rest.mode === "char"
      ? `the first ${bound.charCount} of ${entry.charCount} chars`
      : `${slice.lastLine} of ${entry.lineCount} lines`,
    readOn: rest && { fd: formatFd(entry.id), ...rest, max_chars: maxChars },
  };
}

function sameSentence({ before, after }: Compared, ignored: readonly string[]): string {
  const but = ignored.length === 0 ? "" : `, ${ignored.join(" and ")} left out`;
  return `${formatFd(before.id)} and ${formatFd(after.id)} are the same${but}.`;
}

function countsSentence({ before, after, found }: Compared, ignored: readonly string[]): string {
  const but = ignored.length === 0 ? "" : `, ${ignored.join(" and ")} left out`;
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return `From ${formatFd(before.id)} to ${formatFd(after.id)}: ${count(found.addedCount, "line")} added, ` +
    `${found.removedCount} removed, in ${count(found.hunkCount, "hunk")}${but}.`;
}

/** Two logs that differ nearly everywhere often differ in their times only. */
function timesHint({ before, after, ignored, found, kept }: Compared): string[] {
  const isMost = found.removedCount * 2 > before.lineCount && found.addedCount * 2 > after.lineCount;
  if (ignored.times || !isMost) return [];
  for (const chunk of kept.whole.chunks()) {
    const head = Buffer.from(chunk.subarray(0, HINT_BYTES)).toString("latin1");
    const hasTimes = withoutIgnored(head, { ...ignored, times: true }) !== withoutIgnored(head, ignored);
    return hasTimes ? ["If that is only times and durations, use --ignore-times."] : [];
  }
  return [];
}

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const answer = await diffAnswer(openHostStore(host), diffRequestOf(call));
    return { exitCode: answer.identical ? 0 : 1, answer };
  },
};
