// Promise: editing bytes in place equals editing a string, and searches find what a search through the string finds.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { EditedText } from "./edited_text.ts";

// One byte a char, so that offsets are those of the string.
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

function modelled(text: string, sought: string, overlapping: boolean, from: number): number[] {
  const found: number[] = [];
  const step = overlapping ? 1 : sought.length;
  for (let at = text.indexOf(sought, from); at !== -1; at = text.indexOf(sought, at + step)) found.push(at);
  return found;
}

/** Compares everything that a text answers with the string. */
function assertAlike(text: EditedText, model: string, sought: string, place: number): void {
  assertEquals(text.byteCount, model.length);
  for (const overlapping of [true, false]) {
    for (const fromByte of [0, place]) {
      const wanted = modelled(model, sought, overlapping, fromByte);
      const { count, first } = text.places(bytesOf(sought), { overlapping, fromByte, keep: 3 });
      assertEquals([count, first], [wanted.length, wanted.slice(0, 3)]);
    }
  }
  const lineStart = model.lastIndexOf("\n", place - 1) + 1;
  assertEquals(text.lineStart(place), place === 0 ? 0 : lineStart);
  assertEquals(text.nextFeed(place), model.indexOf("\n", place));
  assertEquals(text.feedsBefore(place), model.slice(0, place).split("\n").length - 1);
  assertEquals(textOf(text.slice(place, Math.min(place + 50, model.length))), model.slice(place, place + 50));
  const lines = new Set<string>();
  for (const { fromByte, bytes } of text.linesWith(bytesOf(sought))) {
    assertEquals(model.slice(fromByte, fromByte + bytes.length), textOf(bytes));
    assert(fromByte === 0 || model[fromByte - 1] === "\n");
    textOf(bytes).split("\n").forEach((line) => lines.add(line));
  }
  for (const line of model.split("\n")) assert(!line.includes(sought) || lines.has(line), line.slice(0, 80));
}

/** Numbered lines, so that all differ. */
function numberedLines(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${from + index} of it\n`).join("");
}

Deno.test("any edits of a text equal the same edits of a string", () => {
  const added = fc.oneof(
    fc.constantFrom("", "x", "\n", "line ", "ab\ncd\n", "12 of it\nline"),
    fc.integer({ min: 0, max: 6000 }).map((count) => numberedLines(7, count)),
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 70_000 })),
    added,
    isAppended: fc.boolean(),
  });
  const start = fc.integer({ min: 0, max: 5000 }).map((count) => numberedLines(1, count));
  fc.assert(
    fc.property(start, fc.array(edit, { minLength: 1, maxLength: 25 }), (given, edits) => {
      let model = given;
      const text = new EditedText(bytesOf(given));
      for (const { at, length, added, isAppended } of edits) {
        const from = isAppended ? model.length : Math.floor(at * model.length);
        const to = Math.min(model.length, from + length);
        model = model.slice(0, from) + added + model.slice(to);
        text.replace(from, to, bytesOf(added));
        // Text that occurs across the edited place.
        const around = model.slice(Math.max(0, from - 8), from + 12);
        assertAlike(text, model, around === "" ? "none of it" : around, Math.min(from + 3, model.length));
      }
      assertEquals(textOf(text.bytes()), model);
    }),
    { numRuns: 25 },
  );
});

Deno.test("a long match is found, and a near match is not", () => {
  const long = `${"a".repeat(50_000)}\n${"b".repeat(50_000)}`;
  const text = new EditedText(bytesOf(`${"c".repeat(30_000)}${long}a${long}`));
  assertEquals(text.places(bytesOf(long), { overlapping: true, keep: 9 }).first, [30_000, 130_002]);
  assertEquals(text.places(bytesOf(`${long}b`), { overlapping: true, keep: 9 }).count, 0);
  const same = new EditedText(bytesOf("ab".repeat(60_000)));
  assertEquals(same.places(bytesOf("ab".repeat(30_000)), { overlapping: true, keep: 0 }).count, 30_001);
  assertEquals(same.places(bytesOf("ab".repeat(30_000)), { overlapping: false, keep: 9 }).first, [0, 60_000]);
});

Deno.test("a match does not begin inside CRLF, unless it is an end", () => {
  const text = new EditedText(bytesOf("\na\r\na\n\na"));
  const sought = bytesOf("\na");
  assertEquals(text.places(sought, { overlapping: true, keep: 9 }).first, [0, 6]);
  assertEquals(text.places(sought, { overlapping: true, keep: 9, isEnd: true }).first, [0, 3, 6]);
});

Deno.test("editing does not modify the original content or the inserted text", () => {
  const given = bytesOf(numberedLines(1, 3000));
  const added = bytesOf(numberedLines(9, 5000));
  const [givenBefore, addedBefore] = [textOf(given), textOf(added)];
  const text = new EditedText(given);
  text.replace(100, 200, added);
  for (let at = 0; at < text.byteCount; at += 5000) text.replace(at, at + 3, bytesOf("xyz..."));
  assertEquals([textOf(given), textOf(added)], [givenBefore, addedBefore]);
});
