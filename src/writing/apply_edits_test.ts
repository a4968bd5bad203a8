// Promises: edits on bytes equal the same edits on text, change nothing else, and take the new text literally; a text
// that is not found is explained; several matches are listed (contract, Writing files).

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { applyEdits } from "./apply_edits.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
const edit = (oldText: string, newText: string, replaceAll = false) => ({
  oldBytes: encode(oldText),
  newBytes: encode(newText),
  replaceAll,
});

/** The places of `old` in `text` that do not begin inside CRLF; without matches that overlap others if `apart`. */
function placesOf(text: string, old: string, apart: boolean): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(old); at !== -1;) {
    const isInside = old[0] === "\n" && text[at - 1] === "\r";
    if (!isInside) places.push(at);
    at = text.indexOf(old, at + (apart && !isInside ? old.length : 1));
  }
  return places;
}

/** The same edits on a string. Returns undefined if one has no match, or several. */
function model(
  text: string,
  edits: readonly { old: string; new: string; all: boolean }[],
): string | undefined {
  let current = text;
  for (const { old, new: fresh, all } of edits) {
    if (old === "") {
      current = fresh;
      continue;
    }
    const places = placesOf(current, old, all);
    if (places.length === 0 || !all && places.length > 1) return undefined;
    for (const at of places.reverse()) {
      current = current.slice(0, at) + fresh + current.slice(at + old.length);
    }
  }
  return current;
}

Deno.test("any sequence of edits equals the same edits on a string", () => {
  const piece = fc.constantFrom("a", "b", "ab", "\n", "\r\n", "é", "😀", "$&", "\\", "\uFEFF", " ");
  const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
  const someEdit = fc.record({
    old: fc.array(piece, { maxLength: 3 }).map((parts) => parts.join("")),
    new: text,
    all: fc.boolean(),
  });
  let succeeded = 0;
  fc.assert(
    fc.property(text, fc.array(someEdit, { minLength: 1, maxLength: 4 }), (content, edits) => {
      const outcome = applyEdits(
        encode(content),
        edits.map((each) => edit(each.old, each.new, each.all)),
        "f",
      );
      const wanted = model(content, edits);
      if (outcome.content !== undefined) succeeded++;
      assertEquals(outcome.content === undefined ? undefined : decode(outcome.content), wanted);
    }),
    { numRuns: 800 },
  );
  assert(succeeded > 80, String(succeeded));
});

Deno.test("edits keep all bytes outside of matches", () => {
  const before = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a, 0xc3);
  const after = Uint8Array.of(0xed, 0xa0, 0x80, 0x0d, 0x0a, 0x80);
  const content = new Uint8Array([...before, ...encode("old"), ...after]);
  const outcome = applyEdits(content, [edit("old", "new $1 $&")], "f");
  assertEquals(outcome.content, new Uint8Array([...before, ...encode("new $1 $&"), ...after]));
});

Deno.test("a text that matches several times is refused with the line of every match, overlapping ones included", () => {
  const { fault } = applyEdits(encode("x = 1\ny\nx = 1 x = 1\n"), [edit("x = 1", "z")], "f");
  assert(fault?.kind === "match_not_unique");
  assertEquals([fault.matchCount, fault.lines.map((line) => line.lineNumber)], [3, [1, 3, 3]]);
  assertEquals(applyEdits(encode("aaa"), [edit("aa", "b")], "f").fault?.kind, "match_not_unique");
  assertEquals(decode(applyEdits(encode("aaa"), [edit("aa", "b", true)], "f").content!), "ba");
});

Deno.test("a text that is not found is reported with what differs in the nearest lines", () => {
  const cases: [string, string, number | undefined, string[]][] = [
    ["a\r\nb\r\nc\r\n", "b\nc", 2, ["line ends"]],
    ["a\nb\nc\n", "b\r\nc", 2, ["line ends"]],
    ["x\n\tif (a) {\n\t\tb();\n", "    if (a) {\n        b();", 2, ["white space"]],
    ["x\nlet  y = 1;\n", "let y = 1;", 2, ["white space"]],
    ["const Foo = 1;\n", "const foo = 1;", 1, ["case"]],
    ["say(“hi”);\n", 'say("hi");', 1, ["quotes, dashes or accents"]],
    ["function load(path) {\n  return 1;\n}\n", "function load(file) {\n  return 1;\n}", 1, ["text"]],
    ["alpha\nbeta\n", "something else entirely", undefined, []],
  ];
  for (const [content, sought, lineNumber, differs] of cases) {
    const { fault } = applyEdits(encode(content), [edit(sought, "z")], "f");
    assert(fault?.kind === "match_not_found", content);
    assertEquals(
      [fault.nearest[0]?.lineNumber, fault.nearest[0]?.differs ?? []],
      [lineNumber, differs],
      content,
    );
  }
});

Deno.test("one invalid edit among several is named, and none is applied", () => {
  const outcome = applyEdits(encode("a b"), [edit("a", "x"), edit("missing", "y"), edit("b", "z")], "f");
  assert(outcome.fault?.kind === "match_not_found");
  assertEquals(outcome.fault.edit, 1);
});

Deno.test("explaining a text that is not found works on any bytes", () => {
  fc.assert(fc.property(fc.uint8Array(), fc.uint8Array({ minLength: 1 }), (content, oldBytes) => {
    applyEdits(content, [{ oldBytes, newBytes: encode("x"), replaceAll: false }], "f");
  }));
});
