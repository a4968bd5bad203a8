/**
 * Answers as tags, the dress for models (SPEC section 5). Bodies stand in it byte for byte; what keeps them from
 * passing for fdtool's own words is the frame: a body that holds a closing tag gets a frame whose every tag carries a
 * random boundary that no body could know.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Body, FdContent, FdMatches, FdPath, FdResult, FramedAnswer } from "../answers.ts";
import { shellLine } from "../next_command.ts";
import { holdsAny, keepSmall, shownBytes } from "./body_text.ts";
import { matchLines } from "./match_lines.ts";
import { numberedBody } from "./number_lines.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { escapeAttribute, escapeText } from "./xml_escape.ts";

/** A value that can stand in an attribute. */
type Scalar = string | number | boolean;

/** The attributes whose order the contract gives; others follow them. */
const FIRST_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  fd_result: ["fd", "pages", "truncated", "lines", "total_lines", "source", "chars", "bytes"],
  fd_content: [
    "fd",
    "page",
    "pages",
    "continued",
    "truncated",
    "lines",
    "total_lines",
    "mode",
    "start",
    "count",
  ],
  fd_extraction: ["source_fd", "new_fd", "mode", "content_size", "start", "count", "page"],
  fd_file_result: [
    "fd",
    "file_path",
    "mode",
    "char_count",
    "size_bytes",
    "success",
    "create",
    "exist_ok",
    "backup_fd",
  ],
};

const CLOSING_TAGS = ["</fd_", "</preview"];

/** The answer as UTF-8. Bodies are walked twice when they are large; nothing is held but the chunk at hand. */
export function* xmlOf(
  answer: FramedAnswer,
  paint: Paint = PLAIN,
  makeBoundary: () => string = freshBoundary,
): Iterable<Uint8Array> {
  switch (answer.type) {
    case "fd_content":
      return yield* contentXml(answer, paint, makeBoundary);
    case "fd_result":
      return yield* resultXml(answer, paint, makeBoundary);
    case "fd_matches":
      return yield* matchesXml(answer, paint, makeBoundary);
    case "fd_path":
      yield Buffer.from(`${answer.path}\n`);
      break;
    default:
      yield Buffer.from(recordXml(answer, paint));
  }
}

