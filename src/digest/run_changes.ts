/**
 * Compares a run of a command with the one before (contract, Capturing): the same content, or which findings are gone, new
 * and still there. A finding is what its line says: line numbers, order, times, durations, addresses and temporary names do
 * not count.
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  openContent,
  readSlice,
  readWhole,
  type Store,
} from "../../fd/mod.ts";
import { cleanBytes, FdError, utf8Bytes, utf8Text } from "../../fd/system.ts";
import { NOTHING_IGNORED, VOLATILE, withoutIgnored } from "../comparing/ignored_text.ts";
import type { PreviewPart } from "../terms/answers.ts";
import { READ_LINES } from "./digest_preview.ts";
import { judgeLine, SIGN_HASHES } from "./failure_signs.ts";
import { newLineScan, scanLine } from "./scan_line.ts";

/** A finding. */
interface Said {
  line: number;
  text: string;
}

/** The run before, and what changed since. */
export interface RunChange {
  /** `fd:N` of the run before. */
  since: string;
  /** How long before it ran, such as `4 min ago`. */
  ago: string;
  /** Undefined if the contents are equal. */
  changed?: ChangedFindings | undefined;
}

export interface ChangedFindings {
  gone: readonly Said[];
  fresh: readonly Said[];
  stillCount: number;
}

/** In content of more bytes, or with more findings, findings are not compared. */
const MAX_COMPARED_BYTES = 8 * 2 ** 20;
const MAX_FINDINGS = 2000;

/** The strength from which on a line reports a failure. */
const MIN_STRENGTH = 30;

/** Compares `entry` with the run before; undefined if there is none, or one of the two is not whole. */
export function changeSince(store: Store, entry: FdEntry, nowMs: number): RunChange | undefined {
  const before = runBefore(store, entry);
  if (before === undefined) return undefined;
  try {
    const change = { since: formatFd(before.id), ago: agoOf(nowMs - before.createdMs) };
    if (haveSameContent(store, before, entry)) return change;
    const [then, now] = [findingsIn(store, before), findingsIn(store, entry)];
    if (then === undefined || now === undefined) return { ...change, changed: NOTHING_FOUND };
    const gone = [...then].filter(([saying]) => !now.has(saying)).map(([, said]) => said);
    const fresh = [...now].filter(([saying]) => !then.has(saying)).map(([, said]) => said);
    return { ...change, changed: { gone, fresh, stillCount: now.size - fresh.length } };
  } catch (thrown) {
    // What is damaged is not compared.
    if (!(thrown instanceof FdError)) throw thrown;
    return undefined;
  }
}

const NOTHING_FOUND: ChangedFindings = { gone: [], fresh: [], stillCount: 0 };

function runBefore(store: Store, { before, state }: FdEntry): FdEntry | undefined {
  if (before === undefined || state !== "sealed") return undefined;
  try {
    const entry = findFd(store, formatFd(before));
    return entry.state === "sealed" ? entry : undefined;
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return undefined;
  }
}

function haveSameContent(store: Store, one: FdEntry, other: FdEntry): boolean {
  if (one.byteCount !== other.byteCount || one.sum !== other.sum) return false;
  const [first, second] = [openContent(store, one), openContent(store, other)];
  try {
    for (let block = 0; block < first.index.blockCount; block++) {
      if (!Buffer.from(first.block(block)).equals(second.block(block))) return false;
    }
    return true;
  } finally {
    first.close();
    second.close();
  }
}

/** A place in a file: `:12`, `:12:34`, `(12,34)`, `line 12`. */
const PLACE = /(?<=[\w)\]"'`]):\d+(?::\d+)?\b|\(\d+(?:,\s?\d+)?\)|\bline \d+\b/g;

/** The findings by what they say, each with its first line; undefined if they are too many to be compared. */
function findingsIn(store: Store, entry: FdEntry): Map<string, Said> | undefined {
  if (entry.byteCount > MAX_COMPARED_BYTES) return undefined;
  const findings = new Map<string, Said>();
  const bytes = cleanBytes(readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount })));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const scan = newLineScan();
  for (let line = 1, from = 0; from < text.length; line++) {
    const lineFeed = text.indexOf("\n", from);
    const to = lineFeed < 0 ? text.length : lineFeed;
    scanLine(bytes, from, to, SIGN_HASHES, scan);
    if ((scan.signCount > 0 || scan.isPlace) && judgeLine(text, from, to, scan).strength >= MIN_STRENGTH) {
      const said = { line, text: utf8Text(bytes.subarray(from, to)) };
      const saying = withoutIgnored(said.text, IGNORED).replace(PLACE, "");
      if (!findings.has(saying)) findings.set(saying, said);
      if (findings.size > MAX_FINDINGS) return undefined;
    }
    from = to + 1;
  }
  return findings;
}

const IGNORED = { ...NOTHING_IGNORED, ...VOLATILE, space: true };

/** Findings that are shown of each kind, and the chars of each. */
const MAX_SHOWN = 8;
const MAX_SHOWN_CHARS = 160;

/** The part of a preview that shows what changed; undefined if no finding did. */
export function changePart({ fresh, gone }: ChangedFindings): PreviewPart | undefined {
  const rows = (what: string, all: readonly Said[]) => [
    ...all.slice(0, MAX_SHOWN).map(({ line, text }) => `${what} ${line}:${text.slice(0, MAX_SHOWN_CHARS)}`),
    ...(all.length > MAX_SHOWN ? [`${what} and ${all.length - MAX_SHOWN} more`] : []),
  ];
  const lines = [...rows("new ", fresh), ...rows("gone", gone)];
  if (lines.length === 0) return undefined;
  const body = cleanBytes(utf8Bytes(`${lines.join("\n")}\n`));
  return { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
}

/** The sentence about a change. */
export function changeSentence({ since, ago, changed }: RunChange, fd: string): string {
  if (changed === undefined) return `The same as ${since}, ${ago}.`;
  const { gone, fresh, stillCount } = changed;
  if (gone.length + fresh.length + stillCount === 0) {
    return `It differs from ${since}, ${ago}: fdtool diff ${since} ${fd}.`;
  }
  const of = gone.length + stillCount;
  return `Since ${since}, ${ago}: ${gone.length} of ${of} findings gone, ${fresh.length} new, ${stillCount} left; all changes: fdtool diff ${since} ${fd}.`;
}

/** The lines to read next: those around the first new finding. */
export function readChange({ fresh: [first] }: ChangedFindings) {
  return first &&
    { mode: "line", start: Math.max(1, first.line - READ_LINES / 4), count: READ_LINES } as const;
}

/** `4 min ago`. */
function agoOf(ms: number): string {
  const [count, unit] = ms < 60_000
    ? [ms / 1000, "s"]
    : ms < 3_600_000
    ? [ms / 60_000, "min"]
    : ms < 172_800_000
    ? [ms / 3_600_000, "h"]
    : [ms / 86_400_000, "days"];
  return `${Math.max(1, Math.round(count))} ${unit} ago`;
}
