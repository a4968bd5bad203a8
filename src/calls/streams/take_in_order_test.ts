import { assertEquals } from "@std/assert";
import type { PipeReading } from "./output_pipe.ts";
import { takeInOrder } from "./take_in_order.ts";

Deno.test("a line's rest comes before a message that was ready with it, and a short message after long output", () => {
  const cases = [
    [["out", "aaa"], ["err", "oops\n"], ["out", "\n"]],
    [["out", "a\n"], ["err", "much longer\n"], ["out", "b\n"]],
  ] as const;
  const wanted = ["aaa\noops\n", "a\nmuch longer\nb\n"];
  const records = cases.map((steps) => {
    let record = "";
    const marks: (() => void)[] = [];
    const reading = { reach: (onReached: () => void) => marks.push(onReached) } as unknown as PipeReading;
    const take = (bytes: Uint8Array) => {
      record += new TextDecoder().decode(bytes);
    };
    const [out, err] = takeInOrder([take, take], [reading, reading]);
    for (const [stream, text] of steps) {
      void (stream === "out" ? out : err)(new TextEncoder().encode(text));
    }
    marks.forEach((onReached) => onReached());
    return record;
  });
  assertEquals(records, wanted);
});
