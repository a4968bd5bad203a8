/**
 * Answers as tags, for models (contract, Answers). Bodies appear byte for byte. If a body contains a closing tag, every
 * tag of the answer has a random boundary, which no body can know.
 */

import { utf8Bytes } from "../../../fd/system.ts";
import type {
  AnswerOf,
  Body,
  FdContent,
  FdResult,
  FdSummary,
  FramedAnswer,
  NeedsInput,
} from "../../calls/terms/answers.ts";
import type { Dress } from "./dress.ts";
import { bufferSmall, inOnePiece, numberedBody, type Part, previewBodies, shownBytes } from "./body_text.ts";
import { matchLines } from "./match_lines.ts";
import { attributesOf, escaped, tagWriter } from "./tag_writer.ts";

const LINE_FEED = 0x0a;
const CLOSING_TAGS = ["</fd_", "</preview"];

/** The answer as UTF-8. Large bodies are walked twice and never loaded. */
export function xmlOf(answer: FramedAnswer, dress: Dress): Iterable<Uint8Array> {
  switch (answer.type) {
    case "fd_content":
      return shownBytes(contentXml(answer, dress));
    case "fd_result":
      return shownBytes(resultXml(answer, dress));
    case "needs_input":
      return shownBytes([questionXml(answer, dress)]);
    case "plan_shown":
      return shownBytes(planXml(answer, dress));
    case "fd_path":
      return shownBytes([`${answer.path}\n`]);
    default:
      return shownBytes(recordXml(answer, dress));
  }
}

function contentXml(answer: FdContent, dress: Dress): Part[] {
  const body = numberedBody(answer);
  const { tag, next } = tagWriter(answer, [{ body }], CLOSING_TAGS, dress);
  // Next to a body there is no line for the next call: it is an attribute or, if escaping would change it, follows.
  const isAttribute = next !== undefined && escaped(next) === next;
  const attributes = attributesOf(answer, isAttribute ? next : undefined, answer.message);
  const following = next === undefined || isAttribute
    ? ""
    : `${tag("next")}${dress.paint.next(next)}${tag("/next")}\n`;
  return [`${tag("fd_content", attributes)}\n`, body, `\n${tag("/fd_content")}\n${following}`];
}

function resultXml(answer: FdResult, dress: Dress): Part[] {
  const shown = previewBodies(answer.preview);
  const { tag, heading } = tagWriter(answer, shown, CLOSING_TAGS, dress);
  const parts: Part[] = [`${tag("fd_result", attributesOf(answer))}\n${heading}`];
  for (const { lines, body } of shown) {
    const named = shown.length > 1 ? ` lines="${lines}"` : "";
    parts.push(`  ${tag("preview", named)}\n`, body, `\n${tag("/preview")}\n`);
  }
  parts.push(`${tag("/fd_result")}\n`);
  return parts;
}

/** The fields that are neither attributes nor items: bodies, and what precedes them. */
const OWN_LINES = new Set(["message", "next", "diff", "whole", "values", "matches"]);

/** Facts as attributes, lists as one element a line, and at most one body. */
function recordXml(
  answer: Exclude<
    FramedAnswer,
    FdContent | FdResult | AnswerOf<"fd_path"> | NeedsInput | AnswerOf<"plan_shown">
  >,
  dress: Dress,
): Part[] {
  const { facts, ...own } = "facts" in answer ? answer : { ...answer, facts: {} };
  const fields: Record<string, unknown> = { ...own, ...facts };
  const name = answer.type;
  const items: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (OWN_LINES.has(field) || typeof value !== "object" || value === null) continue;
    if (field === "fds" && answer.type === "fd_list") items.push(...answer.fds.map(fdLine));
    else if (!Array.isArray(value)) items.push(itemLine(field, value));
    else if (value.every((item) => typeof item === "object")) {
      const element = itemName(field);
      for (const item of value) items.push(itemLine(element, item));
    }
  }
  const counted = answer.type === "fd_list"
    ? ` count="${answer.fds.length}"`
    : answer.type === "ref_list"
    ? ` count="${answer.refs.length}"`
    : "";
  const attributes = counted + attributesOf(fields);
  const element = bodyOf(answer);
  const body = element?.body;
  const closing = element === undefined ? CLOSING_TAGS : [...CLOSING_TAGS, `</${element.name}`, `</${name}`];
  const remarks = { message: undefined, next: undefined, ...answer };
  const { tag, heading } = tagWriter(remarks, body === undefined ? [] : [{ body }], closing, dress);
  if (heading === "" && items.length === 0 && element === undefined) {
    return [`${dress.paint.tag(`<${name}${attributes}/>`)}\n`];
  }
  if (name === "fd_ended") return [`${tag(name, attributes)}${heading.trim()}${tag(`/${name}`)}\n`];
  const parts: Part[] = [[`${tag(name, attributes)}\n${heading}`, ...items].join("")];
  if (body !== undefined) {
    // A body cut inside a line has no final line end.
    const end = endsLine(body) ? "" : "\n";
    parts.push(`  ${tag(element!.name)}\n`, body, `${end}${tag(`/${element!.name}`)}\n`);
  }
  parts.push(`${tag(`/${name}`)}\n`);
  return parts;
}

