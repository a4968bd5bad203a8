// Promises (contract, Write plans): a check reports every problem at once and writes nothing; operations see the
// results of earlier ones; a plan on files equals the plan on strings; a `.bak` never overwrites another; nothing
// outside the root is written; an ambiguous marker raises a question.

import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { putBytes } from "../../fd/mod.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import type { PlanOperation, PlanRequest } from "../calls/requests/plan_request.ts";
import { commandWriter, messageText } from "../answers/parts/next_command.ts";
import { newestTransactions } from "./commit/journal.ts";
import { undoWrite } from "./history/undo_transaction.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { type PlanProblem, WriteError } from "../calls/terms/write_failure.ts";
import { writePlan } from "./write_plan.ts";

/** A directory of files and a context that writes in it. */
function planWorld() {
  const world = temporaryStore();
  const root = `${world.store.path}-files`;
  mkdirSync(root);
  const context: WriteContext = { store: world.store, cwd: root, root, answers: {} };
  return {
    root,
    context,
    write: (name: string, content: string | Uint8Array) => writeFileSync(join(root, name), content),
    read: (name: string) => readFileSync(join(root, name), "utf8"),
    names: () => readdirSync(root).sort(),
    [Symbol.dispose]() {
      rmSync(root, { recursive: true });
      world[Symbol.dispose]();
    },
  };
}

type World = ReturnType<typeof planWorld>;

const planOf = (
  target_file: string,
  operations: PlanOperation[],
  more: Partial<PlanRequest> = {},
): PlanRequest => ({
  intent: "test",
  target_file,
  operations,
  yes: true,
  ...more,
});

async function applied(world: World, plan: PlanRequest): Promise<string> {
  const answer = await writePlan(plan, world.context);
  assert(answer.type === "write_result", answer.type);
  return messageText(answer.message, () => undefined);
}

async function problemsOf(world: World, plan: unknown): Promise<readonly PlanProblem[]> {
  const thrown = await assertRejects(() => writePlan(plan as PlanRequest, world.context));
  assert(thrown instanceof WriteError && thrown.failure.kind === "plan_invalid", String(thrown));
  return thrown.failure.problems;
}

const placesOf = (problems: readonly PlanProblem[]) =>
  problems.map(({ at, problem }) => `${at}: ${typeof problem === "string" ? "form" : problem.kind}`).sort();

Deno.test("the report of an append names the file and its .bak", async () => {
  using world = planWorld();
  mkdirSync(join(world.root, "src"));
  world.write("src/helpers.js", "a\n");
  const plan = planOf("src/helpers.js", [{ type: "append", content_block: "line\n".repeat(15) }], {
    safety_checks: { backup_required: true, must_exist: true },
  });
  assertEquals(
    await applied(world, plan),
    "Appended 15 lines to helpers.js. Backup saved to helpers.js.bak.",
  );
  assertEquals(world.read("src/helpers.js.bak"), "a\n");
});

