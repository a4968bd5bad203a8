/**
 * Reads fdtool's answers as its callers do: xml by its tags and boundaries, json as one object on
 * one line. Strict on purpose: an answer that is not exactly in the contract's shape fails here.
 */

import { Buffer } from "node:buffer";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Finished } from "./world.ts";

/** One element in xml. Bodies are bytes, since they are verbatim. */
export interface Element {
  tag: string;
  attributes: Record<string, string>;
  /** Everything between the opening and the closing tag. */
  inner: Uint8Array;
  children: Element[];
}

/** An object in json. */
export type JsonAnswer = Record<string, unknown>;

/** An error, in either format. */
export interface Failure {
  type: string;
  message: string;
  next: string | undefined;
  /** The other attributes or fields. */
  fields: Record<string, unknown>;
}

const LF = 0x0a;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const OPENING = /^<([a-z_]+)((?: [a-z0-9_]+="[^"<>\n\r]*")*)(\/?)>/;

/** Bytes as text of one char a byte, so that offsets stay byte offsets. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Unescapes an attribute value. */
function unescaped(value: string): string {
  return value.replace(/&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-z]+));/g, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(parseInt(decimal, 10));
    const char = ENTITIES[name];
    assert(char !== undefined, `no such entity: ${whole}`);
    return char;
  });
}

/** `text` as UTF-8 bytes. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Reads the one element that starts at byte `at`, and where it ends. The closing tag carries the opening's boundary. */
function elementAt(bytes: Uint8Array, at: number): { element: Element; end: number } {
  const text = latin1(bytes.subarray(at, at + 65536));
  const opening = OPENING.exec(text);
  assert(opening !== null, `no opening tag at byte ${at}: ${JSON.stringify(text.slice(0, 300))}`);
  const [whole, tag = "", attributeText = "", selfClosing] = opening;
  const attributes: Record<string, string> = {};
  for (const [, name = "", value = ""] of attributeText.matchAll(/ ([a-z0-9_]+)="([^"]*)"/g)) {
    const utf8 = Uint8Array.from(value, (char) => char.charCodeAt(0));
    assert(!(name in attributes), `attribute twice: ${name}`);
    attributes[name] = unescaped(new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8));
  }
  if (selfClosing === "/") {
    return { element: { tag, attributes, inner: new Uint8Array(), children: [] }, end: at + whole.length };
  }
  const boundary = attributes["boundary"];
  const closing = boundary === undefined ? `</${tag}>` : `</${tag} boundary="${boundary}">`;
  const innerStart = at + whole.length;
  const closesAt = latin1(bytes).indexOf(closing, innerStart);
  assert(closesAt >= 0, `${tag} is never closed by ${closing}: ${JSON.stringify(text.slice(0, 300))}`);
  const inner = bytes.subarray(innerStart, closesAt);
  return { element: { tag, attributes, inner, children: [] }, end: closesAt + closing.length };
}

/** The elements that follow each other in `bytes`, with nothing but white space between them. */
function elementsIn(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] === LF || bytes[at] === 0x20) {
      at++;
      continue;
    }
    const { element, end } = elementAt(bytes, at);
    found.push(element);
    at = end;
  }
  return found;
}

/** The answers that the contract makes of other elements; the inside of the rest is content or the tool's choice. */
const MADE_OF_ELEMENTS = new Set(["fd_result", "fd_extraction", "fd_file_result", "fd_diff", "fd_error"]);

/** Reads the answer that `bytes` hold: exactly one element, a line end after it, and nothing else. */
export function readXml(bytes: Uint8Array): Element {
  const { element, end } = elementAt(bytes, 0);
  assertEquals(latin1(bytes.subarray(end)), "\n", "an answer ends with one line end and nothing after it");
  if (MADE_OF_ELEMENTS.has(element.tag)) element.children = elementsIn(element.inner);
  return element;
}

/** The body of an element that frames content: from the line end after `>` to the one before `</`. */
export function bodyOf(element: Element): Uint8Array {
  const { inner, tag } = element;
  assert(inner.length >= 2 && inner[0] === LF && inner.at(-1) === LF, `${tag} frames its body in line ends`);
  return inner.subarray(1, -1);
}

/** The text inside the first child called `tag`; undefined if it is missing. */
export function childText(element: Element, tag: string): string | undefined {
  const child = element.children.find((candidate) => candidate.tag === tag);
  if (child === undefined) return undefined;
  const text = new TextDecoder().decode(child.inner);
  // The next call is shown as it must be typed.
  return tag === "next" ? text : unescaped(text);
}

/** Reads json: one object on one line. */
export function readJson(text: string): JsonAnswer {
  assertMatch(text, /^\{[^\n]*\}\n$/, `one object on one line: ${text.slice(0, 300)}`);
  const parsed: unknown = JSON.parse(text);
  assert(typeof parsed === "object" && parsed !== null);
  return parsed as JsonAnswer;
}

/** The json answer of a call that went well. */
export function jsonOf(finished: Finished): JsonAnswer {
  assertEquals([finished.code, finished.stderr], [0, ""], finished.text.slice(0, 300));
  return readJson(finished.text);
}

/** The xml answer of a call that went well. */
export function xmlOf(finished: Finished): Element {
  assertEquals([finished.code, finished.stderr], [0, ""], finished.text.slice(0, 300));
  return readXml(finished.stdout);
}

/** The bytes that a json answer holds under `field`. */
export function jsonBytes(answer: JsonAnswer, field: "content" | "preview" = "content"): Uint8Array {
  const value = answer[field];
  assert(typeof value === "string", `${field} is a string: ${JSON.stringify(answer).slice(0, 300)}`);
  if (answer["encoding"] === undefined) return encode(value);
  assertEquals(answer["encoding"], "base64");
  return Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
}

/**
 * The failure that a call ended with, in either format. Checks what holds for every failure: a type, a sentence of
 * one line, nothing on stdout, no stack trace.
 */
export function failureOf(finished: Finished): Failure {
  const reported = JSON.stringify([
    finished.code,
    finished.text.slice(0, 300),
    finished.stderr.slice(0, 600),
  ]);
  assert(finished.code !== 0, `a failure has an exit code: ${reported}`);
  assertEquals(finished.text, "", `a failure leaves stdout empty: ${reported}`);
  assert(!/\n\s+at .*[(:]\d/.test(finished.stderr), `no stack trace: ${reported}`);
  const failure = finished.stderr.startsWith("{")
    ? failureOfJson(finished.stderr)
    : failureOfXml(finished.stderr);
  assertMatch(failure.type, /^[a-z_]+$/, reported);
  assert(failure.message.trim().length > 0, `a failure has a message: ${reported}`);
  return failure;
}

function failureOfJson(stderr: string): Failure {
  const { type, error, message, next, ...fields } = readJson(stderr);
  assertEquals(type, "fd_error");
  return {
    type: String(error),
    message: String(message),
    next: next === undefined ? undefined : String(next),
    fields,
  };
}

function failureOfXml(stderr: string): Failure {
  const element = readXml(encode(stderr));
  assertEquals(element.tag, "fd_error", stderr);
  const { type = "", ...fields } = element.attributes;
  return { type, message: childText(element, "message") ?? "", next: childText(element, "next"), fields };
}

/** Asserts that a call failed with `type` and one of `codes`; answers the failure. */
export function assertFailure(finished: Finished, type: string, codes: readonly number[] = [1]): Failure {
  const failure = failureOf(finished);
  assertEquals(failure.type, type, finished.stderr);
  assert(codes.includes(finished.code), `exit code ${finished.code} of ${type}, wanted ${codes}`);
  return failure;
}
