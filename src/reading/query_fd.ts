/**
 * Query: the results of a filter in jq's language over the JSON values of an fd (contract, Commands).
 */

import { findFd, formatFd, parseByteCount, type Store, textEntry } from "../../fd/mod.ts";
import { fail, refuse, systemCode, utf8Bytes } from "../../fd/system.ts";
import { firstChars } from "../answers/parts/first_few.ts";
import { callWords, inSentences } from "../answers/parts/next_command.ts";
import { missingFields, missingRemarks } from "../answers/parts/missing_remark.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import type { QueryAnswer, QueryJob, QueryResult, QueryStart } from "./querying/query_job.ts";
import { durationOf } from "../calls/requests/duration.ts";
import {
  DEFAULT_CHARS,
  DEFAULT_MEMORY,
  DEFAULT_TIMEOUT,
  MAX_MEMORY_BYTES,
  MIN_MEMORY_BYTES,
  type QueryRequest,
} from "../calls/requests/query_request.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import { setFlags } from "../calls/requests/shared_fields.ts";
import type { AnswerOf } from "../calls/terms/answers.ts";
import type { Host } from "../calls/terms/command.ts";
import type { Message, NextCall } from "../calls/terms/next_call.ts";
import { fdNamedBefore, namedAs } from "../answers/parts/named_before.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { ownCall, textOf } from "../capturing/background/own_program.ts";

/** Chars of a filter that the answer repeats. */
const MAX_FILTER_CHARS = 1000;

/** Lines around a place where JSON is invalid, in the `read` that is offered. */
const CONTEXT = 2;

/**
 * Answers a query.
 *
 * Throws `not_found`, `removed`, `invalid_parameter` for a filter that does not compile, `store_corrupt`, and with
 * `extract_to_new_fd` what storing throws.
 */
export async function queryFd(request: QueryRequest, host: Host): Promise<AnswerOf<"fd_query">> {
  const extracts = request.extract_to_new_fd === true;
  const timeout = request.timeout ?? DEFAULT_TIMEOUT;
  const limitMs = durationOf("query", "--timeout", timeout);
  const memory = request.memory ?? DEFAULT_MEMORY;
  const store = openHostStore(host);
  const entry = await textEntry(store, findFd(store, request.fd));
  const fd = formatFd(entry.id);
  const previousFd = await fdNamedBefore(store, request.name);
  // Without what only bounds the answer.
  const asked = {
    fd,
    filter: request.filter,
    ...setFlags(request, FLAGS),
    timeout: request.timeout,
    memory: request.memory,
  };
  const all: NextCall = { command: "query", args: { ...asked, extract_to_new_fd: true } };
  const ended = await queryInProcess(
    {
      fd,
      filter: request.filter,
      flags: flagsOf(request),
      memoryBytes: memoryOf(memory),
      maxChars: extracts ? 0 : request.max_chars ?? DEFAULT_CHARS,
      extract: extracts ? { name: request.name, command: ["fdtool", ...callWords(all)] } : undefined,
    },
    limitMs,
    host,
  );
  const filter = firstChars(request.filter, MAX_FILTER_CHARS);
  const fields = { type: "fd_query", fd, filter, ...missingFields(entry) } as const;
  const missing = missingRemarks(entry);
  if (ended.kind === "timed_out") {
    return { ...fields, ...timedOut(store, timeout, ended.storing, missing) };
  }
  const { result } = ended;
  if (result.end === "bad_filter") {
    const wanted = `a jq filter that compiles (${firstMessage(result.messages)})`;
    refuse("filter", request.filter, wanted);
  }
  const { error, sentence, next } = errorOf(result, fd, memory);
  const sentences: Message[] = sentence === undefined ? [] : [sentence];
  const made = result.newFd === undefined ? undefined : findFd(store, result.newFd);
  const isCut = result.isCut && !extracts;
  if (made !== undefined) {
    const also = namedAs(request.name, previousFd);
    sentences.push(`Stored ${made.charCount} chars of results as ${formatFd(made.id)}${also}.`);
  } else if (extracts) sentences.push("There are no results, so no fd was made.");
  else if (isCut) {
    // Only the next command repeats a long filter.
    const way = request.filter === filter ? all : { parameter: "extract_to_new_fd", value: true } as const;
    sentences.push(["There are more results. Use ", way, " to store all of them as a new fd."]);
  }
  sentences.push(...missing);
  const bytes = utf8Bytes(result.text);
  const read: NextCall | undefined = made && { command: "read", args: { fd: formatFd(made.id) } };
  return {
    ...fields,
    results: extracts ? made?.lineCount ?? 0 : result.text.split("\n").length - 1,
    truncated: isCut ? true : undefined,
    error,
    new_fd: result.newFd,
    previous_fd: previousFd,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: next ?? read ?? (isCut ? all : undefined),
    values: bytes.length === 0 ? undefined : { byteLength: bytes.length, chunks: () => [bytes], bytes },
  };
}

