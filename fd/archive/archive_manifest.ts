/**
 * The manifest of an archive of fds (FORMAT.md, "Archives"): all fields of their records, and the sha-256 of
 * everything in the format of `sha256sum -c`.
 */

import { ifPossible } from "../disk/errors.ts";
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { isName } from "../store/fd_id.ts";
import { MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "../bytes/page_rule.ts";
import { SLICE_MODES } from "../failures.ts";
import { LAST_MOMENT_MS } from "../records/record_line.ts";
import type { TarMember } from "./tar_header.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const moment = v.pipe(count, v.maxValue(LAST_MOMENT_MS));
const text = v.string();
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Signals of all systems: an archive may come from another one. */
const SIGNALS =
  "SIGABRT SIGALRM SIGBREAK SIGBUS SIGCHLD SIGCONT SIGEMT SIGFPE SIGHUP SIGILL SIGINFO SIGINT SIGIO SIGIOT " +
  "SIGKILL SIGLOST SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP " +
  "SIGTSTP SIGTTIN SIGTTOU SIGUNUSED SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ";
const signal = v.picklist(SIGNALS.split(" "));
/** An exit code that a system can give: one byte, or the 32 bits of a status on Windows. */
const exitCode = v.pipe(count, v.check((code) => code < 256 || code >= 2 ** 30 && code < 2 ** 32));

/** Returns the ends of commands that archives may have; others are left out. */
export function archivedEnd(end: { exitCode: number | undefined; signal: string | undefined }) {
  return {
    exit_code: v.is(exitCode, end.exitCode) ? end.exitCode : undefined,
    signal: v.is(signal, end.signal) ? end.signal : undefined,
  };
}

const archivedFd = v.pipe(
  v.strictObject({
    id: v.pipe(count, v.minValue(1), v.maxValue(2 ** 47)),
    bytes: count,
    sha256,
    chars: count,
    line_feeds: count,
    lines: count,
    pages: count,
    page_size: v.pipe(count, v.minValue(MIN_PAGE_SIZE), v.maxValue(MAX_PAGE_SIZE)),
    source: text,
    created: moment,
    ended: v.picklist(["whole", "incomplete"]),
    command: v.optional(v.array(text)),
    cwd: v.optional(text),
    parent: v.optional(v.strictObject({ id: count, mode: v.picklist(SLICE_MODES), start: count, count })),
    gap: v.optional(v.strictObject({ at_byte: count, dropped_bytes: count })),
    exit_code: v.optional(exitCode),
    signal: v.optional(signal),
    duration_ms: v.optional(count),
    names: v.array(v.pipe(text, v.check(isName))),
  }),
  v.check(({ bytes, gap }) => gap === undefined || gap.at_byte <= bytes),
);

const manifest = v.strictObject({
  format: v.literal("fdtool-export"),
  version: v.literal(1),
  exported: moment,
  fds: v.array(archivedFd),
});

/** One fd of an archive. Times in milliseconds since 1970. */
export type ArchivedFd = v.InferOutput<typeof archivedFd>;
export type Manifest = v.InferOutput<typeof manifest>;

/** Directory of all members. */
const DIRECTORY = "fdtool-export";
export const SUMS_NAME = `${DIRECTORY}/SHA256SUMS`;
export const MANIFEST_NAME = `${DIRECTORY}/manifest.json`;

/** Returns the member with an fd's content. */
export function memberOf(fd: ArchivedFd): TarMember {
  return { name: `${DIRECTORY}/fd/${fd.id}`, byteCount: fd.bytes, mtimeSeconds: secondsOf(fd.created) };
}

/** Returns the time of a member, limited to eleven octal digits. */
export function secondsOf(atMs: number): number {
  return Math.min(Math.floor(atMs / 1000), 8 ** 11 - 1);
}

/** Returns the text of the sums: the manifest's, then each fd's, in order. */
export function sumsText({ fds }: Manifest, manifestSha256: string): string {
  return [`${manifestSha256}  manifest.json\n`, ...fds.map((fd) => `${fd.sha256}  fd/${fd.id}\n`)].join("");
}

export function encodeManifest(value: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Decodes the manifest, or returns what is wrong with it. */
export function decodeManifest(bytes: Buffer): Manifest | string {
  const value: unknown = ifPossible(() => JSON.parse(bytes.toString()), SyntaxError);
  if (value === undefined) return "the manifest is not valid JSON";
  const parsed = v.safeParse(manifest, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return `field ${v.getDotPath(issue) ?? "value"} of the manifest is invalid`;
  }
  const ids = parsed.output.fds.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return "the manifest has a duplicate fd";
  return parsed.output;
}
