/**
 * Evaluates a filter over an fd in this process, and shows or stores what comes out.
 */

import { Worker } from "node:worker_threads";
import {
  beginPut,
  type FdEntry,
  findFd,
  formatFd,
  giveUpPut,
  type Put,
  readSlice,
  shareSealed,
  type Store,
  textEntry,
} from "../../../fd/mod.ts";
import { joinBytes, utf8Text } from "../../../fd/system.ts";
import type { QueryJob, QueryResult } from "./query_job.ts";
import { type JqEnd, runJq, StopJq } from "./run_jq.ts";
import { tokenFilter, tokenFlags, tokenWriter } from "./write_tokens.ts";

const MAX_MESSAGE_CHARS = 2000;
/** jq's exit codes: the filter does not compile. */
const BAD_FILTER = 3;

/**
 * Evaluates `job`. Calls `onStoring` with the fd for results, before the first one is stored. Throws what finding,
 * reading and storing throw; results stored so far stay, as an incomplete fd.
 */
export async function evaluateQuery(
  store: Store,
  job: QueryJob,
  onStoring: (fd: string) => void,
): Promise<QueryResult> {
  const entry = await textEntry(store, findFd(store, job.fd));
  const results = resultSink(store, entry, job, onStoring);
  const nowMs = Date.now();
  let messages = "";
  const run = (flags: readonly string[], filter: string, output: (bytes: Uint8Array) => void) => {
    messages = "";
    const ended = runJq({
      args: ["-c", ...flags, "--", filter],
      input: readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }).chunks(),
      nowMs,
      memoryBytes: job.memoryBytes,
      output,
      message(bytes) {
        messages += utf8Text(Uint8Array.from(bytes));
        // The last one tells a filter that does not compile.
        if (messages.length > 3 * MAX_MESSAGE_CHARS) {
          messages = messages.slice(0, MAX_MESSAGE_CHARS) + messages.slice(-MAX_MESSAGE_CHARS);
        }
      },
    });
    return endOf(ended, messages);
  };
  try {
    let writtenBytes = 0;
    let end = run(job.flags, job.filter, (bytes) => {
      writtenBytes += bytes.length;
      results.add(bytes);
    });
    if (end === "too_deep") {
      const write = tokenWriter(job.flags, writtenBytes, results.add);
      end = run(tokenFlags(job.flags), tokenFilter(job.filter), write);
      // A filter such as an empty one cannot be part of another.
      if (end === "bad_filter") end = "too_deep";
    }
    return { ...await results.end(end === "done"), end, messages: messages.slice(0, MAX_MESSAGE_CHARS) };
  } catch (thrown) {
    results.giveUp();
    throw thrown;
  }
}

function endOf(end: JqEnd, messages: string): QueryResult["end"] {
  if (end.kind !== "exited") return end.kind;
  // After an error jq goes on with the next value, and exits as that one did.
  if (end.code === 0) return /^jq: error/m.test(messages) ? "failed" : "done";
  // A filter can end with any code itself (halt_error).
  return end.code === BAD_FILTER && /^jq: [0-9]+ compile error/m.test(messages) ? "bad_filter" : "failed";
}

/** Takes results: buffers the first ones, and stores all of them if the job says so. */
function resultSink(
  store: Store,
  entry: FdEntry,
  { maxChars, extract }: QueryJob,
  onStoring: (fd: string) => void,
) {
  // A char has at most four bytes.
  const mostBytes = maxChars * 4 + 1;
  const shown: Uint8Array[] = [];
  let shownBytes = 0;
  let put: Put | undefined;

  function buffer(bytes: Uint8Array): void {
    if (shownBytes === mostBytes) return;
    // A copy: these are in the filter's own memory.
    const taken = bytes.slice(0, mostBytes - shownBytes);
    shown.push(taken);
    shownBytes += taken.length;
  }

  function begin(command: string[], name: string | undefined): Put {
    const names = name === undefined ? undefined : [name];
    return beginPut(store, { source: "query", command, pageSize: entry.pageSize, names, maxBytes: 0 });
  }

  return {
    add(bytes: Uint8Array): void {
      buffer(bytes);
      if (extract !== undefined) {
        if (put === undefined) {
          put = begin(extract.command, extract.name);
          onStoring(formatFd(put.id));
        }
        put.write(bytes);
      } else if (shownBytes === mostBytes) throw new StopJq();
    },
    async end(isDone: boolean): Promise<Pick<QueryResult, "text" | "isCut" | "newFd">> {
      const chars = Array.from(utf8Text(joinBytes(shown)));
      const isCut = chars.length > maxChars;
      const text = isCut ? wholeLines(chars.slice(0, maxChars).join("")) : chars.join("");
      // A name without results means that there were none, not the fd that it was bound to before.
      if (isDone && extract?.name !== undefined) put ??= begin(extract.command, extract.name);
      const names = isDone && extract?.name !== undefined ? [extract.name] : undefined;
      const stored = put && await shareSealed(store, put.seal(), names);
      return { text, isCut, ...(stored === undefined ? {} : { newFd: formatFd(stored.id) }) };
    },
    giveUp(): void {
      if (put !== undefined) giveUpPut(put);
    },
  };
}

/** `text` up to its last line end; all of it if it has none. */
function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1) || text;
}

/** The pipe that only the caller has open for writing. It is never written to. */
const CALLER_PIPE = 3;

/** Waits for the end of the pipe in a thread of its own, since the filter occupies this one. */
const WAIT = `
import("node:fs").then(({ readSync }) => {
  try {
    if (readSync(${CALLER_PIPE}, new Uint8Array(1)) === 0) process.kill(process.pid, "SIGKILL");
  } catch {}
});
`;

/**
 * Ends this process when its caller is gone, however that ended: nothing else would stop a filter that never ends, or what
 * it writes. Without a pipe, as in a call by hand, nothing happens.
 */
export function endWithCaller(): void {
  new Worker(WAIT, { eval: true }).unref();
}
