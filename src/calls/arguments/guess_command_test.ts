// Promise: no guess leads to a command that changes anything. For any word in a command's or an option's place, what is
// offered is a call that only reads, or help.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { listOperations } from "../../commands/rows.ts";
import { callMeant, guessCommand } from "./guess_command.ts";
import { nextLine } from "../../../tests/sample_answers.ts";
import { failureText } from "../../answers/render/failure_text.ts";
import { dashed } from "./option_spellings.ts";
import { parseCall } from "./parse_arguments.ts";
import { failUnknownCommand } from "./guess_command.ts";
import { failUnknownTool } from "../../agents/choose_tools.ts";
import { toolsOf } from "../../agents/tool_table.ts";
import { UsageError } from "../requests/usage_failure.ts";

const TOOLS = toolsOf(listOperations());

/** Repeated here, so that adding a command that may be guessed takes two changes. */
const READING = [
  ...["read", "search", "diff", "query", "ls", "stat", "path", "refs", "log", "inquiries", "count", "wait"],
  ...["tools", "prompt", "doctor", "completion", "help", "version", "stats"],
];
/** Named with their help, never called. */
const NAMED = ["capture", "run"];

const aliasOf = Object.fromEntries(
  listOperations().filter(({ hidden }) => hidden !== true)
    .flatMap(({ name, aliases }) => [name, ...aliases].map((each) => [dashed(each), name])),
);
const known = { aliasOf, reading: READING };

/** The report of a call that throws. */
function told(call: () => unknown): { message: string; next: string; nearest: unknown } {
  try {
    call();
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    const { message, next, fields } = failureText(thrown.failure, undefined);
    return { message, next: nextLine(next) ?? "", nearest: fields["nearest"] };
  }
  throw new Error("the call was taken");
}

/** Asserts that the next command is one that only reads, or help. */
function assertReads(next: string): void {
  assert(READING.includes(next.split(" ")[1] ?? ""), next);
}

/** Words as they are mistyped: a char left out, doubled, changed, or two of them swapped. */
const slip = (word: fc.Arbitrary<string>) =>
  fc.tuple(word, fc.nat(), fc.constantFrom("drop", "double", "change", "swap"), fc.stringMatching(/^[a-z-]$/))
    .map(([name, place, kind, letter]) => {
      const at = place % name.length;
      const [before, char, after] = [name.slice(0, at), name[at]!, name.slice(at + 1)];
      if (kind === "drop") return before + after;
      if (kind === "double") return before + char + char + after;
      return kind === "change" ? before + letter + after : before + (after[0] ?? "") + char + after.slice(1);
    });

const commandName = fc.constantFrom(...Object.keys(aliasOf));
const mistyped = fc.oneof(slip(commandName), slip(slip(commandName)), fc.stringMatching(/^[a-z-]{1,9}$/))
  .filter((word) => word !== "" && !word.startsWith("-") && aliasOf[word] === undefined);
const others = fc.array(fc.constantFrom("fd:1", "ref:x", "-n", "5", "error", "--force", "--all", "a b"), {
  maxLength: 3,
});

Deno.test("a mistyped command was answered with one that acts", () => {
  fc.assert(
    fc.property(mistyped, others, (word, rest) => {
      const { next, nearest } = told(() => failUnknownCommand(listOperations(), [word, ...rest], 0));
      assertReads(next);
      assert(nearest === undefined || [...READING, ...NAMED].includes(String(nearest)), String(nearest));
      if (!READING.includes(String(nearest))) assertEquals(next.split(" ")[1], "help");
    }),
    { numRuns: 1200 },
  );
});

Deno.test("help of a mistyped command leads to help", () => {
  fc.assert(fc.property(mistyped, (word) => {
    assertEquals(
      told(() => failUnknownCommand(listOperations(), ["help", word], 1)).next.split(" ")[1],
      "help",
    );
  }));
  assertEquals(
    told(() => failUnknownCommand(listOperations(), ["help", "undoo"], 1)).next,
    "fdtool help undo",
  );
});

Deno.test("a mistyped option was answered with a call that acts", async () => {
  const loaded = await Promise.all(listOperations().map(async (entry) => ({ entry, ...await entry.load() })));
  const call = fc.constantFrom(...loaded).chain(({ entry, spec }) =>
    fc.record({
      entry: fc.constant(entry),
      spec: fc.constant(spec),
      option: slip(fc.constantFrom(...Object.keys(spec.options), "help", "version", "format", "store")),
    })
  );
  fc.assert(
    fc.property(
      call,
      fc.array(fc.constantFrom("fd:1", "5", "x"), { maxLength: 2 }),
      ({ entry, spec, option }, rest) => {
        let text;
        try {
          text = told(() => parseCall(entry, spec, [`--${option}`, ...rest]));
        } catch {
          // The slip made another option.
          return;
        }
        assertReads(text.next);
        // A call of the command itself only where that reads.
        if (!READING.includes(entry.name)) assertEquals(text.next, `fdtool help ${entry.name}`);
      },
    ),
    { numRuns: 800 },
  );
});

Deno.test("a mistyped tool was answered with one that writes", () => {
  const readOnly = TOOLS.filter((tool) => tool.readOnly).map(({ name }) => name);
  fc.assert(fc.property(slip(fc.constantFrom(...TOOLS.map(({ name }) => name))), (name) => {
    const { next, nearest } = told(() => failUnknownTool(name, TOOLS));
    assertReads(next);
    assert(nearest === undefined || readOnly.includes(String(nearest)), String(nearest));
  }));
});

Deno.test("commands of other tools are those that read here", () => {
  const cases: [string, string | undefined][] = [
    ["show fd:1", "read fd:1"],
    ["cat 7 --format json", "read 7 --format json"],
    ["tail fd:1", "read fd:1 --tail 10"],
    ["tail -n 25 fd:1", "read fd:1 --tail 25"],
    ["tail -n25 fd:1", "read fd:1 --tail 25"],
    ["tail -f fd:1", "read fd:1 --follow"],
    ["head fd:1 -5", "read fd:1 --head 5"],
    ["head --lines=3 fd:1", "read fd:1 --head 3"],
    ["rg error fd:2", "search error fd:2"],
    ["rg -i error fd:2", "search -i error fd:2"],
    ["rg fd:2 error", "search fd:2 error"],
    ["rg 7 8", "search 7 8"],
    ["man read", "help read"],
    ["wc fd:1", "stat fd:1"],
    ["wc notes.txt", "count notes.txt"],
    ["history", "log"],
    ["exec make", undefined],
    ["pipe", undefined],
    ["raed fd:7", undefined],
  ];
  const meant = (call: string) => callMeant(call.split(" "))?.join(" ");
  assertEquals(cases.map(([written]) => meant(written)), cases.map(([, call]) => call));
});

Deno.test("a word near a command that reads leads to it, one near another to help", () => {
  const next = (...words: string[]) => guessCommand(words, known)?.next.join(" ");
  const cases: [string, string][] = [
    ["raed fd:7", "read fd:7"],
    ["Serach fd:7 x", "search fd:7 x"],
    ["captrue", "help capture"],
    ["exec make", "help run"],
  ];
  assertEquals(cases.map(([written]) => next(...written.split(" "))), cases.map(([, meant]) => meant));
  for (
    const acting of [
      "stopp fd:1",
      "plna x",
      "undoo",
      "instal",
      "uninstal",
      "gcc",
      "cancle inq:1",
    ]
  ) {
    const guess = guessCommand(acting.split(" "), known);
    assertEquals([guess?.command, guess?.next[0]], [undefined, "help"], acting);
  }
});
