/**
 * `--ask`: asks the person at the terminal (contract, Inquiries): yes or no and choices at the prompt, text on a
 * line, a schema in an editor. Opens the terminal by its path, since stdin may carry the request.
 */

import { constants } from "node:fs";
import { temporaryPath } from "../../fd/mod.ts";
import { atEnd, closeReader, disk, ifPossible, removeStaged } from "../../fd/system.ts";
import { plainLines } from "../calls/terms/control_chars.ts";
import type { AnswerType, NeedsInput, Question } from "../calls/terms/answers.ts";
import { answerFaults } from "./inquiries/answer_faults.ts";
import { answerInquiry, type InquiredOutcome } from "./answer_inquiry.ts";
import { closeInquiry, findOpenInquiry, schemaOfAnswer } from "./inquiries/inquiries.ts";
import { wholeFile } from "./commit/present_file.ts";
import { readJson } from "../calls/requests/lenient_json.ts";
import type { WriteContext } from "./commit/write_context.ts";

/** More questions in a row than this are a loop. */
const MAX_QUESTIONS = 50;

/** Asks until no question is left. Returns undefined if there is no terminal. */
export async function askPerson(first: NeedsInput, context: WriteContext) {
  const terminal = ifPossible(() => disk.open("/dev/tty", constants.O_RDWR));
  if (terminal === undefined) return undefined;
  using _terminal = atEnd(() => closeReader(terminal));
  let outcome: InquiredOutcome = first;
  for (let count = 0; outcome.type === "needs_input" && count < MAX_QUESTIONS; count++) {
    const answer = await askOnce(terminal, outcome.question, context);
    if (answer === undefined) {
      const { id } = findOpenInquiry(context.store, outcome.inquiry_id);
      closeInquiry(context.store, id, "cancelled", undefined);
      const message = `Nothing was written: ${outcome.inquiry_id} was cancelled.`;
      return { answer: { type: "write_result" as const, message }, cancelled: true };
    }
    outcome = await answerInquiry({ inquiry_id: outcome.inquiry_id, answer: answer.value }, context);
  }
  return { answer: outcome, cancelled: false };
}

/** Whether the person at the terminal agrees; undefined if there is no terminal. */
export function agreesAtTerminal(question: string): boolean | undefined {
  const terminal = ifPossible(() => disk.open("/dev/tty", constants.O_RDWR));
  if (terminal === undefined) return undefined;
  using _terminal = atEnd(() => closeReader(terminal));
  print(terminal, `${question}\n`);
  return askYesNo(terminal)?.value === true;
}

/** The answer. Returns undefined if the person cancels. */
async function askOnce(
  terminal: number,
  question: Question,
  context: WriteContext,
): Promise<{ value: unknown } | undefined> {
  const { answer_type: type, text, pre_amble } = question;
  print(terminal, `${pre_amble === null ? "" : `${pre_amble}\n`}${text}\n`);
  if (type === "Boolean") return askYesNo(terminal);
  if (type === "Text") {
    print(terminal, "> ");
    const line = readLine(terminal);
    return line === undefined ? undefined : { value: line };
  }
  if ("Select" in type) return askChoice(terminal, type.Select.options);
  return await askInEditor(terminal, question, type, context);
}

function askYesNo(terminal: number): { value: boolean } | undefined {
  for (;;) {
    print(terminal, "[y/n, empty cancels] ");
    const line = readLine(terminal)?.trim().toLowerCase();
    if (line === undefined || line === "") return undefined;
    if (["y", "yes"].includes(line)) return { value: true };
    if (["n", "no"].includes(line)) return { value: false };
  }
}

function askChoice(terminal: number, options: readonly string[]): { value: string } | undefined {
  options.forEach((option, index) => print(terminal, `  ${index + 1}) ${option}\n`));
  for (;;) {
    print(terminal, `[1-${options.length}, empty cancels] `);
    const line = readLine(terminal)?.trim();
    if (line === undefined || line === "") return undefined;
    const option = options[Number(line) - 1];
    if (option !== undefined) return { value: option };
  }
}

/** Shows the schema as comments above an empty object. An empty or invalid answer cancels. */
async function askInEditor(
  terminal: number,
  question: Question,
  type: AnswerType,
  { store }: WriteContext,
): Promise<{ value: unknown } | undefined> {
  const { spawnSync } = await import("node:child_process");
  const path = `${temporaryPath(store.path, "answer")}.json`;
  const schema = JSON.stringify(schemaOfAnswer(type), null, 2);
  const comment = `${question.text}\n\n${schema}`.split("\n").map((line) => `// ${line}`.trimEnd()).join(
    "\n",
  );
  const file = disk.open(path, "wx+", 0o600);
  try {
    writeAll(file, `${comment}\n{\n}\n`);
  } finally {
    disk.close(file);
  }
  try {
    const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
    const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], {
      stdio: [terminal, terminal, terminal],
    });
    if (status !== 0) {
      print(terminal, `The editor (${editor}) failed${status === null ? "" : ` with ${status}`}.\n`);
      return undefined;
    }
    const written = textIn(path).split("\n").filter((line) => !line.startsWith("//")).join("\n");
    if (written.trim() === "") return undefined;
    const reading = readJson(written);
    if (reading.kind !== "value") {
      print(terminal, "The answer is not valid JSON.\n");
      return undefined;
    }
    const faults = answerFaults(reading.value, type);
    for (const { at, problem } of faults) print(terminal, `${at} ${problem}\n`);
    return faults.length > 0 ? undefined : { value: reading.value };
  } finally {
    removeStaged(path);
  }
}

/** The text that the editor saved; empty if it left no file. */
function textIn(path: string): string {
  return new TextDecoder().decode(ifPossible(() => wholeFile(path, path), "file_not_found"));
}

function print(terminal: number, text: string): void {
  writeAll(terminal, plainLines(text));
}

function writeAll(file: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += disk.write(file, bytes, written, bytes.length - written);
  }
}

/** Reads a line without its line end. Returns undefined at the end of input. */
function readLine(terminal: number): string | undefined {
  const byte = new Uint8Array(1);
  const bytes: number[] = [];
  while (disk.read(terminal, byte, 0, 1, null) === 1) {
    if (byte[0] === 0x0a) return new TextDecoder().decode(Uint8Array.from(bytes));
    bytes.push(byte[0]!);
  }
  return bytes.length === 0 ? undefined : new TextDecoder().decode(Uint8Array.from(bytes));
}