Deno.test("a check reports every problem of form and files at once, and writes nothing", async () => {
  using world = planWorld();
  world.write("here", "x\ny\nx\n");
  mkdirSync(join(world.root, "directory"));
  const before = world.names();
  const problems = await problemsOf(world, {
    intent: "everything wrong",
    surplus: 1,
    plans: [
      {
        target_file: "here",
        operations: [
          { type: "create", content_block: "" },
          { type: "insert", content_block: "a", location_marker: "nowhere" },
          { type: "replace", content_block: "a", find: "y", start_marker: "x" },
          { type: "append" },
          { type: "append", content_fd: "fd:99" },
          { type: "mend", content_block: "" },
        ],
      },
      {
        target_file: "absent",
        operations: [{ type: "append", content_block: "a" }],
        safety_checks: { must_exist: true },
      },
      { target_file: "absent2", operations: [{ type: "replace_all", find: "a", content_block: "b" }] },
      { target_file: "directory", operations: [{ type: "overwrite", content_block: "a" }] },
      { target_file: "../out", operations: [{ type: "insert", content_block: "a" }] },
      { target_file: "no operations" },
      { operations: [{ type: "append", content_block: "a" }] },
    ],
  });
  const places = placesOf(problems);
  for (
    const wanted of [
      "surplus: form",
      "plans[0].operations[0].type: file_exists",
      "plans[0].operations[1].location_marker: match_not_found",
      "plans[0].operations[2].find: form",
      "plans[0].operations[3].content_block: form",
      "plans[0].operations[4].content_fd: not_found",
      "plans[0].operations[5].type: form",
      "plans[1].safety_checks.must_exist: file_not_found",
      "plans[2].operations[0].type: file_not_found",
      "plans[3].target_file: write_error",
      "plans[4].target_file: outside_root",
      "plans[4].operations[0].location_marker: form",
      "plans[5].operations: form",
      "plans[6].target_file: form",
    ]
  ) {
    assert(places.includes(wanted), `${wanted} is not among\n${places.join("\n")}`);
  }
  assertEquals(world.names(), before);
  assertEquals([...newestTransactions(world.context.store)], []);
});

Deno.test("a check refuses files that exclude each other", async () => {
  using world = planWorld();
  const creating = (...names: string[]) => ({
    intent: "exclusive",
    plans: names.map((target_file) => ({
      target_file,
      operations: [{ type: "create", content_block: "x\n" }],
    })),
  });
  for (const names of [["m", "m/a"], ["m/a", "m"], ["m/a/b/c", "other", "m/a"]]) {
    const last = `plans[${names.length - 1}].target_file: form`;
    assertEquals(placesOf(await problemsOf(world, { ...creating(...names), check_only: true })), [last]);
    assertEquals(placesOf(await problemsOf(world, creating(...names))), [last]);
  }
  world.write("file", "a\n");
  const below = await problemsOf(world, creating("file/a/b"));
  assertEquals(placesOf(below), ["plans[0].target_file: write_error"]);
  assertEquals([world.names(), [...newestTransactions(world.context.store)]], [["file"], []]);
  await writePlan(creating("m/a", "mm", "m/b") as PlanRequest, world.context);
  assertEquals(world.names(), ["file", "m", "mm"]);
});

Deno.test("a check refuses two names of one file", async () => {
  using world = planWorld();
  world.write("one", "a\n");
  linkSync(join(world.root, "one"), join(world.root, "two"));
  const operations = [{ type: "append", content_block: "b\n" }];
  const plans = ["one", "two"].map((target_file) => ({ target_file, operations }));
  for (const check_only of [true, false]) {
    const problems = await problemsOf(world, { intent: "links", plans, check_only });
    assertEquals(placesOf(problems), ["plans[1].target_file: form"]);
  }
  assertEquals([world.read("one"), statSync(join(world.root, "two")).nlink], ["a\n", 2]);
});

Deno.test("checking a valid plan writes nothing and shows what applying it would report", async () => {
  using world = planWorld();
  world.write("f", "a\n");
  const answer = await writePlan(
    planOf("f", [{ type: "append", content_block: "b\n" }], { check_only: true }),
    world.context,
  );
  assert(answer.type === "plan_check" && answer.message.includes("Appended 1 line to f."));
  assertEquals(world.read("f"), "a\n");
});

Deno.test("content_fd takes a whole fd or a range", async () => {
  using world = planWorld();
  putBytes(world.context.store, new TextEncoder().encode("1\n2\n3\n4\n"), { source: "test" });
  const operations: PlanOperation[] = [
    { type: "create", content_fd: "fd:1" },
    { type: "append", content_fd: "fd:1", lines: "2-3" },
  ];
  await applied(world, planOf("f", operations));
  assertEquals(world.read("f"), "1\n2\n3\n4\n2\n3\n");
});

