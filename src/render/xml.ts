/**
 * Answers as tags, for models (contract, Answers). Bodies appear byte for byte. If a body contains a closing tag, every
 * tag of the answer has a random boundary, which no body can know.
 */

import { utf8Bytes } from "../../fd/system.ts";
import type {
  Body,
  FdContent,
  FdDiff,
  FdMatches,
  FdPath,
  FdQuery,
  FdResult,
  FramedAnswer,
  NeedsInput,
  PlanShown,
  WriteResult,
} from "../terms/answers.ts";
import { digestBody, isDigest } from "./digest_body.ts";
import type { Dress } from "./dress.ts";
import { bufferSmall, type Part, shownBytes } from "./body_text.ts";
import { fdLines } from "./fd_lines.ts";
import { matchLines } from "./match_lines.ts";
import { numberedBody } from "./number_lines.ts";
import { attributesOf, type TagWriter, tagWriter } from "./tag_writer.ts";
import { escapeAttribute } from "./xml_escape.ts";
import { needsInputXml, planShownXml, writeResultXml } from "./write_xml.ts";

const LINE_FEED = 0x0a;
const CLOSING_TAGS = ["</fd_", "</preview"];

/** The answer as UTF-8. Large bodies are walked twice and never loaded. */
export function xmlOf(
  answer: FramedAnswer,
  dress: Dress,
): Iterable<Uint8Array> {
  return shownBytes(partsOf(answer, dress));
}

function partsOf(answer: FramedAnswer, dress: Dress): Part[] {
  switch (answer.type) {
    case "fd_content":
      return contentXml(answer, dress);
    case "fd_result":
      return resultXml(answer, dress);
    case "fd_matches":
      return matchesXml(answer, dress);
    case "fd_diff":
      return diffXml(answer, dress);
    case "fd_query":
      return queryXml(answer, dress);
    case "write_result":
      return writeResultXml(answer, dress);
    case "needs_input":
      return [needsInputXml(answer, dress)];
    case "plan_shown":
      return [planShownXml(answer, dress)];
    case "fd_path":
      return [`${answer.path}\n`];
    default:
      return recordXml(answer, dress);
  }
}

function contentXml(answer: FdContent, dress: Dress): Part[] {
  const body = numberedBody(answer);
  const tag = tagWriter(answer, [body], CLOSING_TAGS, dress);
  // Next to a body there is no line for the next call: it is an attribute or, if escaping would change it, follows.
  const isAttribute = tag.next !== undefined && escapeAttribute(tag.next) === tag.next;
  const attributes = attributesOf(answer, ["content", "stored"], isAttribute ? tag.next : undefined);
  const following = tag.next === undefined || isAttribute
    ? ""
    : `${tag.open("next")}${dress.paint.next(tag.next)}${tag.close("next")}\n`;
  return [`${tag.open("fd_content", attributes)}\n`, body, `\n${tag.close("fd_content")}\n${following}`];
}

function resultXml(answer: FdResult, dress: Dress): Part[] {
  const bodies: Body[] = [];
  const lines: string[] = [];
  if (isDigest(answer.preview)) bodies.push(digestBody(answer.preview));
  else {
    for (const part of answer.preview) {
      if ("omitted" in part) continue;
      bodies.push(bufferSmall(part.body));
      lines.push(part.lines);
    }
  }
  const tag = tagWriter(answer, bodies, CLOSING_TAGS, dress);
  const opening = tag.open("fd_result", attributesOf(answer, ["message", "next", "preview"]));
  const parts: Part[] = [`${opening}\n${tag.heading()}`];
  for (let at = 0; at < bodies.length; at++) {
    const named = bodies.length > 1 ? ` lines="${lines[at]!}"` : "";
    parts.push(`  ${tag.open("preview", named)}\n`, bodies[at]!, `\n${tag.close("preview")}\n`);
  }
  parts.push(`${tag.close("fd_result")}\n`);
  return parts;
}

