/**
 * Lists in answers are bounded, say how many they leave out, and name the command that shows all (contract, law 7),
 * in every dress.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { interrupt } from "./interrupted_write.ts";
import { readJson } from "./read_answer.ts";
import { fillStore } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const FILES = 120;
const FORMATS = ["xml", "json", "raw"] as const;

/** Writes many files, and a plan that puts a line after the `marker` of each. */
function layPlan(world: World, marker: string): void {
  const plans = Array.from({ length: FILES }, (_, at) => {
    const target_file = `many/${at}`;
    world.write(target_file, "one\ntwo\nthree\nfour\n");
    return {
      target_file,
      operations: [{ type: "insert", content_block: "new\n", location_marker: marker }],
    };
  });
  world.write("plan.json", JSON.stringify({ intent: "many", plans }));
}

Deno.test("a plan over more than a hundred files, its check and its undo show a bounded list", async () => {
  using world = makeWorld();
  layPlan(world, "two");
  for (const format of FORMATS) {
    for (const words of [["plan", "check"], ["plan", "apply", "--dry-run"], ["plan", "apply"]]) {
      const { code, text } = await world.run([...words, "plan.json", "--format", format]);
      assertEquals(code, 0);
      assert(text.length < 30_000, `${words.join(" ")} in ${format}: ${text.length}`);
    }
    const undone = await world.run(["undo", "--format", format]);
    assertEquals(undone.code, 0);
    assert(undone.text.length < 30_000, `undo in ${format}: ${undone.text.length}`);
  }
  const applied = readJson((await world.run(["plan", "apply", "plan.json", "--format", "json"])).text) as {
    files: unknown[];
    more_files: number;
    message: string;
    next: string;
  };
  assertEquals([applied.files.length, applied.more_files, applied.next], [
    50,
    FILES - 50,
    "fdtool undo tx:7",
  ]);
  assertStringIncludes(
    applied.message,
    `And ${FILES - 50} more files. fdtool log tx:7 --all lists all files.`,
  );
});

Deno.test("a plan with more than a hundred problems shows some, and stores the whole list as an fd", async () => {
  using world = makeWorld();
  layPlan(world, "absent");
  for (const format of FORMATS) {
    const { code, stderr } = await world.run(["plan", "check", "plan.json", "--format", format]);
    assertEquals(code, 1);
    assert(stderr.length < 20_000, `${format}: ${stderr.length}`);
  }
  const refused = readJson((await world.run(["plan", "check", "plan.json", "--format", "json"])).stderr);
  const { error, problems, more_problems, problems_fd, next, message } = refused as {
    error: string;
    problems: unknown[];
    more_problems: number;
    problems_fd: string;
    next: string;
    message: string;
  };
  assertEquals([error, problems.length, more_problems, next], [
    "plan_invalid",
    50,
    FILES - 50,
    `fdtool read ${problems_fd}`,
  ]);
  assertStringIncludes(message, `The plan has ${FILES} problems`);
  const whole = await world.run(["read", problems_fd, "--all", "--format", "raw"]);
  const reported = whole.text.trim().split("\n").map((line) => JSON.parse(line) as { at: string });
  assertEquals(reported.map(({ at }) => at), [
    ...Array.from({ length: FILES }, (_, at) => `plans[${at}].operations[0].location_marker`),
  ]);
});

Deno.test("an undo refused for more than a hundred changed files shows few diffs", async () => {
  using world = makeWorld();
  layPlan(world, "two");
  await world.run(["plan", "apply", "plan.json"]);
  for (let at = 0; at < FILES; at++) world.write(`many/${at}`, "theirs\n");
  const { code, stderr } = await world.run(["undo", "--format", "json"]);
  const { error, message, faults, more_faults } = readJson(stderr) as {
    error: string;
    message: string;
    faults: unknown[];
    more_faults: number;
  };
  assertEquals([code, error, faults.length, more_faults], [1, "stale_file", 5, FILES - 5]);
  assertStringIncludes(message, `${FILES} checks failed`);
});

Deno.test("log tx:N obeys --limit and --all", async () => {
  using world = makeWorld();
  layPlan(world, "two");
  await world.run(["plan", "apply", "plan.json"]);
  const pathsOf = async (...options: string[]) => {
    const { text } = await world.run(["log", "tx:1", "--format", "json", ...options]);
    const { steps, next } = readJson(text) as {
      steps: { paths: string[]; more_paths?: number }[];
      next?: string;
    };
    return [steps[0]?.paths.length, steps[0]?.more_paths, next];
  };
  assertEquals(await pathsOf(), [100, FILES - 100, "fdtool log tx:1 --all"]);
  assertEquals(await pathsOf("--limit", "7"), [7, FILES - 7, "fdtool log tx:1 --all"]);
  assertEquals(await pathsOf("--all"), [FILES, undefined, undefined]);
});

