/**
 * Options that writing commands share: where content comes from, and how questions are answered (contract, Writing
 * files and Inquiries).
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { bytesSource, type Store } from "../../fd/mod.ts";
import { isJsonObject } from "../calls/requests/json_object.ts";
import { understandJson } from "../calls/requests/lenient_json.ts";
import type { CommandCall, Host, Outcome } from "../calls/terms/command.ts";
import { namesFd } from "../calls/arguments/file_for_fd.ts";
import { readStdinBytes } from "../calls/streams/read_stdin_bytes.ts";
import type { FramedAnswer } from "../calls/terms/answers.ts";
import type { RequestFields } from "../calls/requests/request_fields.ts";
import { failConflict, failValue } from "../calls/requests/usage_failure.ts";
import { type GivenContent, handleContent } from "./commit/given_content.ts";
import { answerFormSchema, findOpenInquiry } from "./inquiries/inquiries.ts";
import { wholeFile } from "./commit/present_file.ts";
import { type Place, resolveInRoot } from "./commit/target_path.ts";
import { type WriteContext, writeContextOf } from "./commit/write_context.ts";

/** For commands that take content: where it comes from. */
export const CONTENT_OPTION = {
  value: "FILE|-|FD",
  help: "take the content from a file, stdin, or an fd",
} as const;

/**
 * The content that `--content` names. Stdin that is empty is refused: a file that is emptied, or made empty, by a pipe
 * that failed would look like a success.
 */
export async function namedContent(
  command: string,
  from: string,
  context: WriteContext,
): Promise<GivenContent> {
  if (namesFd(context.store, from, context.cwd)) {
    return await handleContent(context.store, from);
  }
  if (from !== "-") return bytesSource(contentBytes(command, from, context));
  const bytes = readStdinBytes();
  if (bytes.length > 0) return bytesSource(bytes);
  const wanted = 'content on stdin (for an empty file, answer {"content":""})';
  return failValue(command, "--content", "an empty stdin", wanted);
}

/** For commands that may ask. */
export const QUESTION_FIELDS = {
  answers: { kind: "text", option: { value: "JSON", help: "answers to questions, by question id" } },
  ask: { kind: "flag", option: { help: "ask on the terminal" } },
  inquiry_schema: {
    kind: "flag",
    option: { help: "print the JSON Schema of the answer instead of the question" },
  },
} as const satisfies RequestFields;

/** The content of the call: a file, or stdin. Returns undefined if it is the fd of the request. */
export function contentOf(
  command: string,
  from: string | undefined,
  handle: string | undefined,
  context: WriteContext,
): GivenContent | undefined {
  if (from !== undefined && handle !== undefined && from !== handle) {
    failConflict(command, "--content", "--from", "one content");
  }
  if (handle !== undefined) return undefined;
  return bytesSource(
    from === undefined || from === "-" ? readStdinBytes() : contentBytes(command, from, context),
  );
}

/** The bytes of a file. Text in the place of its name is noticed. */
function contentBytes(command: string, from: string, place: Place): Uint8Array {
  if (/\s/.test(from) && !existsSync(resolve(place.cwd, from))) {
    failValue(command, "--content", from, "a file, - (stdin) or an fd; text goes to stdin");
  }
  return namedBytes(from, place);
}

/** All bytes of a file that a caller names. */
function namedBytes(path: string, place: Place): Uint8Array {
  return wholeFile(resolveInRoot(path, place, "read"), path, place);
}

/** A file's text, which must be UTF-8. */
export function fileText(command: string, option: string, path: string, place: Place): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(namedBytes(path, place));
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return failValue(command, option, path, "a file of UTF-8 text");
  }
}

/** The host of a call, with the answers that it gives. */
function answeringHost({ command, options }: CommandCall, host: Host): Host {
  const written = options["answers"];
  if (written === undefined) return host;
  const { value } = understandJson(String(written), "the answers");
  if (isJsonObject(value)) return { ...host, answers: value };
  return failValue(command, "--answers", String(written), "one JSON object: answers by question id");
}

/** The outcome of a write; a question has exit code 3. */
export function askedOutcome(answer: FramedAnswer): Outcome {
  return { exitCode: answer.type === "needs_input" ? 3 : 0, answer };
}

/** For operations that may ask: how a call of the command line gives answers, and is asked. */
export const asking = { hostOf: answeringHost, complete: settle };

/** The outcome of a call: with `--ask` questions are asked on the terminal, otherwise they end with exit code 3. */
export async function settle(outcome: Outcome, { options }: CommandCall, host: Host): Promise<Outcome> {
  const { answer } = outcome;
  if (answer?.type !== "needs_input") return outcome;
  const context = writeContextOf(host, host.answers);
  if (options["inquiry-schema"] === true) return schemaOutcome(context.store, answer.inquiry_id);
  if (options["ask"] !== true) return outcome;
  const { askPerson } = await import("./ask_person.ts");
  const answered = await askPerson(answer, context);
  return answered === undefined ? outcome : { exitCode: answered.cancelled ? 1 : 0, answer: answered.answer };
}

/** The structured-output schema of a question, the same in every format. */
export function schemaOutcome(store: Store, handle: string): Outcome {
  const schema = answerFormSchema(findOpenInquiry(store, handle));
  const bytes = new TextEncoder().encode(`${JSON.stringify(schema)}\n`);
  return { exitCode: 3, answer: { type: "pass_through", stdout: bytesSource(bytes), isOwnText: true } };
}
