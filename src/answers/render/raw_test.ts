// Promise: raw is the slice's exact bytes; an answer without content is one value (contract, Answers).

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import type { FramedAnswer } from "../../calls/terms/answers.ts";
import { rawOf as write } from "./raw.ts";
import { bodyOf, contentAnswer, DRESS, resultAnswer, textOf } from "../../../tests/sample_answers.ts";

const rawOf = (answer: FramedAnswer) => write(answer, DRESS.writeCall);

Deno.test("a slice is its bytes, never numbered", () => {
  const bytes = new Uint8Array([0, 0xff, 0x0a, 0xc3]);
  const answer = contentAnswer(bodyOf(bytes, 1), {
    numbered_from: 1,
    next: { command: "read", args: { fd: "fd:1" } },
  });
  assertEquals(Buffer.concat([...rawOf(answer)]).equals(Buffer.from(bytes)), true);
});

Deno.test("an answer without content is its handle, and lists are one item a line", () => {
  assertEquals(textOf(rawOf(resultAnswer([]))), "fd:1\n");
  assertEquals(textOf(rawOf({ type: "fd_path", fd: "fd:1", path: "/a b" })), "/a b\n");
  const ref = { created: "", lines: 1, chars: 1 };
  assertEquals(
    textOf(rawOf({
      type: "ref_list",
      refs: [{ id: "ref:a", fd: "fd:1", ...ref }, { id: "ref:b", fd: "fd:2", ...ref }],
    })),
    "ref:a\tfd:1\nref:b\tfd:2\n",
  );
});
