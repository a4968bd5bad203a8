// Promise: a list of very many fds shows each of them, in the form of any other list's items.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { FdSummary } from "../terms/answers.ts";
import { fdLines } from "./fd_lines.ts";
import { attributesOf } from "./tag_writer.ts";

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const moment = fc.nat({ max: 8.64e15 }).map((ms) => new Date(ms).toISOString());
const base = {
  fd: fc.nat().map((id) => `fd:${id}`),
  source: fc.string({ unit: "binary", maxLength: 12 }),
  bytes: count,
  chars: count,
  total_lines: count,
  pages: count,
  created: moment,
};
const summary: fc.Arbitrary<FdSummary> = fc.oneof(
  fc.record({
    fd: base.fd,
    state: fc.constantFrom("sealed" as const, "live" as const, "incomplete" as const),
    source: base.source,
    bytes: base.bytes,
    chars: base.chars,
    total_lines: base.total_lines,
    pages: base.pages,
    created: base.created,
    names: fc.array(fc.stringMatching(/^[a-z.]{1,4}$/), { maxLength: 2 }),
    dropped_bytes: fc.option(fc.nat(), { nil: undefined }),
  }),
  fc.record({
    ...base,
    state: fc.constant("removed" as const),
    names: fc.constant<string[]>([]),
    removed: moment,
    why: fc.string({ unit: "binary", maxLength: 8 }),
    sha256: fc.option(fc.constant("0".repeat(64)), { nil: undefined }),
  }),
);

Deno.test("an fd in a list has the form of any list's item", () => {
  fc.assert(fc.property(fc.array(summary, { maxLength: 6 }), (fds) => {
    assertEquals(fdLines(fds).join(""), fds.map((fd) => `  <fd${attributesOf(fd, [])}/>\n`).join(""));
  }));
});

Deno.test("the pieces of a long list join to the list", () => {
  const one = fc.sample(summary, { numRuns: 1, seed: 1 })[0]!;
  for (const length of [0, 1, 499, 500, 501, 1700]) {
    const fds = Array.from({ length }, (_, at) => ({ ...one, fd: `fd:${at + 1}` }));
    const lines = fdLines(fds).join("").split("\n").slice(0, -1);
    assertEquals(lines.map((line) => /fd="(.*?)"/.exec(line)?.[1]), fds.map(({ fd }) => fd));
  }
});