/** Sixteen random hex digits. */
function freshBoundary(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

/** A function that writes tags, all with the same boundary when a body needs one. */
function tagWriter(
  bodies: readonly Body[],
  closingTags: readonly string[],
  paint: Paint,
  makeBoundary: () => string,
) {
  const needed = bodies.some((body) => holdsAny(body, closingTags));
  const boundary = needed ? ` boundary="${makeBoundary()}"` : "";
  return {
    paint,
    open: (name: string, attributes = "") => paint.tag(`<${name}${attributes}${boundary}>`),
    close: (name: string) => paint.tag(`</${name}${boundary}>`),
  };
}

function* contentXml(answer: FdContent, paint: Paint, makeBoundary: () => string): Iterable<Uint8Array> {
  const body = numberedBody(answer);
  const tag = tagWriter([body], CLOSING_TAGS, paint, makeBoundary);
  yield Buffer.from(`${tag.open("fd_content", attributesOf(answer, ["content"]))}\n`);
  yield* shownBytes(body);
  yield Buffer.from(`\n${tag.close("fd_content")}\n`);
}

function* resultXml(answer: FdResult, paint: Paint, makeBoundary: () => string): Iterable<Uint8Array> {
  const parts = answer.preview.map(({ lines, body }) => ({ lines, body: keepSmall(body) }));
  const tag = tagWriter(parts.map(({ body }) => body), CLOSING_TAGS, paint, makeBoundary);
  yield Buffer.from(
    `${tag.open("fd_result", attributesOf(answer, ["message", "next", "preview"]))}\n` +
      messageXml(answer, tag),
  );
  for (const { lines, body } of parts) {
    yield Buffer.from(`  ${tag.open("preview", parts.length > 1 ? ` lines="${lines}"` : "")}\n`);
    yield* shownBytes(body);
    yield Buffer.from(`\n${tag.close("preview")}\n`);
  }
  yield Buffer.from(`${tag.close("fd_result")}\n`);
}

function* matchesXml(answer: FdMatches, paint: Paint, makeBoundary: () => string): Iterable<Uint8Array> {
  const bytes = Buffer.from(matchLines(answer));
  const body: Body = { byteLength: bytes.length, chunks: () => [bytes] };
  const tag = tagWriter([body], [...CLOSING_TAGS, "</matches"], paint, makeBoundary);
  yield Buffer.from(
    `${tag.open("fd_matches", attributesOf(answer, ["message", "next", "matches"]))}\n` +
      messageXml(answer, tag),
  );
  if (bytes.length > 0) {
    yield Buffer.from(`  ${tag.open("matches")}\n`);
    yield bytes;
    yield Buffer.from(`${tag.close("matches")}\n`);
  }
  yield Buffer.from(`${tag.close("fd_matches")}\n`);
}

/** An answer without a body: its facts as attributes, its lists as one element a line. */
function recordXml(
  answer: Exclude<FramedAnswer, FdContent | FdResult | FdMatches | FdPath>,
  paint: Paint,
): string {
  const tag = tagWriter([], [], paint, freshBoundary);
  const { facts, ...own } = "facts" in answer ? answer : { ...answer, facts: {} };
  const fields: Record<string, unknown> = { ...own, ...facts };
  const name = answer.type;
  const items: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (Array.isArray(value) && value.every((item) => typeof item === "object")) {
      for (const item of value) {
        items.push(`  <${itemName(field)}${attributesOf(item, [])}/>\n`);
      }
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      items.push(`  <${field}${attributesOf(value, [])}/>\n`);
    }
  }
  const counted = answer.type === "fd_list"
    ? ` count="${answer.fds.length}"`
    : answer.type === "ref_list"
    ? ` count="${answer.refs.length}"`
    : "";
  const attributes = counted + attributesOf(fields, ["message", "next"]);
  const { message, next } = { message: undefined, next: undefined, ...answer };
  const inside = messageXml({ message, next }, tag) + items.join("");
  if (inside === "") return `${paint.tag(`<${name}${attributes}/>`)}\n`;
  return `${tag.open(name, attributes)}\n${inside}${tag.close(name)}\n`;
}

/** How one item of a list is called: `fd` of `fds`, `ref` of `refs`; other lists lend their own name. */
function itemName(list: string): string {
  return list === "fds" || list === "refs" ? list.slice(0, -1) : list;
}

function messageXml(
  answer: { message?: string | undefined; next?: string | undefined },
  tag: ReturnType<typeof tagWriter>,
): string {
  const line = (name: string, text: string | undefined) =>
    text === undefined ? "" : `  ${tag.open(name)}${text}${tag.close(name)}\n`;
  return line("message", answer.message && escapeText(answer.message)) +
    line("next", answer.next && tag.paint.next(escapeText(answer.next)));
}

/** The scalar fields, and lists of words as a shell would write them, as attributes: those of the contract first, in its order. */
function attributesOf(fields: object, left: readonly string[]): string {
  const values = fields as Readonly<Record<string, unknown>>;
  const type = values["type"];
  const first = typeof type === "string" ? FIRST_ATTRIBUTES[type] ?? [] : [];
  // Lists have very many items, and items have no type: their fields stand as they come.
  const names = first.length === 0 ? Object.keys(values) : new Set([...first, ...Object.keys(values)]);
  let attributes = "";
  for (const name of names) {
    if (name === "type" || left.includes(name)) continue;
    const value = values[name];
    const text = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")
      ? shellLine(value)
      : isScalar(value)
      ? String(value)
      : undefined;
    if (text !== undefined) attributes += ` ${name}="${escapeAttribute(text)}"`;
  }
  return attributes;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
