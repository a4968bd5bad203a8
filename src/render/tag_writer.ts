/**
 * Tags, attributes and the message of an answer in xml, as all kinds of answers share them.
 *
 * @module
 */

import type { Body } from "../answers.ts";
import { shellLine } from "../next_command.ts";
import { holdsAny } from "./body_text.ts";
import type { Paint } from "./paint.ts";
import { escapeAttribute, escapeText } from "./xml_escape.ts";

/** Sixteen random hex digits. */
export function freshBoundary(): string {
  return crypto.getRandomValues(new BigUint64Array(1))[0]!.toString(16).padStart(16, "0");
}

/** Writes tags, all with the same boundary. */
export interface TagWriter {
  paint: Paint;
  open(name: string, attributes?: string): string;
  close(name: string): string;
}

/** A function that writes tags, all with the same boundary when a body needs one. */
export function tagWriter(
  bodies: readonly Body[],
  closingTags: readonly string[],
  paint: Paint,
  makeBoundary: () => string,
): TagWriter {
  let needed = false;
  for (const body of bodies) needed ||= holdsAny(body, closingTags);
  const boundary = needed ? ` boundary="${makeBoundary()}"` : "";
  return {
    paint,
    open: (name, attributes = "") => paint.tag(`<${name}${attributes}${boundary}>`),
    close: (name) => paint.tag(`</${name}${boundary}>`),
  };
}

/** The message and the next command, where there are any. */
export function messageXml(
  answer: { message?: string | undefined; next?: string | undefined },
  tag: TagWriter,
): string {
  const line = (name: string, text: string | undefined) =>
    text === undefined ? "" : `  ${tag.open(name)}${text}${tag.close(name)}\n`;
  return line("message", answer.message && escapeText(answer.message)) +
    line("next", answer.next && tag.paint.next(escapeText(answer.next)));
}

/**
 * The scalar fields, and lists of words as a shell would write them, as attributes, in the order in which they stand: who
 * makes an answer puts those of the contract first, in its order (contract, Answers).
 */
export function attributesOf(fields: object, left: readonly string[]): string {
  const values = fields as Readonly<Record<string, unknown>>;
  const names = Object.keys(values);
  let attributes = "";
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!;
    if (name !== "type" && !left.includes(name)) attributes += attributeOf(name, values[name]);
  }
  return attributes;
}

/** ` name="value"`; nothing for what is neither a scalar nor a list of words. */
function attributeOf(name: string, value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return ` ${name}="${value}"`;
  if (typeof value === "string") return ` ${name}="${escapeAttribute(value)}"`;
  if (!Array.isArray(value) || value.length === 0) return "";
  if (!value.every((word) => typeof word === "string")) return "";
  return ` ${name}="${escapeAttribute(shellLine(value))}"`;
}