function matchesXml(answer: FdMatches, dress: Dress): Part[] {
  const bytes = utf8Bytes(matchLines(answer));
  const body: Body = { byteLength: bytes.length, chunks: () => [bytes] };
  const tag = tagWriter(answer, [body], [...CLOSING_TAGS, "</matches"], dress);
  const opening = tag.open("fd_matches", attributesOf(answer, ["message", "next", "matches"]));
  const fds = (answer.fds ?? []).map((fd) => `  <fd${attributesOf(fd, [])}/>\n`);
  return [
    `${opening}\n${tag.heading()}`,
    ...fds,
    ...(answer.shapes ?? []).map((shape) => `  <shape${attributesOf(shape, [])}/>\n`),
    ...bytes.length === 0 ? [] : [`  ${tag.open("matches")}\n`, body, `${tag.close("matches")}\n`],
    `${tag.close("fd_matches")}\n`,
  ];
}

function diffXml(answer: FdDiff, dress: Dress): Part[] {
  const diff = answer.diff === undefined ? undefined : bufferSmall(answer.diff);
  const tag = tagWriter(answer, diff === undefined ? [] : [diff], [...CLOSING_TAGS, "</diff"], dress);
  const opening = tag.open("fd_diff", attributesOf(answer, ["message", "next", "diff", "whole"]));
  return bodyXml(tag, "fd_diff", `${opening}\n${tag.heading()}`, "diff", diff);
}

function queryXml(answer: FdQuery, dress: Dress): Part[] {
  const { values } = answer;
  const tag = tagWriter(answer, values === undefined ? [] : [values], [...CLOSING_TAGS, "</values"], dress);
  const opening = tag.open("fd_query", attributesOf(answer, ["message", "next", "values"]));
  return bodyXml(tag, "fd_query", `${opening}\n${tag.heading()}`, "values", values);
}

/** An answer with at most one body of lines, in an element called `name`. A body cut inside a line has no final line end. */
function bodyXml(
  tag: TagWriter,
  type: string,
  opening: string,
  name: string,
  body: Body | undefined,
): Part[] {
  const parts: Part[] = [opening];
  if (body !== undefined) {
    const end = endsLine(body) ? "" : "\n";
    parts.push(`  ${tag.open(name)}\n`, body, `${end}${tag.close(name)}\n`);
  }
  parts.push(`${tag.close(type)}\n`);
  return parts;
}

function endsLine(body: Body): boolean {
  let last: number | undefined;
  for (const chunk of body.chunks()) last = chunk.at(-1) ?? last;
  return last === LINE_FEED;
}

/** An answer without a body: facts as attributes, lists as one element a line. */
function recordXml(
  answer: Exclude<
    FramedAnswer,
    FdContent | FdResult | FdMatches | FdDiff | FdQuery | FdPath | WriteResult | NeedsInput | PlanShown
  >,
  dress: Dress,
): Part[] {
  const { facts, ...own } = "facts" in answer ? answer : { ...answer, facts: {} };
  const fields: Record<string, unknown> = { ...own, ...facts };
  const name = answer.type;
  const items: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (field === "message" || field === "next") continue;
    if (field === "fds" && answer.type === "fd_list") items.push(...fdLines(answer.fds));
    else if (Array.isArray(value) && value.every((item) => typeof item === "object")) {
      for (const item of value) {
        items.push(`  <${itemName(field)}${attributesOf(item, [])}/>\n`);
      }
    } else if (field !== "diff" && typeof value === "object" && value !== null && !Array.isArray(value)) {
      items.push(`  <${field}${attributesOf(value, [])}/>\n`);
    }
  }
  const counted = answer.type === "fd_list"
    ? ` count="${answer.fds.length}"`
    : answer.type === "ref_list"
    ? ` count="${answer.refs.length}"`
    : "";
  const attributes = counted + attributesOf(fields, ["message", "next", "diff"]);
  const diff = answer.type === "write_log" && answer.diff !== undefined
    ? bufferSmall(answer.diff)
    : undefined;
  const tag = tagWriter(
    { message: undefined, next: undefined, ...answer },
    diff === undefined ? [] : [diff],
    [...CLOSING_TAGS, "</diff", "</write_log"],
    dress,
  );
  if (tag.heading() === "" && items.length === 0) return [`${dress.paint.tag(`<${name}${attributes}/>`)}\n`];
  if (name === "fd_ended") {
    return [`${tag.open(name, attributes)}${tag.heading().trim()}${tag.close(name)}\n`];
  }
  const opening = [`${tag.open(name, attributes)}\n${tag.heading()}`, ...items].join("");
  return bodyXml(tag, name, opening, "diff", diff);
}

/** The element of a list's items: `fd` for `fds`; a name that is not a plural stays as it is. */
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
