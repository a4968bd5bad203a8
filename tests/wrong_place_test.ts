/**
 * Paths that lead nowhere, and content that no parser can walk, are refused for what they are.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { readdirSync } from "node:fs";
import { assertFailure, failureOf } from "./read_answer.ts";
import { makeWorld } from "./world.ts";

Deno.test("a path through a file, or to a directory, is refused with the right reason", async () => {
  using world = makeWorld();
  world.write("d/f", "old\n");
  for (const path of ["d/f/", "d/f/.", "d/f/..", "d/f/../g", "d/f/x", "d/f/x/y"]) {
    for (
      const words of [
        ["edit", path, "--old", "old", "--new", "new"],
        ["edit", path, "--old", "", "--new", "new"],
        ["create", path],
        ["count", path],
        ["rewrite", path, "--content-file", "d/f", "--expected-line-count", "1", "--acknowledgement", "x"],
        ["rewrite", "new", "--content-file", path, "--expected-line-count", "1", "--acknowledgement", "x"],
      ]
    ) {
      const failure = failureOf(await world.run([...words, "--format", "json"]));
      assertEquals(failure.fields["code"], "ENOTDIR", `${words.join(" ")}: ${failure.message}`);
      assertStringIncludes(failure.message, "not a directory");
    }
  }
  for (const path of ["d/", "d", "d/."]) {
    const failure = assertFailure(await world.run(["create", path, "--format", "json"]), "write_error");
    assertStringIncludes(failure.message, "it is a directory");
  }
  const missing = assertFailure(await world.run(["create", "d/new/", "--format", "json"]), "write_error");
  assertStringIncludes(missing.message, "it is the name of a directory");
  assertEquals([readdirSync(world.dir), readdirSync(world.path("d"))], [["d"], ["f"]]);
});

Deno.test("deep YAML is refused with a message about its depth", async () => {
  using world = makeWorld();
  const level = 100_000;
  world.write("flow.yaml", `${"[".repeat(level)}${"]".repeat(level)}`);
  world.write("block.yml", `${"- ".repeat(level)}a\n`);
  world.write("deep.toml", `a = ${"[".repeat(level)}${"]".repeat(level)}\n`);
  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  for (const name of ["flow.yaml", "block.yml", "deep.toml"]) {
    const words = ["rewrite", `new-${name}`, "--content-file", name, "--create-if-missing"];
    const checks = ["--check-structure", "--expected-line-count", "1", "--acknowledgement", acknowledgement];
    const failure = assertFailure(
      await world.run([...words, ...checks, "--format", "json"]),
      "structure_invalid",
    );
    assertStringIncludes(failure.message, "nested", name);
    assertEquals(failure.message.includes("stack"), false, failure.message);
  }
});

Deno.test("deep JSON in an answer or in arguments over MCP is a typed failure", async () => {
  using world = makeWorld();
  assertEquals((await world.run(["create", "new"])).code, 3);
  const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
  for (const stdin of [deep, `{"content":${deep}}`]) {
    const answered = await world.run(["answer", "inq:1", "--format", "json"], { stdin });
    assertStringIncludes(assertFailure(answered, "invalid_parameter", [2]).message, "nested too deeply");
  }
  const clientInfo = { name: "t", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const stdin = [
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"edit_file","arguments":{"path":${deep}}}}`,
    "",
  ].join("\n");
  const served = await world.run(["mcp"], { stdin });
  const answer = served.text.trim().split("\n").at(-1)!;
  assertStringIncludes(answer, "nested too deeply");
  assertEquals(answer.includes("internal_error"), false);
});
