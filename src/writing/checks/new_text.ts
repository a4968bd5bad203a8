/**
 * THE guard of new text: every write of a user's file that brings text has it checked here before anything is asked or
 * written (contract, Writing files).
 */

import type { Message } from "../../calls/terms/next_call.ts";
import { refuseFaults } from "../../calls/terms/write_failure.ts";
import type { WriteFault } from "../../calls/terms/write_faults.ts";
import { firstBytes } from "../../../fd/mod.ts";
import { ifPossible } from "../../../fd/system.ts";
import { encodingOf, HEAD_BYTES } from "./encodings.ts";
import { type LineEndStyle, styleOf, tallyLineEnds } from "./line_ends.ts";
import { lostDefinitions } from "./lost_definitions.ts";
import { findPlaceholders } from "./placeholder_lines.ts";

/** Content in pieces. */
interface Content {
  chunks(): Iterable<Uint8Array>;
}

/** The file that is written, and the content that it has. */
interface WrittenFile {
  path: string;
  realPath: string;
  before: Content;
}

/** The text that a write brings. */
interface NewText {
  /** How messages call it. */
  what: string;
  /** All that the file will contain. */
  content: Content;
  /** The texts that are new, if the rest of the content is the file's. */
  added?: Content | undefined;
  allowPlaceholders?: boolean | undefined;
  /** The line ends of the file, if it had others. */
  convertedTo?: "lf" | "crlf" | undefined;
}

/** The faults of new text. */
export function newTextFaults(
  file: WrittenFile,
  { content, added, allowPlaceholders }: Omit<NewText, "what" | "convertedTo">,
  parameter = "allow_placeholders",
): WriteFault[] {
  if (allowPlaceholders === true) return [];
  const { path, realPath: fileName, before } = file;
  const texts = added?.chunks();
  const whole = { content: content.chunks(), before: before.chunks() };
  const lines = findPlaceholders({ ...whole, added: texts && [...texts], fileName });
  return lines.length === 0 ? [] : [{ kind: "placeholder_found", path, lines, parameter }];
}

/** Refuses new text that has faults. Returns notes about it. */
export function checkNewText(file: WrittenFile, text: NewText, convertible?: boolean): Message[] {
  refuseFaults(file.path, newTextFaults(file, text));
  return newTextNotes(file, text, convertible);
}

const STYLE_NAMES: Readonly<Record<LineEndStyle, string>> = {
  lf: "LF",
  crlf: "CRLF",
  cr: "CR",
  mixed: "mixed line ends",
  none: "no line ends",
};

/** Notes on new text that differs from the file in line ends or encoding, or lacks definitions. They say how to convert it if the caller could. */
export function newTextNotes(file: WrittenFile, text: NewText, convertible = true): Message[] {
  const lost = lostDefinitions(file.path, file.before, text.content);
  return [...lineEndNotes(file, text, convertible), ...encodingNotes(file, text), ...lost];
}

function lineEndNotes(
  { before }: WrittenFile,
  { what, content, added, convertedTo }: NewText,
  convertible: boolean,
): Message[] {
  if (convertedTo !== undefined) {
    const sentence = `Line ends: ${what} was converted to ${STYLE_NAMES[convertedTo]}, as in the file; use `;
    return [[sentence, { parameter: "eol", value: "keep" }, " to write it as given."]];
  }
  const its = styleOf(tallyLineEnds((added ?? content).chunks()));
  if (its === "none") return [];
  const own = styleOf(tallyLineEnds(before.chunks()));
  if (own === its || own === "none") return [];
  const sentence = `Line ends: ${what} has ${STYLE_NAMES[its]}, the file had ${STYLE_NAMES[own]}`;
  if (!convertible || (own !== "lf" && own !== "crlf")) return [`${sentence}.`];
  return [[`${sentence}; use `, { parameter: "eol", value: own }, " to convert."]];
}

function encodingNotes(file: WrittenFile, { what, content, added }: NewText): Message[] {
  const head = firstBytes(file.before.chunks(), HEAD_BYTES);
  const [before, after] = [encodingOf(head), encodingOf(firstBytes(content.chunks(), HEAD_BYTES))];
  const hadMark = (before?.markBytes ?? 0) > 0;
  const isOther = before === undefined
    ? head.length > 0 && after?.isUtf16 === true
    : before.name !== after?.name;
  if (isOther && (added === undefined || hadMark)) {
    const plain = hadMark && before?.isUtf16 !== true ? "UTF-8 without one" : "UTF-8";
    return [`Encoding: the file was ${before?.name ?? plain}, and is now ${after?.name ?? plain}.`];
  }
  const isUtf16 = before?.isUtf16 === true;
  const least = isUtf16 ? 0 : 0x80;
  let hasText = false;
  for (const bytes of (added ?? content).chunks()) hasText ||= bytes.some((byte) => byte >= least);
  if (!hasText || head.length === 0 || isUtf16 && added === undefined) return [];
  const isText = !isUtf16 && isUtf8(file.before.chunks());
  if (isUtf8((added ?? content).chunks()) === isText) return [];
  const [not, but] = isText ? ["", ""] : [" not", before === undefined ? "" : `, but ${before.name}`];
  return [`Encoding: the file is${not} UTF-8${but}; ${what} is${isText ? " not" : ""}.`];
}

function isUtf8(chunks: Iterable<Uint8Array>): boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = () => {
    for (const chunk of chunks) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  };
  return ifPossible(decode, TypeError) ?? false;
}