Deno.test("operations keep all other bytes (CRLF, a BOM, ill-formed UTF-8) and take text literally", async () => {
  using world = planWorld();
  const bytes = (...parts: (string | number)[]) =>
    new Uint8Array(
      parts.flatMap((part) => typeof part === "number" ? [part] : [...new TextEncoder().encode(part)]),
    );
  world.write("f", bytes(0xef, 0xbb, 0xbf, "a\r\n", 0xff, 0xfe, "\r\nmark\r\n", 0x80));
  await applied(
    world,
    planOf("f", [
      { type: "replace", find: "mark", content_block: "$& $1 \\n" },
      { type: "insert", location_marker: "$1", content_block: "new\n", position: "before" },
    ]),
  );
  assertEquals(
    new Uint8Array(readFileSync(join(world.root, "f"))),
    bytes(0xef, 0xbb, 0xbf, "a\r\n", 0xff, 0xfe, "\r\n", "new\r\n", "$& $1 \\n\r\n", 0x80),
  );
});

Deno.test("insert puts whole lines between lines, and other text right beside the marker", async () => {
  using world = planWorld();
  const cases: [string, Partial<PlanOperation>, string][] = [
    ["a\n  mark();\nb\n", { content_block: "  x();\n", position: "before" }, "a\n  x();\n  mark();\nb\n"],
    ["a\n  mark();\nb\n", { content_block: "  x();\n", position: "after" }, "a\n  mark();\n  x();\nb\n"],
    ["a mark", { content_block: "x\n", position: "after" }, "a mark\nx\n"],
    ["f(mark)", { content_block: "x, ", position: "before" }, "f(x, mark)"],
    ["f(mark)", { content_block: ", x", position: "after" }, "f(mark, x)"],
    ["mark\nb\n", { content_block: "\nx", position: "after" }, "mark\nx\nb\n"],
  ];
  for (const [before, operation, after] of cases) {
    world.write("f", before);
    const message = await applied(
      world,
      planOf("f", [{ type: "insert", location_marker: "mark", ...operation } as PlanOperation]),
    );
    assertEquals(world.read("f"), after, JSON.stringify(operation));
    const reported = operation.content_block!.endsWith("\n")
      ? "Inserted 1 line into f"
      : "Inserted text into line";
    assert(message.includes(reported), message);
  }
});

Deno.test("lines inserted before a marker at the first byte go to the start", async () => {
  using world = planWorld();
  const insert = (operation: Partial<PlanOperation>) =>
    applied(world, planOf("f", [{ type: "insert", content_block: "new\n", ...operation } as PlanOperation]));
  world.write("f", "import a\nimport b\n");
  await insert({ location_marker: "import a", position: "before" });
  assertEquals(world.read("f"), "new\nimport a\nimport b\n");
  world.write("f", "import a\n");
  await insert({ location_marker: "^import", marker_type: "regex", position: "before" });
  assertEquals(world.read("f"), "new\nimport a\n");
});

Deno.test("whole lines inserted beside any line are directly before or after it", async () => {
  using world = planWorld();
  const line = fc.constantFrom("", "a", "  b", "é", "c\r");
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 4 }),
      fc.array(line, { maxLength: 4 }),
      fc.constantFrom("before" as const, "after" as const),
      fc.constantFrom("mark", " the mark."),
      async (above, below, position, marked) => {
        world.write("f", [...above, marked, ...below, ""].join("\n"));
        await applied(
          world,
          planOf("f", [{ type: "insert", location_marker: "mark", content_block: "x\ny\n", position }], {
            eol: "keep",
          }),
        );
        const block = position === "before" ? ["x", "y", marked] : [marked, "x", "y"];
        assertEquals(world.read("f"), [...above, ...block, ...below, ""].join("\n"));
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("markers may be regular expressions, matched in linear time", async () => {
  using world = planWorld();
  world.write("f", "import a;\nimport b;\ncode\n");
  const insert = (location_marker: string): PlanOperation => ({
    type: "insert",
    marker_type: "regex",
    location_marker,
    content_block: "import c;\n",
    position: "after",
  });
  await applied(world, planOf("f", [insert("^import b.$")]));
  assertEquals(world.read("f"), "import a;\nimport b;\nimport c;\ncode\n");
  const invalid = await problemsOf(world, planOf("f", [insert("(")]));
  assertEquals(placesOf(invalid), ["operations[0].location_marker: invalid_parameter"]);
  assertEquals((invalid[0]?.problem as { field?: string }).field, "location_marker");
  world.write("f", `${"a".repeat(5000)}!\n`);
  for (const hanging of ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)*x"]) {
    const [problem] = await problemsOf(world, planOf("f", [insert(hanging)]));
    assertEquals(problem?.at, "operations[0].location_marker", hanging);
  }
});

