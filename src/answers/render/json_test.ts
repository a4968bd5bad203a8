// Promise: an answer is one JSON object on one line, with real numbers and the exact body (contract, Answers).

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { anyChar } from "../../../tests/contents.ts";
import type { FramedAnswer } from "../../calls/terms/answers.ts";
import { jsonOf as write } from "./json.ts";
import { bodyOf, contentAnswer, DRESS, resultAnswer, textOf } from "../../../tests/sample_answers.ts";

const jsonOf = (answer: FramedAnswer) => write(answer, DRESS.writeCall);

Deno.test("an fd_content is its fields and its content", () => {
  assertEquals(
    textOf(
      jsonOf(contentAnswer(bodyOf('a"\n'), { next: { command: "read", args: { fd: "fd:1", start: 3 } } })),
    ),
    '{"type":"fd_content","fd":"fd:1","page":2,"pages":13,"continued":false,"truncated":true,"lines":"83-90",' +
      '"total_lines":1000,"mode":"page","start":2,"count":1,"next":"fdtool read fd:1 --start 3","content":"a\\"\\n"}\n',
  );
});

Deno.test("any body is restored exactly, whatever the chunks", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: anyChar, maxLength: 20 }).map((text) => new Uint8Array(Buffer.from(text))),
  );
  fc.assert(fc.property(bytes, fc.integer({ min: 1, max: 8 }), (bytes, chunkBytes) => {
    const text = textOf(jsonOf(contentAnswer(bodyOf(bytes, chunkBytes))));
    assertEquals(text.indexOf("\n"), text.length - 1);
    const { content, encoding } = JSON.parse(text);
    assertEquals(Buffer.from(content, encoding ?? "utf8").equals(Buffer.from(bytes)), true);
    const isText = Buffer.from(Buffer.from(bytes).toString()).equals(Buffer.from(bytes));
    assertEquals(encoding, isText ? undefined : "base64");
  }));
});

Deno.test("base64 is that of the stored bytes, not of their clean view", () => {
  const [clean, stored] = ["\xff\\x15", "\xff\x15\x1b[m"].map((text) => bodyOf(Buffer.from(text, "latin1")));
  const read = JSON.parse(textOf(jsonOf({ ...contentAnswer(clean!), cleaned: 3, stored })));
  assertEquals([read.encoding, read.content, read.cleaned], ["base64", "/xUbW20=", undefined]);
  const result = { ...resultAnswer([{ lines: "1-1", body: clean!, stored }]), cleaned: 3 };
  const shown = JSON.parse(textOf(jsonOf(result)));
  assertEquals([shown.encoding, shown.preview, shown.cleaned], ["base64", "/xUbW20=", undefined]);
});

Deno.test("one preview is a string, two are parts with lines, none is omitted", () => {
  const head = { lines: "1-2", body: bodyOf("head") };
  const tail = { lines: "8-9", body: bodyOf(new Uint8Array([0xff])) };
  const previewOf = (parts: typeof head[]) => JSON.parse(textOf(jsonOf(resultAnswer(parts)))).preview;
  assertEquals(previewOf([]), undefined);
  assertEquals(previewOf([head]), "head");
  assertEquals(previewOf([head, tail]), [
    { lines: "1-2", content: "head" },
    { lines: "8-9", encoding: "base64", content: "/w==" },
  ]);
});

Deno.test("a report has its facts and its message", () => {
  assertEquals(
    textOf(jsonOf({ type: "fd_gc", facts: { dry_run: true, removed_count: 1 }, message: "m" })),
    '{"type":"fd_gc","message":"m","dry_run":true,"removed_count":1}\n',
  );
});
