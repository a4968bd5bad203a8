// Promise: an answer whose file was written is reported as written, even if its question cannot be closed; a question
// is not cancelled while it is being answered.

import { cancelInquiry } from "./inquiries/inquiries.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { constants } from "node:fs";
import { disk } from "../../fd/system.ts";
import { type TemporaryStore, temporaryStore } from "../../tests/temporary_store.ts";
import { messageText } from "../answers/parts/next_command.ts";
import { answerInquiry } from "./answer_inquiry.ts";
import { createFile } from "./create_file.ts";
import { WriteError } from "../calls/terms/write_failure.ts";

function contextIn({ store, dir: cwd }: TemporaryStore) {
  return { store, cwd, root: undefined, answers: {} };
}

const ANSWER = { inquiry_id: "inq:1", answer: { content: "given\n" } };

Deno.test("an answer reports the written file even if its question cannot be closed", async () => {
  using world = temporaryStore();
  const context = contextIn(world);
  await createFile({ path: "new" }, context);
  const { open } = disk;
  try {
    disk.open = ((path: string, ...rest: [number]) => {
      if (path.includes("/inquiries/") && (rest[0] & constants.O_APPEND) !== 0) {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      }
      return open(path, ...rest);
    }) as typeof open;
    const outcome = await answerInquiry(ANSWER, context);
    assert(outcome.type === "write_result");
    assertStringIncludes(
      messageText(outcome.message, () => undefined),
      "inq:1 was answered, but recording that failed (ENOSPC)",
    );
  } finally {
    disk.open = open;
  }
  assertEquals(Deno.readTextFileSync(`${world.dir}/new`), "given\n");
});

Deno.test("cancel waits for a call that is answering the question", async () => {
  using world = temporaryStore();
  const context = contextIn(world);
  await createFile({ path: "new" }, context);
  const answering = answerInquiry(ANSWER, context);
  const cancelled = await assertRejects(() => cancelInquiry(world.store, "inq:1"), WriteError);
  assertEquals((await answering).type, "write_result");
  assert(cancelled.failure.kind === "closed");
  assertEquals(cancelled.failure.how, "answered by tx:1");
});