Deno.test("an ambiguous marker raises a question with the candidate lines, and the answer decides", async () => {
  using world = planWorld();
  world.write("f", "x = 1\ny\n  x = 2\n");
  const plan = planOf("f", [{
    type: "insert",
    location_marker: "x =",
    content_block: "new\n",
    position: "before",
  }]);
  const asked = await writePlan(plan, world.context);
  assert(asked.type === "needs_input");
  const { id, answer_type } = asked.question;
  assertEquals(answer_type, { Select: { options: ["1: x = 1", "3: x = 2"] } });
  assertEquals(world.read("f"), "x = 1\ny\n  x = 2\n");
  await writePlan(plan, { ...world.context, answers: { [id]: "3: x = 2" } });
  assertEquals(world.read("f"), "x = 1\ny\nnew\n  x = 2\n");
  const problems = await problemsOf(world, { ...plan, check_only: true });
  assertEquals(placesOf(problems), ["operations[0].location_marker: match_not_unique"]);
});

Deno.test("an end_marker before its start_marker differs in place, and a missing type is reported as missing", async () => {
  using world = planWorld();
  world.write("f", "END\nbegin\n");
  const block = { type: "replace", start_marker: "begin", end_marker: "END", content_block: "x\n" };
  const [problem] = await problemsOf(world, { intent: "i", target_file: "f", operations: [block] });
  const fault = problem?.problem;
  assert(typeof fault === "object" && fault.kind === "match_not_found");
  assertEquals([fault.after, fault.nearest], ["start_marker", [{
    lineNumber: 1,
    text: "END",
    differs: ["place"],
  }]]);
  const untyped = { intent: "i", target_file: "f", operations: [{ content_block: "x\n" }] };
  assertEquals(await problemsOf(world, untyped), [{ at: "operations[0].type", problem: "is missing" }]);
});

Deno.test("new text takes the line ends of its file, which is noted, in a check too; eol overrides", async () => {
  using world = planWorld();
  const operations: PlanOperation[] = [
    { type: "insert", content_block: "new\n", location_marker: "b\nc", position: "before" },
    { type: "append", content_block: "end\nend\n" },
  ];
  world.write("dos.txt", "a\r\nb\r\nc\r\n");
  world.write("unix.txt", "a\nb\nc\n");
  const plans = ["dos.txt", "unix.txt"].map((target_file) => ({
    target_file,
    operations: operations.slice(1),
  }));
  const note =
    "Line ends: the new text of dos.txt was converted to CRLF, as in the file; use --eol keep to write it as given.";
  const plan: PlanRequest = { intent: "test", plans, yes: true };
  const check = await writePlan({ ...plan, check_only: true }, world.context);
  assert(
    check.type === "plan_check" && messageText(check.message, commandWriter(undefined)).endsWith(note),
    JSON.stringify(check),
  );
  const message = await applied(world, plan);
  assert(message.endsWith(note) && !message.includes("of unix.txt was"), message);
  assertEquals(world.read("dos.txt"), "a\r\nb\r\nc\r\nend\r\nend\r\n");

  world.write("dos.txt", "a\r\nb\r\nc");
  const converted = await applied(world, planOf("dos.txt", operations, { eol: "crlf" }));
  assert(!converted.includes("Line ends"), converted);
  assertEquals(world.read("dos.txt"), "a\r\nnew\r\nb\r\nc\r\nend\r\nend\r\n", "markers and new text");
  const last: PlanOperation = { type: "insert", content_block: "new\n", location_marker: "c" };
  world.write("dos.txt", "a\r\nc");
  await applied(world, planOf("dos.txt", [last], { eol: "crlf" }));
  assertEquals(
    world.read("dos.txt"),
    "a\r\nc\r\nnew\r\n",
    "a line that had no end gets one of the same kind",
  );
  world.write("new.txt", "x\n");
  assert(
    !(await applied(world, planOf("new.txt", [{ type: "overwrite", content_block: "y" }]))).includes("Line"),
  );
});

