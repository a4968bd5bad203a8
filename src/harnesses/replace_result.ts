/**
 * Answers hooks: stores the output of a command that a harness ran, or the text of another tool's result, and makes the
 * preview that replaces it. Whatever fails here, the harness goes on with the output as it is.
 */

import { fstatSync, readFileSync } from "node:fs";
import { deferPut, type FdEntry, giveUpPut, isSweepDue, type Put, putRest } from "../../fd/mod.ts";
import {
  byteSearch,
  countChars,
  failureIn,
  ifPossible,
  inFile,
  joinBytes,
  openRegular,
  orUndo,
  readAt,
  utf8Bytes,
  utf8Text,
} from "../../fd/system.ts";
import type { FdResult } from "../calls/terms/answers.ts";
import { shareStored, sweepStore } from "../capturing/after_storing.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { CHANGED_SOURCE } from "../answers/parts/fd_summary.ts";
import { storedResult } from "../capturing/stored_result.ts";
import { isJsonObject, type JsonObject, membersIn } from "../calls/requests/json_object.ts";
import type { AnswerHook } from "./harness.ts";
import type { SavedResults } from "./open_saved.ts";
import { isOwnCall } from "./own_call.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { commandWriter } from "../answers/parts/next_command.ts";
import { passThrough } from "../answers/parts/text_answer.ts";
import { dressOf } from "../answers/render/dress.ts";
import { xmlOf } from "../answers/render/xml.ts";
import { noteAnswer } from "../answers/parts/note_answer.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";

export interface ToolResult {
  /** The text that the model would see: all of it, unless a file has it. */
  text: string;
  /** The file with all of it that the harness wrote. */
  path?: string | undefined;
  /** The file that the tool read. */
  readPath?: string | undefined;
  /** The output in the harness's file, and how it ended, if the file has more than the output. */
  fromFile?(whole: string): Pick<ToolResult, "text" | "exitCode">;
  /** Length of all output, if the harness reports it: its file may hold only the beginning. */
  byteCount?: number | undefined;
  /** Whether `text` may lack white space at its end. */
  isTrimmed?: boolean | undefined;
  /** Whether the harness's file has decoded text, not the command's bytes. */
  isTextInFile?: boolean | undefined;
  /** The command line; of another tool, what it was called with. */
  command: string | undefined;
  /** The directory that it ran in, if the harness names it. */
  cwd?: string | undefined;
  /** The tool's name, if it is not a shell: then every byte is the tool's. */
  tool?: string | undefined;
  exitCode?: number | undefined;
  /** Sentences for the answer. */
  remarks?: readonly string[] | undefined;
  /** The JSON that the harness takes, with a preview in the text's place; if undefined, it takes the preview. */
  around?(preview: string): unknown;
  /** Whether the preview has no tags, since the harness would escape them. */
  isUntagged?: boolean;
}

/** A call of a hook: a result, another answer, or the reason why it cannot be read. Undefined if nothing is to be done. */
type HookCall = ToolResult | { answer: unknown } | { got: string } | undefined;

/**
 * The hook of the product `harness`, whose calls are read by `read`. Plain code reads them, because a hook may run after every
 * command, and loading a schema library would cost more than the rest of most calls.
 */
export function hookOf(
  harness: string,
  saved: SavedResults,
  read: (call: JsonObject, tools: string | undefined) => HookCall,
): AnswerHook {
  return async (written, host, tools) => {
    // JavaScriptCore throws RangeError for JSON nested too deeply.
    const payload: unknown = ifPossible(() => JSON.parse(utf8Text(written)), SyntaxError, RangeError);
    const call = isJsonObject(payload) ? read(payload, tools) : { got: "no JSON object" };
    if (call === undefined) return { exitCode: 0 };
    if ("answer" in call) return jsonAnswer(call.answer);
    if (!("got" in call)) {
      return await replaceResult(call, harness, host, async (path) => {
        const { openSaved } = await import("./open_saved.ts");
        return openSaved(path, saved, host, membersIn(payload));
      });
    }
    const wanted = `the JSON that ${harness} writes to its hook`;
    // Reported on stderr with exit code 0: any other code would mean something to the harness.
    return { exitCode: 0, failures: [{ kind: "invalid_parameter", field: "stdin", got: call.got, wanted }] };
  };
}

export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

interface Replacement extends Pick<Outcome, "failures" | "afterwards"> {
  /** Undefined if the output stays as it is. */
  answer?: FdResult | undefined;
}

/** One text of several. */
export function joinedTexts(texts: readonly string[]): Pick<ToolResult, "text" | "remarks"> {
  const remarks = texts.length > 1 ? [`Its ${texts.length} texts are joined by line ends.`] : [];
  return { text: texts.join("\n"), remarks };
}

const OPTIONS = parseCaptureOptions("hook", {});

