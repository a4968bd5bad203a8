/**
 * A failure in the dress that was asked for; one line for models and programs, two for people.
 *
 * @module
 */

import type { Format } from "../global_options.ts";
import type { FailureText } from "./failure_words.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { plainText } from "./plain_text.ts";
import { escapeAttribute, escapeText } from "./xml_escape.ts";

/** The failure as text, ended by a line feed. Never painted in JSON. */
export function dressedFailure(failure: FailureText, format: Format, paint: Paint = PLAIN): string {
  switch (format) {
    case "xml":
      return failureXml(failure, paint);
    case "json":
      return failureJson(failure);
    case "raw":
      return failureRaw(failure, paint);
  }
}

function failureXml({ type, fd, path, message, next }: FailureText, paint: Paint): string {
  const attribute = (name: string, value: string | undefined) =>
    value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`;
  const element = (name: string, inside: string) =>
    `${paint.tag(`<${name}>`)}${inside}${paint.tag(`</${name}>`)}`;
  const hint = next === undefined ? "" : element("next", paint.next(escapeText(next)));
  const opening = `<fd_error${attribute("type", type)}${attribute("fd", fd)}${attribute("path", path)}>`;
  return paint.tag(opening) + element("message", paint.fault(escapeText(message))) + hint +
    paint.tag("</fd_error>") + "\n";
}

function failureJson({ type, fd, path, message, next, fields }: FailureText): string {
  return JSON.stringify({ type: "fd_error", error: type, fd, path, message, next, ...fields }) + "\n";
}

function failureRaw({ message, next }: FailureText, paint: Paint): string {
  const hint = next === undefined ? "" : `next: ${paint.next(plainText(next))}\n`;
  return `fdtool: ${paint.fault(plainText(message))}\n${hint}`;
}
