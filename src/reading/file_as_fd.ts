/**
 * Files where an fd is expected (contract, The store): what is read is stored as an fd first, once while the file stays the
 * same, and the answer names it.
 */

import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import {
  deferPut,
  digestFd,
  type FdEntry,
  findFd,
  formatFd,
  giveUpPut,
  highestId,
  lastRun,
  namedId,
  noteRun,
  parseFdArgument,
  prepareFd,
  putRest,
  runName,
  sha256Of,
  shareSealed,
  type Store,
} from "../../fd/mod.ts";
import { closeReader, disk, FdError, ifPossible } from "../../fd/system.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import type { RequestFields } from "../calls/requests/request_fields.ts";
import { placeIn } from "../calls/requests/requested_slice.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";
import type { FramedAnswer } from "../calls/terms/answers.ts";
import { type Host, type Outcome, runsUnasked } from "../calls/terms/command.ts";
import type { NamedCall } from "../calls/terms/next_call.ts";
import { fileContent } from "../writing/commit/present_file.ts";
import { resolveInRoot } from "../writing/commit/target_path.ts";
import { meantFile } from "../writing/commit/target_path.ts";
import { openInside } from "../writing/commit/open_inside.ts";

/**
 * `answer`, with the files that the request has in fields of `fields` that take one stored as fds.
 *
 * @throws {FdError} `not_regular`, `permission_error`, `outside_root` and the like for the file, and those of storing;
 * {@link UsageError} for a word that is neither an fd nor a file, and for a file where `command` may run unasked.
 */
export function takingFiles<Request extends object>(
  command: NamedCall["command"] | "count",
  fields: RequestFields,
  answer: (request: Request, host: Host) => Promise<Outcome>,
): (request: Request, host: Host) => Promise<Outcome> {
  return async (request, host) => {
    let given = request;
    const sentences: string[] = [];
    for (const [name, field] of Object.entries(fields)) {
      const word = (request as Readonly<Record<string, unknown>>)[name];
      if (field.kind !== "fd" || field.orFile !== true || typeof word !== "string") continue;
      const corrected = (path: string) => ({ command, args: { ...request, [name]: path } });
      const stored = await fileNamed(word, command, host, corrected);
      if (stored === undefined) continue;
      given = { ...given, [name]: stored.fd };
      sentences.push(stored.sentence);
    }
    return withSentences(await answer(given, host), sentences, host);
  };
}

/** The file that `word` names, stored; undefined if `word` is an fd. `corrected` makes the call with another file. */
async function fileNamed(
  word: string,
  command: string,
  host: Host,
  corrected: (path: string) => { command: string; args: object },
) {
  const store = openHostStore(host);
  const isHandle = (each: string) =>
    parseFdArgument(each) !== undefined || namedId(store, each) !== undefined;
  // A link that leads nowhere exists: reading it says so, and it is not the nearest file to itself.
  const exists = (path: string) => ifPossible(() => lstatSync(resolve(host.cwd, path))) !== undefined;
  await prepareFd(store, word);
  if (/^(?:fd|ref):/.test(word) || isHandle(word)) return undefined;
  // `build.log:36`, as compilers and grep write it.
  const place = command === "read" && !exists(word) ? placeIn(word) : undefined;
  const path = place?.fd ?? word;
  if (place !== undefined && isHandle(path)) return undefined;
  if (!exists(path)) {
    if (runsUnasked(command, host.env)) return undefined;
    const nearest = meantFile(path, host);
    const next = nearest === undefined ? undefined : corrected(nearest);
    return failUsage({ kind: "no_fd_or_file", got: path, highestId: highestId(store), nearest, next });
  }
  if (runsUnasked(command, host.env)) return failUsage({ kind: "file_for_fd", path, unasked: command });
  const { fd, sentence } = await storeFile(path, host);
  return { fd: place === undefined ? fd : `${fd}:${place.line}`, sentence };
}

/** The outcome with `sentences` before its message. Raw has only content. */
export function withSentences(outcome: Outcome, sentences: readonly string[], { isRaw }: Host): Outcome {
  const { answer } = outcome;
  if (sentences.length === 0 || isRaw === true || answer === undefined || answer.type === "pass_through") {
    return outcome;
  }
  const message = "message" in answer && answer.message !== undefined ? [answer.message] : [];
  return {
    ...outcome,
    answer: { ...answer, message: inSentences([...sentences, ...message]) } as FramedAnswer,
  };
}

