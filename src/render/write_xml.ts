/**
 * What a write did, or wants to know, as tags.
 *
 * @module
 */

import { utf8Bytes } from "../../fd/mod.ts";
import type { NeedsInput, PlanShown, WriteResult } from "../answers.ts";
import { keepSmall, type Part } from "./body_text.ts";
import type { Paint } from "./paint.ts";
import { attributesOf, freshBoundary, messageXml, tagWriter } from "./tag_writer.ts";
import { escapeAttribute, escapeText } from "./xml_escape.ts";

const CLOSING_TAGS = ["</write_result", "</diff", "</fd_", "</preview"];

/** A write's result; a dry run's diff stands in it as a body does. */
export function writeResultXml(answer: WriteResult, paint: Paint, makeBoundary: () => string): Part[] {
  const diff = answer.diff === undefined ? undefined : keepSmall(answer.diff);
  const tag = tagWriter(diff === undefined ? [] : [diff], CLOSING_TAGS, paint, makeBoundary);
  const files = (answer.files ?? []).map((file) => `  ${paint.tag(`<file${attributesOf(file, [])}/>`)}\n`);
  const opening = tag.open("write_result", attributesOf(answer, ["message", "next", "files", "diff"]));
  return [
    `${opening}\n${messageXml(answer, tag)}${files.join("")}`,
    ...diff === undefined || diff.byteLength === 0
      ? []
      : [`  ${tag.open("diff")}\n`, diff, `${tag.close("diff")}\n`],
    `${tag.close("write_result")}\n`,
  ];
}

/** A question. How it may be answered stands in it as JSON, which is what an answer is. */
export function needsInputXml(answer: NeedsInput, paint: Paint): string {
  const tag = tagWriter([], [], paint, freshBoundary);
  const { inquiry_id, tool, question, target, next } = answer;
  const { id, text, pre_amble, answer_type, default: given } = question;
  const element = (name: string, inside: string, attributes = "") =>
    `  ${tag.open(name, attributes)}${escapeText(inside)}${tag.close(name)}\n`;
  const model = target === undefined ? {} : { model: target.model.id };
  const defaults = given === null ? "" : ` default="${escapeAttribute(String(given))}"`;
  return `${tag.open("needs_input", attributesOf({ inquiry_id, tool, ...model }, []))}\n` +
    (pre_amble === null ? "" : element("pre_amble", pre_amble)) +
    element("question", text, ` id="${escapeAttribute(id)}"${defaults}`) +
    element("answer_type", JSON.stringify(answer_type)) +
    messageXml({ next }, tag) +
    `${tag.close("needs_input")}\n`;
}

/** The plan of a step, as JSON in a body. */
export function planShownXml(answer: PlanShown, paint: Paint, makeBoundary: () => string): string {
  const text = answer.plan === undefined ? "" : JSON.stringify(answer.plan, null, 2);
  const body = utf8Bytes(text);
  const closing = ["</plan", ...CLOSING_TAGS];
  const tag = tagWriter([{ byteLength: body.length, chunks: () => [body] }], closing, paint, makeBoundary);
  return `${tag.open("plan_shown", attributesOf(answer, ["message", "next", "plan", "whole"]))}\n` +
    messageXml(answer, tag) + (text === "" ? "" : `  ${tag.open("plan")}\n${text}\n${tag.close("plan")}\n`) +
    `${tag.close("plan_shown")}\n`;
}
