/**
 * Answers as tags, the dress for models (contract, Answers). Bodies stand in it byte for byte; what keeps them from
 * passing for fdtool's own words is the frame: a body that holds a closing tag gets a frame whose every tag carries a
 * random boundary that no body could know.
 *
 * @module
 */

import { utf8Bytes } from "../../fd/mod.ts";
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
import { keepSmall, type Part, shownBytes } from "./body_text.ts";
import { fdLines } from "./fd_lines.ts";
import { matchLines } from "./match_lines.ts";
import { numberedBody } from "./number_lines.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { attributesOf, freshBoundary, messageXml, tagWriter } from "./tag_writer.ts";
import { needsInputXml, planShownXml, writeResultXml } from "./write_xml.ts";

const LINE_FEED = 0x0a;
const CLOSING_TAGS = ["</fd_", "</preview"];

/** The answer as UTF-8. Bodies are walked twice when they are large; nothing is held but the chunk at hand. */
export function xmlOf(
  answer: FramedAnswer,
  paint: Paint = PLAIN,
  makeBoundary: () => string = freshBoundary,
): Iterable<Uint8Array> {
  return shownBytes(partsOf(answer, paint, makeBoundary));
}

function partsOf(answer: FramedAnswer, paint: Paint, makeBoundary: () => string): Part[] {
  switch (answer.type) {
    case "fd_content":
      return contentXml(answer, paint, makeBoundary);
    case "fd_result":
      return resultXml(answer, paint, makeBoundary);
    case "fd_matches":
      return matchesXml(answer, paint, makeBoundary);
    case "fd_diff":
      return diffXml(answer, paint, makeBoundary);
    case "write_result":
      return writeResultXml(answer, paint, makeBoundary);
    case "needs_input":
      return [needsInputXml(answer, paint)];
    case "plan_shown":
      return [planShownXml(answer, paint, makeBoundary)];
    case "fd_path":
      return [`${answer.path}\n`];
    default:
      return recordXml(answer, paint);
  }
}

function contentXml(answer: FdContent, paint: Paint, makeBoundary: () => string): Part[] {
  const body = numberedBody(answer);
  const tag = tagWriter([body], CLOSING_TAGS, paint, makeBoundary);
  const opening = tag.open("fd_content", attributesOf(answer, ["content"]));
  return [`${opening}\n`, body, `\n${tag.close("fd_content")}\n`];
}

function resultXml(answer: FdResult, paint: Paint, makeBoundary: () => string): Part[] {
  const bodies: Body[] = [];
  for (const { body } of answer.preview) bodies.push(keepSmall(body));
  const tag = tagWriter(bodies, CLOSING_TAGS, paint, makeBoundary);
  const opening = tag.open("fd_result", attributesOf(answer, ["message", "next", "preview"]));
  const parts: Part[] = [`${opening}\n${messageXml(answer, tag)}`];
  for (let at = 0; at < bodies.length; at++) {
    const named = bodies.length > 1 ? ` lines="${answer.preview[at]!.lines}"` : "";
    parts.push(`  ${tag.open("preview", named)}\n`, bodies[at]!, `\n${tag.close("preview")}\n`);
  }
  parts.push(`${tag.close("fd_result")}\n`);
  return parts;
}

function matchesXml(answer: FdMatches, paint: Paint, makeBoundary: () => string): Part[] {
  const bytes = utf8Bytes(matchLines(answer));
  const body: Body = { byteLength: bytes.length, chunks: () => [bytes] };
  const tag = tagWriter([body], [...CLOSING_TAGS, "</matches"], paint, makeBoundary);
  const opening = tag.open("fd_matches", attributesOf(answer, ["message", "next", "matches"]));
  return [
    `${opening}\n${messageXml(answer, tag)}`,
    ...bytes.length === 0 ? [] : [`  ${tag.open("matches")}\n`, body, `${tag.close("matches")}\n`],
    `${tag.close("fd_matches")}\n`,
  ];
}

function diffXml(answer: FdDiff, paint: Paint, makeBoundary: () => string): Part[] {
  const diff = answer.diff === undefined ? undefined : keepSmall(answer.diff);
  const tag = tagWriter(diff === undefined ? [] : [diff], [...CLOSING_TAGS, "</diff"], paint, makeBoundary);
  const opening = tag.open("fd_diff", attributesOf(answer, ["message", "next", "diff", "whole"]));
  const parts: Part[] = [`${opening}\n${messageXml(answer, tag)}`];
  if (diff !== undefined) {
    // What was cut inside a line has no line end of its own.
    const end = endsLine(diff) ? "" : "\n";
    parts.push(`  ${tag.open("diff")}\n`, diff, `${end}${tag.close("diff")}\n`);
  }
  parts.push(`${tag.close("fd_diff")}\n`);
  return parts;
}

function endsLine(body: Body): boolean {
  let last: number | undefined;
  for (const chunk of body.chunks()) last = chunk.at(-1) ?? last;
  return last === LINE_FEED;
}

/** An answer without a body: its facts as attributes, its lists as one element a line. */
function recordXml(
  answer: Exclude<
    FramedAnswer,
    FdContent | FdResult | FdMatches | FdDiff | FdPath | WriteResult | NeedsInput | PlanShown
  >,
  paint: Paint,
): Part[] {
  const tag = tagWriter([], [], paint, freshBoundary);
  const { facts, ...own } = "facts" in answer ? answer : { ...answer, facts: {} };
  const fields: Record<string, unknown> = { ...own, ...facts };
  const name = answer.type;
  const items: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (field === "fds" && answer.type === "fd_list") items.push(...fdLines(answer.fds));
    else if (Array.isArray(value) && value.every((item) => typeof item === "object")) {
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
  const told = messageXml({ message, next }, tag);
  if (told === "" && items.length === 0) return [`${paint.tag(`<${name}${attributes}/>`)}\n`];
  return [`${tag.open(name, attributes)}\n${told}`, ...items, `${tag.close(name)}\n`];
}

/** How one item of a list is called: `fd` of `fds`; lists whose name is no plural lend it as it is. */
function itemName(list: string): string {
  switch (list) {
    case "fds":
    case "refs":
    case "files":
    case "steps":
      return list.slice(0, -1);
    case "inquiries":
      return "inquiry";
    default:
      return list;
  }
}
