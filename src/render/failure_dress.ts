/**
 * A failure in the dress that was asked for; one line for models and programs, two for people.
 *
 * @module
 */

import type { Format } from "../global_options.ts";
import type { FailureText } from "./failure_text.ts";
import { escapeAttribute, escapeText } from "./xml_escape.ts";

/** The failure as text, ended by a line feed. */
export function dressedFailure(failure: FailureText, format: Format): string {
  switch (format) {
    case "xml":
      return failureXml(failure);
    case "json":
      return failureJson(failure);
    case "raw":
      return failureRaw(failure);
  }
}

function failureXml({ type, fd, path, message, next }: FailureText): string {
  const attribute = (name: string, value: string | undefined) =>
    value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`;
  const hint = next === undefined ? "" : `<next>${escapeText(next)}</next>`;
  return `<fd_error${attribute("type", type)}${attribute("fd", fd)}${attribute("path", path)}>` +
    `<message>${escapeText(message)}</message>${hint}</fd_error>\n`;
}

function failureJson({ type, fd, path, message, next, fields }: FailureText): string {
  return JSON.stringify({ type: "fd_error", error: type, fd, path, message, next, ...fields }) + "\n";
}

function failureRaw({ message, next }: FailureText): string {
  // A path in the message may hold anything; nothing of it may steer the terminal.
  // deno-lint-ignore no-control-regex
  const plain = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, hexEscape);
  const hint = next === undefined ? "" : `next: ${plain(next)}\n`;
  return `fdtool: ${plain(message)}\n${hint}`;
}

function hexEscape(control: string): string {
  return `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
