/** Write results, questions and plans in xml. */

import { utf8Bytes } from "../../fd/system.ts";
import type { NeedsInput, PlanShown, WriteResult } from "../terms/answers.ts";
import { bufferSmall, type Part } from "./body_text.ts";
import type { Dress } from "./dress.ts";
import { attributesOf, tagWriter } from "./tag_writer.ts";
import { escapeAttribute, escapeText } from "./xml_escape.ts";

const CLOSING_TAGS = ["</write_result", "</diff", "</fd_", "</preview"];

/** A write's result; the diff of a dry run is its body. */
export function writeResultXml(answer: WriteResult, dress: Dress): Part[] {
  const diff = answer.diff === undefined ? undefined : bufferSmall(answer.diff);
  const tag = tagWriter(answer, diff === undefined ? [] : [diff], CLOSING_TAGS, dress);
  const files = (answer.files ?? []).map((file) =>
    `  ${dress.paint.tag(`<file${attributesOf(file, [])}/>`)}\n`
  );
  const opening = tag.open("write_result", attributesOf(answer, ["message", "next", "files", "diff"]));
  return [
    `${opening}\n${tag.heading()}${files.join("")}`,
    ...diff === undefined || diff.byteLength === 0
      ? []
      : [`  ${tag.open("diff")}\n`, diff, `${tag.close("diff")}\n`],
    `${tag.close("write_result")}\n`,
  ];
}

/** A question. Its answer type is JSON, like the answer. */
export function needsInputXml(answer: NeedsInput, dress: Dress): string {
  const { inquiry_id, tool, question, target } = answer;
  const tag = tagWriter(answer, [], [], dress);
  const { id, text, pre_amble, answer_type, default: given } = question;
  const element = (name: string, inside: string, attributes = "") =>
    `  ${tag.open(name, attributes)}${escapeText(inside)}${tag.close(name)}\n`;
  const model = target === undefined ? {} : { model: target.model.id };
  const defaults = given === null ? "" : ` default="${escapeAttribute(String(given))}"`;
  return `${tag.open("needs_input", attributesOf({ inquiry_id, tool, ...model }, []))}\n` +
    (pre_amble === null ? "" : element("pre_amble", pre_amble)) +
    element("question", text, ` id="${escapeAttribute(id)}"${defaults}`) +
    element("answer_type", JSON.stringify(answer_type)) +
    tag.heading() +
    `${tag.close("needs_input")}\n`;
}

/** The plan of a step, with JSON as its body. */
export function planShownXml(answer: PlanShown, dress: Dress): string {
  const text = answer.plan === undefined ? "" : JSON.stringify(answer.plan, null, 2);
  const body = utf8Bytes(text);
  const closing = ["</plan", ...CLOSING_TAGS];
  const tag = tagWriter(answer, [{ byteLength: body.length, chunks: () => [body] }], closing, dress);
  return `${tag.open("plan_shown", attributesOf(answer, ["message", "next", "plan", "whole"]))}\n` +
    tag.heading() + (text === "" ? "" : `  ${tag.open("plan")}\n${text}\n${tag.close("plan")}\n`) +
    `${tag.close("plan_shown")}\n`;
}