Deno.test("a plan that changes more than half of a file asks first, one that sets it whole does not", async () => {
  using world = planWorld();
  const text = Array.from({ length: 12 }, (_, i) => `x ${i}\n`).join("");
  world.write("f", text);
  const operation: PlanOperation = { type: "replace_all", find: "x", content_block: "y" };
  const asked = await writePlan(planOf("f", [operation], { yes: false }), world.context);
  assertEquals(asked.type, "needs_input");
  assertEquals(world.read("f"), text);
  const whole: PlanOperation = { type: "overwrite", content_block: "new\n" };
  assertEquals((await writePlan(planOf("f", [whole], { yes: false }), world.context)).type, "write_result");
});

Deno.test("a .bak never overwrites another", async () => {
  using world = planWorld();
  world.write("f", "1\n");
  world.write("f.bak", "mine\n");
  const step = (content_block: string) =>
    planOf("f", [{ type: "overwrite", content_block }], { safety_checks: { backup_required: true } });
  assert((await applied(world, step("2\n"))).endsWith("Backup saved to f.bak.1."));
  assert((await applied(world, step("3\n"))).endsWith("Backup saved to f.bak.2."));
  assertEquals(world.names().map((name) => [name, world.read(name)]), [
    ["f", "3\n"],
    ["f.bak", "mine\n"],
    ["f.bak.1", "1\n"],
    ["f.bak.2", "2\n"],
  ]);
});

Deno.test("a plan that reaches outside of the root, by .. or a link, writes nothing", async () => {
  using world = planWorld();
  const outside = `${world.root}-outside`;
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "old\n");
  symlinkSync(join(outside, "secret"), join(world.root, "link"));
  symlinkSync(outside, join(world.root, "way"));
  symlinkSync(join(outside, "not yet"), join(world.root, "dangling"));
  const name = outside.slice(outside.lastIndexOf("/") + 1);
  for (
    const target_file of [
      `../${name}/secret`,
      "link",
      "way/secret",
      "way/new",
      "dangling",
      join(outside, "secret"),
    ]
  ) {
    const problems = await problemsOf(world, {
      intent: "out",
      plans: [
        { target_file: "inside", operations: [{ type: "create", content_block: "x\n" }] },
        { target_file, operations: [{ type: "append", content_block: "x\n" }] },
      ],
    });
    assertEquals(placesOf(problems), ["plans[1].target_file: outside_root"], target_file);
  }
  assertEquals(existsSync(join(world.root, "inside")), false);
  assertEquals([readdirSync(outside), readFileSync(join(outside, "secret"), "utf8")], [["secret"], "old\n"]);
  rmSync(outside, { recursive: true });
});

Deno.test("undo reverts a whole plan, and is refused once one of its files changed", async () => {
  using world = planWorld();
  const plan: PlanRequest = {
    intent: "two files",
    plans: [
      { target_file: "a", operations: [{ type: "append", content_block: "2\n" }] },
      { target_file: "new/b", operations: [{ type: "create", content_block: "b\n" }] },
    ],
  };
  world.write("a", "1\n");
  await writePlan(plan, world.context);
  assertEquals([world.read("a"), world.read("new/b")], ["1\n2\n", "b\n"]);
  world.write("a", "somebody else\n");
  const thrown = await assertRejects(() => undoWrite({}, world.context));
  assert(thrown instanceof WriteError && thrown.failure.kind === "stale_file", String(thrown));
  assertEquals(world.read("new/b"), "b\n");
  world.write("a", "1\n2\n");
  await undoWrite({}, world.context);
  assertEquals([world.read("a"), world.names()], ["1\n", ["a"]]);
});

