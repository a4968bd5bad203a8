// Promise: whatever the pieces in which two streams bring their lines, each line is whole in the record.

import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { joinLines } from "./join_lines.ts";

const OUT = 1;
const ERR = 2;

/** A run of joinLines: the record, and its parts by stream. */
function recordOf(events: readonly (readonly [number, string] | "quiet")[]) {
  const parts: [number, string][] = [];
  const lines = joinLines((stream, bytes) => parts.push([stream, new TextDecoder().decode(bytes)]));
  for (const event of events) {
    if (event === "quiet") lines.flush();
    else lines.add(event[0], new TextEncoder().encode(event[1]));
  }
  lines.flush();
  const of = (stream: number) => parts.filter(([each]) => each === stream).map(([, text]) => text).join("");
  return { text: parts.map(([, text]) => text).join(""), out: of(OUT), err: of(ERR) };
}

/** Pieces of lines that name their stream, and what the stream is in all. */
const pieces = (stream: number, mayEndOpen: boolean) =>
  fc.tuple(fc.array(fc.nat(12), { maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 9 })), fc.boolean())
    .map(
      ([lengths, cuts, isOpen]) => {
        const name = stream === OUT ? "o" : "e";
        let text = lengths.map((length, at) => `${name.repeat(length)}${name}${at}\n`).join("");
        if (mayEndOpen && isOpen) text = text.slice(0, -1);
        const all: [number, string][] = [];
        for (let rest = text, at = 0; rest !== ""; at++) {
          const length = cuts[at % Math.max(1, cuts.length)] ?? 3;
          all.push([stream, rest.slice(0, length)]);
          rest = rest.slice(length);
        }
        return all;
      },
    );

/** The two in any order that keeps each one's own. */
const events = (mayEndOpen: boolean) =>
  fc.tuple(pieces(OUT, mayEndOpen), pieces(ERR, mayEndOpen), fc.infiniteStream(fc.boolean())).map(
    ([out, err, choose]) => {
      const merged: [number, string][] = [];
      const [a, b] = [[...out], [...err]];
      while (a.length + b.length > 0) {
        merged.push((b.length === 0 || a.length > 0 && choose.next().value === true ? a : b).shift()!);
      }
      return merged;
    },
  );

const all = (list: readonly [number, string][], stream: number) =>
  list.filter(([each]) => each === stream).map(([, text]) => text).join("");

Deno.test("no line is split, each stream keeps its order, and no byte is added or lost", () => {
  fc.assert(fc.property(events(true), (list) => {
    const { text, out, err } = recordOf(list);
    assertEquals([out, err], [all(list, OUT), all(list, ERR)]);
    const lines = text.split("\n");
    // Of two last lines without an end one follows the other.
    const last = lines.at(-1)!;
    assertEquals(lines.slice(0, -1).filter((line) => !/^(o+\d+|e+\d+)$/.test(line)), []);
    assertEquals(/^(o+\d*)?(e+\d*)?(o+\d*)?$/.test(last), true, last);
  }));
});

Deno.test("a line goes into the record as soon as it has come, unless the other's is open", () => {
  const parts: string[] = [];
  const lines = joinLines((_, bytes) => parts.push(new TextDecoder().decode(bytes)));
  const encode = (text: string) => new TextEncoder().encode(text);
  lines.add(OUT, encode("pro"));
  lines.add(ERR, encode("error\n"));
  assertEquals(parts, ["error\n"]);
  lines.add(OUT, encode("mpt? "));
  lines.flush();
  assertEquals(parts.join(""), "error\nprompt? ");
  lines.add(ERR, encode("late\n"));
  assertEquals(parts.join(""), "error\nprompt? ");
  lines.add(OUT, encode("yes\nnext"));
  assertEquals(parts.join(""), "error\nprompt? yes\nlate\n");
});

Deno.test("bytes are exact after pauses at any moment", () => {
  fc.assert(fc.property(events(true), fc.array(fc.nat(60), { maxLength: 4 }), (list, quiets) => {
    const paused = list.flatMap((event, at) => quiets.includes(at) ? ["quiet" as const, event] : [event]);
    const { out, err } = recordOf(paused);
    assertEquals([out, err], [all(list, OUT), all(list, ERR)]);
  }));
});

Deno.test("a line of many megabytes does not wait for its end", () => {
  let byteCount = 0;
  const lines = joinLines((_, bytes) => byteCount += bytes.length);
  for (let at = 0; at < 40; at++) lines.add(OUT, new Uint8Array(65_536).fill(97));
  assertEquals(byteCount > 1_500_000, true, String(byteCount));
  for (let at = 0; at < 40; at++) lines.add(ERR, new Uint8Array(65_536).fill(10));
  assertEquals(byteCount > 3_000_000, true, String(byteCount));
});
