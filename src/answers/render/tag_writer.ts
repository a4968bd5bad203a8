/** The tags, attributes, message and next call of xml answers. */

import { messageText, shellLine } from "../parts/next_command.ts";
import type { Body } from "../../calls/terms/answers.ts";
import { STEERING_CHARS } from "../../calls/terms/control_chars.ts";
import type { Remarks } from "../../calls/terms/next_call.ts";
import { holdsAny } from "./body_text.ts";
import type { Dress } from "./dress.ts";

/**
 * Makes the writer for an answer's tags, all with the same boundary. They have a boundary if a body or the next call,
 * which is shown as it is to be typed, contains one of `closingTags`.
 */
export function tagWriter(
  { message, next }: Remarks,
  bodies: readonly { body: Body }[],
  closingTags: readonly string[],
  { paint, writeCall, makeBoundary }: Dress,
) {
  const call = next && writeCall(next);
  let needed = call !== undefined && call.includes("</");
  for (const { body } of bodies) needed ||= holdsAny(body, closingTags);
  const boundary = needed ? ` boundary="${makeBoundary()}"` : "";
  /** Opens the element `name`, or closes it if it begins with `/`. */
  const tag = (name: string, attributes = "") => paint.tag(`<${name}${attributes}${boundary}>`);
  /** The message and the next call, one line each, if present. */
  let heading = "";
  if (message !== undefined) {
    heading += `  ${tag("message")}${escaped(messageText(message, writeCall), '"')}${tag("/message")}\n`;
  }
  if (call !== undefined) heading += `  ${tag("next")}${paint.next(call)}${tag("/next")}\n`;
  return { tag, heading, next: call };
}

/**
 * The scalar fields and lists of words as attributes, in the answer's order, which is the contract's. The message is one
 * beside a body that has no line for it; `next` is the next call if it can be an attribute.
 */
export function attributesOf(fields: object, next?: string, message?: string): string {
  const values = fields as Readonly<Record<string, unknown>>;
  const names = Object.keys(values);
  let attributes = "";
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!;
    if (name === "type") continue;
    if (name === "next") {
      if (next !== undefined) attributes += ` next="${next}"`;
      continue;
    }
    const value = name === "message" ? message : values[name];
    if (typeof value === "number" || typeof value === "boolean") attributes += ` ${name}="${value}"`;
    else if (typeof value === "string") attributes += ` ${name}="${escaped(value)}"`;
    else if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")) {
      attributes += ` ${name}="${escaped(shellLine(value))}"`;
    }
  }
  return attributes;
}

/**
 * Escapes `text` for a double-quoted attribute, so that no name, command or pattern can pass for a tag (contract, law 8). In
 * an element, a `quote` may stay readable.
 */
export function escaped(text: string, quote: "&quot;" | '"' = "&quot;"): string {
  // A loop, because the first use of a regular expression costs more than a short text.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x26 || code === 0x3c || code === 0x3e) {
      return replaced(text, quote);
    }
  }
  return text;
}

function replaced(text: string, quote: string): string {
  const escapes = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', quote]]);
  return text.replace(
    new RegExp(`[&<>"${STEERING_CHARS}]`, "g"),
    (found) => escapes.get(found) ?? `&#${found.codePointAt(0)};`,
  );
}