/** Operations on a string, as done by hand. Returns undefined if the plan must be refused. */
function modelled(text: string, operations: readonly PlanOperation[]): string | undefined {
  let current = text;
  for (
    const { type, content_block: added = "", find = "", location_marker: marker = "", position } of operations
  ) {
    const parts = current.split(type === "insert" ? marker : find);
    if (type === "append") current += added;
    if (type === "overwrite") current = added;
    if (type === "replace_all") {
      if (parts.length < 2) return undefined;
      current = parts.join(added);
    }
    if (type === "replace" || type === "insert") {
      if (parts.length !== 2) return undefined;
      const [before = "", after = ""] = parts;
      const kept = position === "before" ? added + marker : marker + added;
      current = before + (type === "replace" ? added : kept) + after;
    }
  }
  return current;
}

Deno.test("any plan of operations on a file equals the same operations on a string", async () => {
  using world = planWorld();
  // No text begins or ends with a line end, so that inserts go right beside their marker; markers do not overlap
  // themselves.
  const added = fc.stringMatching(/^[abc]{1,3}(\r?\n[abcé$&]{1,3}){0,2}$/u);
  const sought = fc.constantFrom("ab", "bc", "a\n", "c", "é");
  const operation: fc.Arbitrary<PlanOperation> = fc.oneof(
    fc.record({ type: fc.constant("append" as const), content_block: added, glue: fc.constant(true) }),
    fc.record({ type: fc.constant("overwrite" as const), content_block: added }),
    fc.record({ type: fc.constant("replace" as const), content_block: added, find: sought }),
    fc.record({ type: fc.constant("replace_all" as const), content_block: added, find: sought }),
    fc.record({
      type: fc.constant("insert" as const),
      content_block: added,
      location_marker: sought,
      position: fc.constantFrom("before" as const, "after" as const),
    }),
  );
  await fc.assert(
    fc.asyncProperty(added, fc.array(operation, { minLength: 1, maxLength: 5 }), async (text, operations) => {
      world.write("f", text);
      const wanted = modelled(text, operations);
      const plan = planOf("f", operations, { eol: "keep" });
      if (wanted !== undefined) {
        await applied(world, plan);
        assertEquals(world.read("f"), wanted);
        return;
      }
      try {
        const answer = await writePlan(plan, world.context);
        assertEquals(answer.type, "needs_input");
      } catch (thrown) {
        assert(thrown instanceof WriteError && thrown.failure.kind === "plan_invalid", String(thrown));
      }
      assertEquals(world.read("f"), text);
    }),
    { numRuns: 60 },
  );
});

Deno.test("an operation does not read every line before its marker", async () => {
  using world = planWorld();
  const lines = Array.from({ length: 2000 }, (_, at) => `value_${at} = ${at};\n`);
  world.write("a.ts", lines.join(""));
  const operations = lines.map((line): PlanOperation => ({
    type: "replace",
    find: line,
    content_block: "x\n",
  }));
  const { indexOf } = Buffer.prototype;
  let looks = 0;
  Buffer.prototype.indexOf = function (...parameters: Parameters<typeof indexOf>) {
    looks++;
    return indexOf.apply(this, parameters);
  };
  try {
    await writePlan(planOf("a.ts", operations), world.context);
  } finally {
    Buffer.prototype.indexOf = indexOf;
  }
  assertEquals(world.read("a.ts"), "x\n".repeat(2000));
  assert(looks < 20 * operations.length, `${looks} looks`);
});
