/** Renders a failure in the requested format: one line in json, and, but for a detail, in xml; two in raw and text. */

import { plainText } from "../../calls/terms/control_chars.ts";
import type { Format } from "../../calls/arguments/global_options.ts";
import { firstChars } from "../parts/first_few.ts";
import { groupedDigits } from "../parts/grouped_digits.ts";
import type { Dress } from "./dress.ts";
import type { FailureText } from "../../calls/terms/failure_words.ts";
import { attributesOf, escaped, tagWriter } from "./tag_writer.ts";

/** Chars of a value that was given and is not accepted. */
const MAX_GOT_CHARS = 1000;

/** The failure as text with a final line feed. JSON is never coloured. */
export function dressedFailure(failure: FailureText, format: Format, dress: Dress): string {
  if (format === "xml") return failureXml(failure, dress);
  return format === "json" ? failureJson(failure, dress) : failureRaw(failure, dress);
}

function failureXml({ type, fd, path, message, detail = [], next }: FailureText, dress: Dress): string {
  const { paint } = dress;
  const { tag, next: call } = tagWriter({ next }, [], [], dress);
  const element = (name: string, inside: string) => tag(name) + inside + tag(`/${name}`);
  const hint = call === undefined ? "" : element("next", paint.next(call));
  return tag("fd_error", ` type="${type}"${attributesOf({ fd, path })}`) +
    element("message", paint.fault(escaped(message, '"'))) +
    (detail.length === 0
      ? ""
      : `\n${element("detail", `\n${fewLines(detail, (line) => escaped(line, '"'))}`)}`) +
    hint + tag("/fd_error") + "\n";
}

function failureJson({ type, fd, path, message, next, fields }: FailureText, { writeCall }: Dress): string {
  const call = next && writeCall(next);
  const answer = { type: "fd_error", error: type, fd, path, message, next: call, ...fields };
  const shorten = (name: string, value: unknown) =>
    name === "got" && typeof value === "string" ? firstChars(value, MAX_GOT_CHARS) : value;
  return JSON.stringify(answer, shorten) + "\n";
}

/** Lines of a detail that are shown. */
const MAX_DETAIL_LINES = 20;

function fewLines(lines: readonly string[], written: (line: string) => string): string {
  const more = lines.length - MAX_DETAIL_LINES;
  return lines.slice(0, MAX_DETAIL_LINES).map((line) => `${written(line)}\n`).join("") +
    (more > 0 ? `… ${groupedDigits(more)} more lines\n` : "");
}

function failureRaw({ message, detail = [], next }: FailureText, { paint, writeCall }: Dress): string {
  const call = next && writeCall(next);
  const hint = call === undefined ? "" : `next: ${paint.next(plainText(call))}\n`;
  return `fdtool: ${paint.fault(plainText(message))}\n${fewLines(detail, plainText)}${hint}`;
}
