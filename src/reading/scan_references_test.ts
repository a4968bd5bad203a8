// Promise (contract, Agents): the outermost <ref id="x">…</ref> are found with their exact content, wherever the
// message is cut into pieces. Malformed tags are ignored and reported.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { type MessageReferences, scanReferences } from "./scan_references.ts";

function scan(message: Uint8Array, pieceBytes = message.length): MessageReferences {
  const scanning = scanReferences();
  for (let at = 0; at < message.length; at += pieceBytes) {
    scanning.push(message.subarray(at, at + pieceBytes));
  }
  return scanning.end();
}

/** Names and contents, and the faults reported. */
function found(message: string, pieceBytes?: number) {
  const bytes = Buffer.from(message);
  const { references, oddTags } = scan(bytes, pieceBytes);
  return {
    refs: references.map(({ name, fromByte, toByte }) => [name, bytes.toString("utf8", fromByte, toByte)]),
    odd: oddTags.map(({ fault, lineNumber }) => `${lineNumber} ${fault}`),
  };
}

Deno.test("content is exactly the bytes between the tags", () => {
  assertEquals(found('a\n<ref id="x">\n é \r\n</ref> b'), { refs: [["x", "\n é \r\n"]], odd: [] });
  assertEquals(found('<ref id="x"></ref>'), { refs: [["x", ""]], odd: [] });
  assertEquals(found(`<ref lang='js' id='x.1_-'  >a</ref >`), { refs: [["x.1_-", "a"]], odd: [] });
  assertEquals(found('<ref\n id="x" title="a > b">y</ref>'), { refs: [["x", "y"]], odd: [] });
});

Deno.test("references are in message order, even with the same name", () => {
  assertEquals(found('<ref id="a">1</ref><ref id="b">2</ref><ref id="a">3</ref>').refs, [
    ["a", "1"],
    ["b", "2"],
    ["a", "3"],
  ]);
});

Deno.test("the outermost of nested references is found whole", () => {
  assertEquals(found('<ref id="o">1<ref id="i">2</ref>3<ref>4</ref>5</ref>6'), {
    refs: [["o", '1<ref id="i">2</ref>3<ref>4</ref>5']],
    odd: [],
  });
});

Deno.test("a malformed tag is not a reference and hides none", () => {
  assertEquals(found('<ref id="u">\nx <ref id="p">y</ref>'), { refs: [["p", "y"]], odd: ["1 unclosed"] });
  assertEquals(found('<ref>x <ref id="p">y</ref> z</ref>'), { refs: [["p", "y"]], odd: ["1 no id"] });
  assertEquals(found("\n</ref>\n</ref>"), { refs: [], odd: ["2 stray", "3 stray"] });
  assertEquals(found('<ref id="a b">x</ref><ref id="">y</ref><ref id="../x">z</ref>').odd, [
    "1 bad name",
    "1 bad name",
    "1 bad name",
  ]);
  assertEquals(found("<ref id=x>y</ref>"), { refs: [], odd: ["1 no id"] });
  assertEquals(found('<ref id="x"/> and <ref id="y">z</ref>'), { refs: [["y", "z"]], odd: ["1 no content"] });
  assertEquals(found('<ref id="x" <ref id="y">z</ref>'), { refs: [["y", "z"]], odd: ["1 unfinished"] });
  assertEquals(found(`<ref id="${"x".repeat(129)}">y</ref>`).odd, ["1 bad name"]);
});

Deno.test("text that only begins like a tag is not reported", () => {
  const text = '<refresh> <REF id="x">y</REF> </reference> <ref </refs> < ref> a < b';
  assertEquals(found(text.replace("<ref ", "")), { refs: [], odd: [] });
});

Deno.test("references beyond the limits of number and depth are reported", () => {
  const many = scan(Buffer.from('<ref id="x">y</ref>'.repeat(10_050)));
  assertEquals([many.references.length, many.oddTagCount, many.oddTags.length], [10_000, 50, 20]);
  const deep = scan(Buffer.from('<ref id="x">'.repeat(150_000)));
  assertEquals([deep.references.length, deep.oddTagCount], [0, 150_000]);
});

/** A simple model: tags found by one expression, each closing tag paired with the last open one. */
function simpleModel(message: string): [string, string][] {
  const open: { name: string | undefined; from: number; start: number }[] = [];
  const pairs: { name: string; from: number; to: number }[] = [];
  for (const match of message.matchAll(/<ref(?: id="([^"]*)")?>|<\/ref>/g)) {
    const end = match.index + match[0].length;
    if (match[0] !== "</ref>") open.push({ name: match[1], from: end, start: match.index });
    else {
      const opened = open.pop();
      if (opened?.name !== undefined && /^[a-z]+$/.test(opened.name)) {
        pairs.push({ name: opened.name, from: opened.from, to: match.index });
      }
    }
  }
  const isInside = ({ from, to }: { from: number; to: number }) =>
    pairs.some((pair) => pair.from < from && to < pair.to);
  return pairs.filter((pair) => !isInside(pair)).toSorted((a, b) => a.from - b.from)
    .map(({ name, from, to }) => [name, message.slice(from, to)]);
}

Deno.test("a message cut into pieces anywhere has the references of a simple model", () => {
  const part = fc.constantFrom(
    '<ref id="a">',
    '<ref id="b">',
    '<ref id="!">',
    "<ref>",
    "</ref>",
    "<",
    "é\n",
    "x",
  );
  const message = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(message, fc.integer({ min: 1, max: 20 }), (text, pieceBytes) => {
      assertEquals(found(text, pieceBytes).refs, simpleModel(text));
      assertEquals(found(text, pieceBytes), found(text));
    }),
    { numRuns: 1200 },
  );
});

Deno.test("bytes that are not text are scanned too", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
    const clean = noise.map((byte) => byte === 0x3c ? 0 : byte);
    const message = Buffer.concat([clean, Buffer.from('<ref id="x">'), clean, Buffer.from("</ref>"), clean]);
    const { references } = scan(message, 7);
    assertEquals(references.length, 1);
    assertEquals(message.subarray(references[0]!.fromByte, references[0]!.toByte), Buffer.from(clean));
  }));
});