/** The bytes of a file between two checkpoints. */
export const CHECKPOINT_BYTES = 8_388_608;

/**
 * How long ago a file must have changed, when it was stored, for its times to show that it is the same: file systems note
 * them in steps, and those of mapped memory late.
 */
const SETTLED_MS = 60_000;

/**
 * Stores the file at `word`, as it is now, unless an fd has it. Bytes that are appended meanwhile are left out.
 *
 * @throws {FdError} as {@link takingFiles}.
 */
export async function storeFile(word: string, host: Host) {
  const store = openHostStore(host);
  const path = resolveInRoot(word, host, "read");
  const file = openInside(path, word, host);
  try {
    const stamp = stampOf(file);
    const noted = stamp.byteCount === 0 ? undefined : await notedFd(store, [stamp.text], path);
    let entry = noted?.byteCount === stamp.byteCount ? noted : undefined;
    let isSame = true;
    if (entry === undefined) {
      entry = await sameFd(store, path, word, stamp, host) ??
        await shareSealed(store, await putOpen(store, file, word, stamp, host));
      isSame = stampOf(file).text === stamp.text;
      note(store, [], path, entry);
      const isSettled = Date.now() - stamp.changedMs >= SETTLED_MS;
      if (isSame && isSettled && entry.byteCount === stamp.byteCount) note(store, [stamp.text], path, entry);
    }
    const fd = formatFd(entry.id);
    return { fd, sentence: `${word} was stored as ${fd}${isSame ? "" : ", and changed meanwhile"}.` };
  } finally {
    closeReader(file);
  }
}

type Stamp = ReturnType<typeof stampOf>;

/** The identity, size and times of an open file. */
function stampOf(file: number) {
  const { dev, ino, size, mtimeNs, ctimeNs } = disk.fstat(file, { bigint: true });
  const changedNs = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return {
    byteCount: Number(size),
    // Those of /proc say that they are empty.
    mostBytes: Number(size) || Infinity,
    changedMs: Number(changedNs / 1_000_000n),
    text: [dev, ino, size, mtimeNs, ctimeNs].join(" "),
  };
}

/** The newest fd of the file, if it has the same content. */
async function sameFd(
  store: Store,
  path: string,
  word: string,
  stamp: Stamp,
  host: Host,
): Promise<FdEntry | undefined> {
  const { byteCount, mostBytes } = stamp;
  const entry = await notedFd(store, [], path);
  if (entry === undefined || byteCount !== 0 && entry.byteCount !== byteCount) return undefined;
  try {
    const sha256 = await sha256Of(fileContent(path, word, host, mostBytes).chunks());
    return sha256 === await digestFd(store, entry) ? entry : undefined;
  } catch (thrown) {
    // Damaged content is stored again; if the file cannot be read, storing says so.
    if (!(thrown instanceof FdError)) throw thrown;
    return undefined;
  }
}

async function putOpen(
  store: Store,
  file: number,
  word: string,
  { byteCount, mostBytes }: Stamp,
  { checkpoint }: Host,
): Promise<FdEntry> {
  const put = deferPut(store, { source: word, maxBytes: 0 });
  try {
    for (let nextBytes = 0; put.byteCount === nextBytes && nextBytes < mostBytes;) {
      if (nextBytes > 0) await checkpoint?.(nextBytes, Math.max(nextBytes, byteCount));
      nextBytes = Math.min(mostBytes, nextBytes + CHECKPOINT_BYTES);
      putRest(put, file, word, nextBytes - put.byteCount);
    }
    return put.seal();
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
}

/** A file is noted as a run in its own path, which no command has as its directory. */
function note(store: Store, stamp: string[], path: string, { id }: FdEntry): void {
  noteRun(store, runName(stamp, path), id);
}

/** The whole fd that was noted for the file, if it is still there. */
async function notedFd(store: Store, stamp: string[], path: string): Promise<FdEntry | undefined> {
  const id = lastRun(store, runName(stamp, path));
  if (id === undefined) return undefined;
  const fd = formatFd(id);
  await prepareFd(store, fd);
  const entry = ifPossible(() => findFd(store, fd), FdError);
  return entry?.state === "sealed" && entry.gap === undefined ? entry : undefined;
}
