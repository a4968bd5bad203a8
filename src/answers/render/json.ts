/**
 * Answers as one JSON object on one line (contract, Answers). A body or matching line that is not well-formed UTF-8
 * becomes base64, preceded by `"encoding":"base64"`: of the stored bytes, not of their clean view.
 */

import { Buffer } from "node:buffer";
import type { Body, FdResult, FramedAnswer, MatchLine } from "../../calls/terms/answers.ts";
import type { CallWriter, Message, NextCall } from "../../calls/terms/next_call.ts";
import { messageText } from "../parts/next_command.ts";
import { bufferSmall, decodedText, isWellFormed, numberedBody } from "./body_text.ts";

/** The answer as UTF-8, with a final line feed. */
export function* jsonOf(answer: FramedAnswer, writeCall: CallWriter): Iterable<Uint8Array> {
  switch (answer.type) {
    case "fd_content": {
      const { content: _, stored, ...fields } = answer;
      const body = numberedBody(answer);
      const isExact = stored !== undefined && !isWellFormed(body);
      if (isExact) delete fields.cleaned;
      yield Buffer.from(openObject(fields, writeCall));
      yield* bodyFields("content", isExact ? numberedBody({ ...answer, content: stored }) : body);
      break;
    }
    case "fd_result": {
      const { preview, ...fields } = answer;
      const shown = exactIfIllFormed(preview);
      if (shown !== preview) delete fields.cleaned;
      yield Buffer.from(openObject(fields, writeCall));
      yield* previewFields(shown);
      break;
    }
    case "fd_matches":
      yield Buffer.from(openObject({ ...answer, matches: answer.matches.map(matchFields) }, writeCall));
      break;
    default: {
      const { facts, diff, values, whole: _, ...fields } = { ...NO_BODIES, ...answer };
      yield Buffer.from(openObject({ ...fields, ...facts }, writeCall));
      if (diff !== undefined) yield* bodyFields("diff", diff);
      if (values !== undefined) yield* bodyFields("values", values);
    }
  }
  yield Buffer.from("}\n");
}

const NO_BODIES = { facts: {}, diff: undefined, values: undefined, whole: undefined };

/** The preview with its stored bytes if base64 has to be written, which is for programs. */
function exactIfIllFormed(preview: FdResult["preview"]): FdResult["preview"] {
  const isIllFormed = preview.some((part) =>
    "stored" in part && part.stored !== undefined && !isWellFormed(part.body)
  );
  return isIllFormed
    ? preview.map((part) => "omitted" in part ? part : { ...part, body: part.stored ?? part.body })
    : preview;
}

/** One part is a string. Several are a list of parts with their lines; a gap of a digest has no content. */
function* previewFields(preview: FdResult["preview"]): Iterable<Uint8Array> {
  const [only] = preview;
  if (only === undefined) return;
  if (preview.length === 1 && !("omitted" in only)) {
    return yield* bodyFields("preview", bufferSmall(only.body));
  }
  yield Buffer.from(`,"preview":[`);
  for (const [index, part] of preview.entries()) {
    if (index > 0) yield Buffer.from(",");
    if ("omitted" in part) yield Buffer.from(JSON.stringify(part));
    else {
      yield Buffer.from(`{"lines":${JSON.stringify(part.lines)}`);
      yield* bodyFields("content", bufferSmall(part.body));
      yield Buffer.from("}");
    }
  }
  yield Buffer.from("]");
}

/** A matching line; base64 if it is not well-formed. */
function matchFields({ bytes, ...match }: MatchLine): object {
  if (bytes === undefined) return match;
  const { line, text: _, ...others } = match;
  return { line, encoding: "base64", text: Buffer.from(bytes).toString("base64"), ...others };
}

/** `{"a":1,…` without the closing brace. Every answer has at least its type. */
function openObject<
  Fields extends { type: string; message?: Message | undefined; next?: NextCall | undefined },
>(fields: Fields, writeCall: CallWriter): string {
  const { message, next } = fields;
  const remarks = {
    ...(message === undefined ? {} : { message: messageText(message, writeCall) }),
    ...(next === undefined ? {} : { next: writeCall(next) }),
  };
  return JSON.stringify({ ...fields, ...remarks }).slice(0, -1);
}

function* bodyFields(name: string, body: Body): Iterable<Uint8Array> {
  if (isWellFormed(body)) {
    yield Buffer.from(`,"${name}":"`);
    for (const text of decodedText(body)) yield Buffer.from(JSON.stringify(text).slice(1, -1));
  } else {
    yield Buffer.from(`,"encoding":"base64","${name}":"`);
    yield* base64(body);
  }
  yield Buffer.from('"');
}

/** Base64 of the whole body. Before the end, only groups of three bytes are encoded. */
function* base64(body: Body): Iterable<Uint8Array> {
  let rest = Buffer.alloc(0);
  for (const chunk of body.chunks()) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.length - bytes.length % 3;
    yield Buffer.from(bytes.toString("base64", 0, end));
    rest = bytes.subarray(end);
  }
  yield Buffer.from(rest.toString("base64"));
}