function timedOut(store: Store, timeout: string, storing: string | undefined, missing: readonly Message[]) {
  const more = timeout === DEFAULT_TIMEOUT ? [" Use ", LONGER_TIMEOUT, " if it needs more time."] : [];
  const sentences: Message[] = [[`The filter was stopped after ${timeout}.`, ...more]];
  const made = storing === undefined ? undefined : findFd(store, storing);
  if (made !== undefined) sentences.push(`${storing} has the results until then, and is incomplete.`);
  return {
    results: made?.lineCount ?? 0,
    error: "timed_out" as const,
    new_fd: storing,
    message: inSentences([...sentences, ...missing]),
    next: storing === undefined ? undefined : { command: "read", args: { fd: storing } } as const,
  };
}

const FLAGS = ["raw", "slurp", "null_input", "stream"] as const;

/** The options of jq for the flags of a request. */
function flagsOf(request: QueryRequest): string[] {
  return Object.keys(setFlags(request, FLAGS)).map((name) =>
    name === "raw" ? "--raw-output" : `--${name.replace("_", "-")}`
  );
}

const LONGER_TIMEOUT = { parameter: "timeout", value: "10m" } as const;
const MOST_MEMORY = { parameter: "memory", value: "4G" } as const;

function memoryOf(written: string): number {
  const byteCount = parseByteCount(written) ?? 0;
  if (byteCount >= MIN_MEMORY_BYTES && byteCount <= MAX_MEMORY_BYTES) return byteCount;
  return failValue("query", "--memory", written, "a size between 128M and 4G");
}

const USE_STREAM = [
  { parameter: "stream", value: true },
  ", which takes a document piece by piece, or read and search the text.",
] as const;

type QueryError = Pick<AnswerOf<"fd_query">, "error" | "next"> & { sentence?: Message };

function errorOf({ end, messages }: QueryResult, fd: string, memory: string): QueryError {
  if (end === "out_of_memory") {
    const more = memoryOf(memory) === MAX_MEMORY_BYTES ? [] : [MOST_MEMORY, " for more, or "];
    return {
      error: "out_of_memory",
      sentence: [`The filter needs more than ${memory} of memory. Use `, ...more, ...USE_STREAM],
    };
  }
  if (end === "too_deep") {
    return {
      error: "filter_error",
      sentence: ["The filter failed: a value or the filter is nested too deeply. Use ", ...USE_STREAM],
      next: { command: "read", args: { fd } },
    };
  }
  if (end !== "failed") return {};
  const first = firstMessage(messages);
  const place = /^parse error: .* at (?:EOF at )?line ([0-9]+), column [0-9]+/.exec(first);
  if (place === null) {
    const [, line = "0", reason = first] = FILTER_ERROR.exec(first) ?? [];
    const where = line === "0" ? "" : ` at line ${line}`;
    return { error: "filter_error", sentence: `The filter failed${where}: ${reason}.` };
  }
  const start = Math.max(1, Number(place[1]) - CONTEXT);
  return {
    error: "parse_error",
    sentence: `The content is not valid JSON: ${first.slice("parse error: ".length)}.`,
    next: { command: "read", args: { fd, mode: "line", start, count: 2 * CONTEXT + 1 } },
  };
}

/** An error of jq: at a line of the input or at an unknown place, with text or with another value. */
const FILTER_ERROR = /^error \(at <(?:stdin>:([0-9]+)|unknown>)\)(?: \(not a string\))?: (.*)$/s;

/** The first message of jq, without its name. */
function firstMessage(messages: string): string {
  const line = messages.split("\n").find((text) => text.startsWith("jq: ")) ?? messages.split("\n")[0] ?? "";
  return line.replace(/^jq: (?:error: )?/, "").replace(/:$/, "");
}

/** The result, or that the time was over. */
type QueryEnd =
  | { kind: "result"; result: QueryResult }
  | { kind: "timed_out"; storing: string | undefined };

/**
 * Evaluates `job` in another process, which is killed after `limitMs`, or when the call is cancelled.
 *
 * @throws {FdError} the other process's failure, or `read_error` if it cannot be started.
 */
async function queryInProcess(job: QueryJob, limitMs: number, host: Host): Promise<QueryEnd> {
  const { path, args, options } = ownCall(["evaluate"], host);
  const end = { timeout: limitMs, signal: host.signal, killSignal: "SIGKILL" } as const;
  // The last one is for `endWithCaller`.
  const child = spawn(path, args, { ...options, ...end, stdio: ["pipe", "pipe", "pipe", "pipe"] });
  // A child that fails early does not read its job; its answer says why.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(job));
  try {
    const [text, report] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, "close"),
    ]);
    const lines = text.trimEnd().split("\n");
    if (child.killed) {
      const start: QueryStart | undefined = lines[0] === "" ? undefined : JSON.parse(lines[0]!);
      return { kind: "timed_out", storing: start?.storing };
    }
    if (text === "") throw new Error(`the process that evaluates filters failed: ${report}`);
    const answer: QueryAnswer = JSON.parse(lines.at(-1)!);
    return "failure" in answer ? fail(answer.failure) : { kind: "result", result: answer.result };
  } catch (thrown) {
    host.signal?.throwIfAborted();
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    return fail({ kind: "read_error", path, action: "start", code });
  }
}
