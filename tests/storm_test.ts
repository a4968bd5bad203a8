/**
 * Many processes of every kind at once on one store (section 3: "safe between any number of processes"): no answer is
 * wrong, every failure is typed, ids stay unique, and afterwards everything verifies.
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { encode, failureOf, readJson } from "./read_answer.ts";
import { assertBytes, listOf, store, wholeOf } from "./store_calls.ts";
import { type Finished, makeWorld, runsOf, type World } from "./world.ts";

/** Content of capture `n`: its first line determines the rest. */
function contentOf(n: number): string {
  return `content ${n}\n`.repeat(1 + n * 211 % 4000);
}

/** Asserts that bytes read from the store are some capture's, or, of one that is growing or a slice, their beginning. */
function assertSomeContent(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes);
  if (text === "") return;
  const n = Number(/^content (\d+)\n/.exec(text)?.[1] ?? NaN);
  assert(!Number.isNaN(n), `content of some capture: ${text.slice(0, 80)}`);
  assertBytes(bytes, encode(contentOf(n).slice(0, text.length)), `content ${n}`);
}

/** Every way to call fdtool in the storm: its arguments, its stdin, and what its answer must be like. */
const CALLS = {
  capture: (n: number) => ({ args: ["capture", "--always", "--name", `n${n % 5}`], stdin: contentOf(n) }),
  read: (n: number) => ({ args: ["read", `fd:${n % 30 + 1}`, "--all", "--format", "raw"] }),
  readName: (n: number) => ({ args: ["read", `ref:n${n % 5}`, "--all", "--format", "raw"] }),
  extract: (n: number) => ({ args: ["read", `fd:${n % 30 + 1}`, "--lines", "1-3", "--extract"] }),
  remove: (n: number) => ({ args: ["rm", `fd:${n % 30 + 1}`] }),
  name: (n: number) => ({ args: ["name", `fd:${n % 30 + 1}`, `n${n % 5}`] }),
  clean: (n: number) => ({ args: ["gc"], env: { FDTOOL_QUOTA: String(50_000 + n) } }),
  list: () => ({ args: ["ls"] }),
  stat: (n: number) => ({ args: ["stat", `fd:${n % 30 + 1}`] }),
  verify: () => ({ args: ["verify"] }),
  search: (n: number) => ({ args: ["search", `fd:${n % 30 + 1}`, "content"] }),
};
type Call = { kind: keyof typeof CALLS; n: number };

async function called(world: World, { kind, n }: Call): Promise<Finished> {
  const { args, ...options } = CALLS[kind](n);
  const withFormat = args.includes("--format") ? args : [...args, "--format", "json"];
  return await world.run(withFormat, options);
}

Deno.test("storm: every command at once, and no answer is wrong", async () => {
  const anyCall = fc.record({
    kind: fc.constantFrom(...Object.keys(CALLS) as Call["kind"][]),
    n: fc.integer({ min: 1, max: 1000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 60, maxLength: 60 }), async (calls) => {
      using world = makeWorld();
      for (let n = 1; n <= 10; n++) await store(world, contentOf(n));
      const captured: string[] = [];
      // All have ended before the first is judged, so that a failure does not pull the store away under the others.
      const outcomes = await Promise.all(calls.map((call) => called(world, call)));
      for (const [i, finished] of outcomes.entries()) {
        const call = calls[i] as Call;
        const about = JSON.stringify([call, finished.code, finished.stderr.slice(0, 300)]);
        assert(!/\n\s+at .*[(:]\d/.test(finished.stderr), `no stack trace: ${about}`);
        // What is still being written cannot be removed, which is the caller's fault and no failure.
        if (call.kind === "remove" && finished.stderr.includes("being written")) continue;
        assert([0, 1].includes(finished.code), about);
        if (call.kind.startsWith("read")) {
          if (finished.code === 0) assertSomeContent(finished.stdout);
          else assert(/removed|not found/.test(finished.stderr), about);
        } else if (finished.code === 0) {
          const answer = readJson(finished.text);
          if (call.kind === "capture") captured.push(String(answer["fd"]));
          if (call.kind === "extract") captured.push(String(answer["new_fd"]));
        } else if (call.kind === "capture" && finished.text !== "") {
          // Cleaned away before its preview was read: it says what it had stored, and that it is gone.
          assert(finished.stderr.includes('"removed"'), about);
        } else if (finished.stderr !== "") {
          // Of an fd that is still empty there are no lines to extract yet.
          const types = ["removed", "not_found", ...(call.kind === "extract" ? ["invalid_range"] : [])];
          assert(types.includes(failureOf(finished).type), about);
        }
      }
      assertEquals(new Set(captured).size, captured.length, "no id twice");
      for (const entry of await listOf(world)) {
        // An extraction whose source was removed under it may leave what it had: nothing, and marked as such.
        if (entry["state"] === "incomplete" && entry["source"] === "extract" && entry["bytes"] === 0) {
          continue;
        }
        assertEquals(entry["state"], "sealed", JSON.stringify(entry));
        assertSomeContent(await wholeOf(world, String(entry["fd"])));
      }
      const verified = await world.run(["verify"]);
      assertEquals([verified.code, verified.stderr], [0, ""], verified.text);
    }),
    { numRuns: runsOf(2), endOnFailure: true },
  );
});