async function replaceResult(
  result: ToolResult,
  harness: string,
  host: Host,
  openSaved: (path: string) => Promise<number>,
): Promise<Outcome> {
  try {
    const { path, readPath, fromFile } = result;
    const opened = path === undefined
      ? readPath === undefined ? undefined : openRegular(readPath)
      : await openSaved(path);
    const isPart = opened !== undefined && fromFile !== undefined;
    const text = isPart ? fromFile(utf8Text(inFile(opened, (file) => readFileSync(file)))) : {};
    const { answer, ...rest } = opened === undefined || isPart
      ? await storeText({ ...result, ...text }, harness, host)
      : await storeFile(opened, result, harness, host);
    const { around } = result;
    if (answer === undefined || around === undefined) {
      return { exitCode: 0, answer, ...rest };
    }
    const writeCall = commandWriter(host.storeOption);
    const shown = result.isUntagged
      ? (await import("../answers/screen/show_answer.ts")).shownAnswer(answer, PLAIN, {
        env: host.env,
        writeCall,
      })
      : xmlOf(answer, dressOf(writeCall));
    const preview = utf8Text(joinBytes([...shown])).trimEnd();
    noteAnswer(answer, preview.length, host);
    return { ...jsonAnswer(around(preview)), ...rest };
  } catch (thrown) {
    return { exitCode: 0, failures: [failureIn(thrown)] };
  }
}

const PLAIN = { isTerminal: false, escape: undefined, shown: (chunks: Iterable<Uint8Array>) => chunks };

/** The answer of a hook that is one JSON value. */
function jsonAnswer(value: unknown): Outcome {
  return { exitCode: 0, answer: passThrough(utf8Bytes(`${JSON.stringify(value)}\n`), "stdout") };
}

/** The output is small, or fdtool's own. */
const LEFT: Replacement = {};

async function storeText(result: ToolResult, harness: string, host: Host): Promise<Replacement> {
  // Chars are never more than UTF-16 units.
  if (result.text.length <= OPTIONS.thresholdChars) return LEFT;
  const bytes = utf8Bytes(result.text);
  if (countChars(bytes) <= OPTIONS.thresholdChars) return LEFT;
  // Half of a surrogate pair has no bytes.
  if (result.tool !== undefined && !result.text.isWellFormed()) return LEFT;
  const isLossy = result.tool === undefined && result.text.includes("\uFFFD");
  return await store(result, harness, host, isLossy, (put) => put.write(bytes));
}

async function storeFile(
  opened: number,
  result: ToolResult,
  harness: string,
  host: Host,
): Promise<Replacement> {
  return await inFile(opened, (file) => {
    // Chars are never more than bytes.
    if (fstatSync(file).size <= OPTIONS.thresholdChars) return LEFT;
    const isLossy = result.isTextInFile === true && hasReplacement(file);
    const fill = (put: Put) => putRest(put, file, result.path ?? result.readPath ?? "");
    return store(result, harness, host, isLossy, fill);
  });
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = utf8Bytes("\uFFFD");
const WINDOW_BYTES = 65_536;

/** Whether an open file has a U+FFFD. */
function hasReplacement(file: number): boolean {
  const window = new Uint8Array(WINDOW_BYTES);
  const search = byteSearch(REPLACEMENT);
  for (let at = 0;;) {
    const length = readAt(file, window, at);
    if (length === 0) return false;
    if (search.next(window, 0, length) >= 0) return true;
    at += length;
  }
}

/** Stores what `fill` writes; in `isLossy` text, U+FFFD is where bytes were not UTF-8. */
async function store(
  { command, cwd, tool, exitCode, byteCount, isTrimmed, remarks: given = [] }: ToolResult,
  harness: string,
  host: Host,
  isLossy: boolean,
  fill: (put: Put) => void,
): Promise<Replacement> {
  if (tool === undefined && isOwnCall(command ?? "")) return LEFT;
  const store = openHostStore(host);
  const put = deferPut(store, {
    source: isLossy || isTrimmed === true ? CHANGED_SOURCE : tool ?? "shell",
    pageSize: OPTIONS.pageSize,
    command: command === undefined ? undefined : tool === undefined ? ["sh", "-c", command] : [tool, command],
    cwd: cwd ?? host.cwd,
  });
  let entry: FdEntry;
  let remarks: readonly string[] = isLossy
    ? [
      `${harness} handed over text: bytes that were not UTF-8 are lost. \`fdtool run -- COMMAND\` keeps them.`,
    ]
    : given;
  entry = orUndo(() => {
    fill(put);
    const isCut = byteCount !== undefined && byteCount > put.byteCount;
    if (isCut) {
      remarks = [`${harness} kept only the first ${put.byteCount} of ${byteCount} bytes.`, ...remarks];
    }
    return put.seal({ exitCode, incomplete: isCut });
  }, () => giveUpPut(put));
  const shared = await shareStored(store, entry);
  entry = shared.entry;
  remarks = [...remarks, ...shared.remarks];
  // Harnesses with a hook have a shell, so the message names the command.
  const context = { options: OPTIONS, remarks };
  const { answer, failures } = await storedResult({ store, entry, bytes: put.inMemory() }, context);
  const sweep = () => sweepStore([{ store, entry }]);
  return { answer, failures, afterwards: isSweepDue(store, Date.now()) ? sweep : undefined };
}