Deno.test("rm, gc, export, import and refs show a bounded list", async () => {
  using world = makeWorld();
  fillStore(world, 150, (at) => `n${at}`);
  const env: Record<string, string> = {};
  const listed = async (field: string, ...words: string[]) => {
    const { code, text } = await world.run([...words, "--format", "json"], { env });
    assertEquals(code, 0);
    const answer = readJson(text);
    return [(answer[field] as unknown[]).length, answer[`more_${field}`], answer["next"]];
  };
  assertEquals(await listed("refs", "refs"), [100, undefined, "fdtool refs --all"]);
  assertEquals(await listed("refs", "refs", "--all"), [150, undefined, undefined]);
  assertEquals(await listed("fds", "export", "--all", "-o", "a.tar"), [
    100,
    50,
    "fdtool --store OTHER import a.tar",
  ]);
  assertEquals(await listed("fds", "import", "a.tar"), [100, 50, "fdtool ls --limit 150"]);
  assertEquals(await listed("fds", "import", "a.tar", "--all"), [150, undefined, "fdtool ls"]);
  const ids = Array.from({ length: 150 }, (_, at) => `${at + 1}`);
  assertEquals(await listed("removed", "rm", ...ids), [100, 50, undefined]);
  env["FDTOOL_QUOTA"] = "1";
  assertEquals(await listed("removed", "gc", "--dry-run"), [100, 200, "fdtool gc"]);
  assertEquals(await listed("removed", "gc", "--dry-run", "--all"), [300, undefined, "fdtool gc"]);
});

Deno.test("plan show bounds its output", async () => {
  using world = makeWorld();
  layPlan(world, "two");
  await world.run(["plan", "apply", "plan.json"]);
  const given = JSON.parse(world.text("plan.json"));
  for (const format of ["xml", "json"]) {
    const { code, text } = await world.run(["plan", "show", "tx:1", "--format", format]);
    assert(code === 0 && text.length < 500, text);
    assertStringIncludes(text, "fdtool read fd:");
  }
  const raw = await world.run(["plan", "show", "tx:1", "--format", "raw"]);
  assertEquals(JSON.parse(raw.text), given);
});

Deno.test("the notice of an interrupted write, recover and log bound their lists of paths", async () => {
  using world = makeWorld();
  const names = Array.from({ length: FILES }, (_, at) => `a-directory-with-a-name/file-number-${at}`);
  names.forEach((name) => world.write(name, "old\n"));
  const plans = names.map((name) => ({
    target_file: name,
    operations: [{ type: "append", content_block: "x\n" }, {
      type: "replace_all",
      find: "old",
      content_block: "new",
    }],
  }));
  const plan = JSON.stringify({ intent: "many", plans });
  assertEquals((await world.run(["plan", "apply", "--yes"], { stdin: plan })).code, 0);
  interrupt(world, 1);
  for (const format of ["xml", "json", "raw"]) {
    const logged = await world.run(["log", "--format", format]);
    assert(logged.stderr.length < 1500, `${format}: a notice of ${logged.stderr.length}`);
    assert(logged.text.length < 2500, `${format}: a log of ${logged.text.length}`);
    if (format !== "raw") assert(logged.stderr.includes("fdtool log tx:1 --all"), logged.stderr);
  }
  const { next, steps } = readJson((await world.run(["log", "--format", "json"])).text) as {
    next: string;
    steps: { paths: string[]; more_paths: number }[];
  };
  assertEquals([next, steps[0]?.paths.length, steps[0]?.more_paths], [
    "fdtool log tx:1 --all",
    10,
    FILES - 10,
  ]);
  const whole = readJson((await world.run(["log", "tx:1", "--all", "--format", "json"])).text) as {
    steps: { paths: string[] }[];
  };
  assertEquals(whole.steps.map(({ paths }) => paths), [names]);

  // Half of them were changed by another process since.
  names.slice(1).forEach((name) => world.write(name, "theirs\n"));
  const recovered = await world.run(["recover", "--format", "json"]);
  assertEquals(recovered.code, 0);
  assert(recovered.text.length < 2000 && recovered.text.includes("fdtool log tx:1 --all"), recovered.text);
  const reported = readJson((await world.run(["log", "tx:1", "--all", "--format", "json"])).text) as {
    steps: { left: string[] }[];
  };
  assertEquals(reported.steps[0]?.left, names.slice(1));
});