/** The element with the lines of an answer; without `body` if it has none now. */
function bodyOf(answer: FramedAnswer): { name: string; body: Body | undefined } | undefined {
  switch (answer.type) {
    case "fd_matches": {
      const bytes = utf8Bytes(matchLines(answer));
      return { name: "matches", body: bytes.length === 0 ? undefined : inOnePiece(bytes) };
    }
    case "fd_query":
      return { name: "values", body: answer.values };
    case "fd_diff":
    case "write_log":
    case "write_result": {
      const { diff } = answer;
      if (answer.type === "write_log" && diff === undefined) return undefined;
      const isNone = diff === undefined || answer.type === "write_result" && diff.byteLength === 0;
      return { name: "diff", body: isNone ? undefined : bufferSmall(diff) };
    }
    default:
      return undefined;
  }
}

function endsLine(body: Body): boolean {
  let last: number | undefined;
  for (const chunk of body.chunks()) last = chunk.at(-1) ?? last;
  return last === LINE_FEED;
}

function itemLine(name: string, item: object): string {
  return `  <${name}${attributesOf(item)}/>\n`;
}

/** A line of `ls`. A list may have 100,000, so the usual form has code of its own. A test compares both. */
function fdLine(fd: FdSummary): string {
  const isPlain = fd.names.length === 0 && fd.state !== "removed" && fd.dropped_bytes === undefined &&
    fd.disk_bytes === undefined;
  if (!isPlain) return itemLine("fd", fd);
  const { state, source, bytes, chars, total_lines, pages, created } = fd;
  return `  <fd fd="${fd.fd}" state="${state}" source="${escaped(source)}" bytes="${bytes}" ` +
    `chars="${chars}" total_lines="${total_lines}" pages="${pages}" created="${created}"/>\n`;
}

/** The element of a list's items: `fd` for `fds`; a name that is not a plural stays as it is. */
function itemName(list: string): string {
  if (list === "inquiries") return "inquiry";
  return /^(?:fd|ref|file|shape|step)s$/.test(list) ? list.slice(0, -1) : list;
}

/** A question. Its answer type is JSON, like the answer. */
function questionXml(answer: NeedsInput, dress: Dress): string {
  const { inquiry_id, tool, question, target } = answer;
  const { tag, heading } = tagWriter(answer, [], [], dress);
  const { id, text, pre_amble, answer_type, default: given } = question;
  const element = (name: string, inside: string, attributes = "") =>
    `  ${tag(name, attributes)}${escaped(inside, '"')}${tag(`/${name}`)}\n`;
  const model = target === undefined ? {} : { model: target.model.id };
  const defaults = given === null ? "" : ` default="${escaped(String(given))}"`;
  return `${tag("needs_input", attributesOf({ inquiry_id, tool, ...model }))}\n` +
    (pre_amble === null ? "" : element("pre_amble", pre_amble)) +
    element("question", text, ` id="${escaped(id)}"${defaults}`) +
    element("answer_type", JSON.stringify(answer_type)) +
    heading +
    `${tag("/needs_input")}\n`;
}

/** The plan of a step, with JSON as its body. */
function planXml({ plan, whole: _, ...answer }: AnswerOf<"plan_shown">, dress: Dress): Part[] {
  const body = inOnePiece(utf8Bytes(plan === undefined ? "" : JSON.stringify(plan, null, 2)));
  const { tag, heading } = tagWriter(answer, [{ body }], [...CLOSING_TAGS, "</plan"], dress);
  const opening = `${tag("plan_shown", attributesOf(answer))}\n${heading}`;
  const shown: Part[] = plan === undefined ? [] : [`  ${tag("plan")}\n`, body, `\n${tag("/plan")}\n`];
  return [opening, ...shown, `${tag("/plan_shown")}\n`];
}
