/**
 * User input (contract, Agents): `capture --source user_input` frames a user's large message so that the model knows that it is
 * one, and how to read it.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { bodyOf, childText, encode, jsonOf, xmlOf } from "./read_answer.ts";
import { assertBytes, wholeOf } from "./store_calls.ts";
import { makeWorld } from "./world.ts";

const REQUEST = "Please summarise the following.\n" + "A paragraph of the user's text.\n".repeat(400);
const CAPTURE = ["capture", "--source", "user_input"];

Deno.test("user input: a small message passes through, a large one is framed as user input", async () => {
  using world = makeWorld();
  assertEquals((await world.run(CAPTURE, { stdin: "What is 2 + 2?\n" })).text, "What is 2 + 2?\n");
  const answer = xmlOf(await world.run(CAPTURE, { stdin: REQUEST }));
  assertEquals([answer.tag, answer.attributes["source"], answer.attributes["fd"]], [
    "fd_result",
    "user_input",
    "fd:1",
  ]);
  assertEquals(
    childText(answer, "message"),
    "The user's message exceeds 8000 characters and was stored as fd:1. This is what the user wrote, not the output " +
      "of a tool. Use fdtool read to read the rest of it before you answer.",
  );
  assertEquals(childText(answer, "next"), "fdtool read fd:1 --start 2");
  const preview = answer.children.find(({ tag }) => tag === "preview")!;
  assertMatch(new TextDecoder().decode(bodyOf(preview)), /^Please summarise the following\.\n/);
  assertBytes(await wholeOf(world, "fd:1"), encode(REQUEST));
});

Deno.test("user input: json and raw say the same", async () => {
  using world = makeWorld();
  const json = jsonOf(await world.run([...CAPTURE, "--format", "json"], { stdin: REQUEST }));
  assertEquals([json["type"], json["source"], json["chars"]], ["fd_result", "user_input", REQUEST.length]);
  assertStringIncludes(String(json["message"]), "This is what the user wrote, not the output of a tool.");
  assertEquals((await world.run([...CAPTURE, "--format", "raw"], { stdin: REQUEST })).text, "fd:2\n");
});

Deno.test("user input: the next call continues after the preview", async () => {
  using world = makeWorld();
  const messageOf = async (stdin: string, ...args: string[]) =>
    String(jsonOf(await world.run([...CAPTURE, ...args, "--format", "json"], { stdin }))["message"]);
  assertStringIncludes(await messageOf("Short.\n", "--always"), "(7 characters) was stored as fd:1");
  assertStringIncludes(await messageOf("Short.\n", "--always"), "The preview shows all of it.");
  assertStringIncludes(
    await messageOf(REQUEST, "--preview", "none"),
    "Use fdtool read to read it before you answer.",
  );
  assertStringIncludes(await messageOf(REQUEST, "--preview-chars", "400"), "read the rest of it");
  assertStringIncludes(await messageOf(REQUEST, "--threshold", "50"), "exceeds 50 characters");
});

Deno.test("user input: any other source is shown as output", async () => {
  using world = makeWorld();
  for (const source of ["tool_result", "user", "USER_INPUT"]) {
    const answer = jsonOf(
      await world.run(["capture", "--source", source, "--format", "json"], { stdin: REQUEST }),
    );
    assertEquals(answer["message"], "Output exceeds 8000 characters. Use fdtool read to read more pages.");
  }
});
