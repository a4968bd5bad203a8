/**
 * Answers as tags, the dress for models (SPEC section 5). Bodies stand in it byte for byte; what keeps them from
 * passing for fdtool's own words is the frame: a body that holds a closing tag gets a frame whose every tag carries a
 * random boundary that no body could know.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type {
  Body,
  FdContent,
  FdDiff,
  FdMatches,
  FdPath,
  FdResult,
  FramedAnswer,
  NeedsInput,
  PlanShown,
  WriteResult,
} from "../answers.ts";
import { keepSmall, shownBytes } from "./body_text.ts";
import { matchLines } from "./match_lines.ts";
import { numberedBody } from "./number_lines.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { attributesOf, freshBoundary, messageXml, tagWriter } from "./tag_writer.ts";
import { needsInputXml, planShownXml, writeResultXml } from "./write_xml.ts";

const LINE_FEED = 0x0a;
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
    case "fd_diff":
      return yield* diffXml(answer, paint, makeBoundary);
    case "write_result":
      return yield* writeResultXml(answer, paint, makeBoundary);
    case "needs_input":
      yield Buffer.from(needsInputXml(answer, paint));
      break;
    case "plan_shown":
      yield Buffer.from(planShownXml(answer, paint, makeBoundary));
      break;
    case "fd_path":
      yield Buffer.from(`${answer.path}\n`);
      break;
    default:
      yield Buffer.from(recordXml(answer, paint));
  }
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

function* diffXml(answer: FdDiff, paint: Paint, makeBoundary: () => string): Iterable<Uint8Array> {
  const diff = answer.diff === undefined ? undefined : keepSmall(answer.diff);
  const tag = tagWriter(diff === undefined ? [] : [diff], [...CLOSING_TAGS, "</diff"], paint, makeBoundary);
  yield Buffer.from(
    `${tag.open("fd_diff", attributesOf(answer, ["message", "next", "diff", "whole"]))}\n` +
      messageXml(answer, tag),
  );
  if (diff !== undefined) {
    yield Buffer.from(`  ${tag.open("diff")}\n`);
    let last: number | undefined;
    for (const piece of shownBytes(diff)) {
      yield piece;
      last = piece.at(-1) ?? last;
    }
    // What was cut inside a line has no line end of its own.
    yield Buffer.from(`${last === LINE_FEED ? "" : "\n"}${tag.close("diff")}\n`);
  }
  yield Buffer.from(`${tag.close("fd_diff")}\n`);
}

/** An answer without a body: its facts as attributes, its lists as one element a line. */
function recordXml(
  answer: Exclude<
    FramedAnswer,
    FdContent | FdResult | FdMatches | FdDiff | FdPath | WriteResult | NeedsInput | PlanShown
  >,
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

/** How one item of a list is called: `fd` of `fds`; lists whose name is no plural lend it as it is. */
function itemName(list: string): string {
  return ITEM_NAMES[list] ?? list;
}

const ITEM_NAMES: Readonly<Record<string, string>> = {
  fds: "fd",
  refs: "ref",
  files: "file",
  steps: "step",
  inquiries: "inquiry",
};
