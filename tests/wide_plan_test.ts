/**
 * A plan over more directories than a process may hold open (contract, law 5 and Write plans): it is applied, or it goes
 * back and leaves nothing, and so does `recover`.
 */

import { assert, assertEquals } from "@std/assert";
import { readJson } from "./read_answer.ts";
import { killWhen, makeWorld, type World } from "./world.ts";

const DIRECTORIES = 300;
/** Less than that, and what a system may well allow. */
const OPEN_FILES = 256;
/** Of a plan that is to be killed before it ends. */
const MAX_TRIES = 50;
const onlyLinux = { ignore: Deno.build.os !== "linux" };

/** A plan that makes a file in each of many new directories, and `last` beside them. */
function layPlan(world: World, last: object): void {
  const plans = Array.from({ length: DIRECTORIES }, (_, at) => ({
    target_file: `many/${at}/f`,
    operations: [{ type: "create", content_block: "x\n" }],
  }));
  world.write("plan.json", JSON.stringify({ intent: "many", plans: [...plans, last] }));
}

const limited = (words: string) => `ulimit -n ${OPEN_FILES} && exec fdtool ${words}`;

function madeIn(world: World): string[] {
  return [...Deno.readDirSync(world.dir)].map(({ name }) => name).sort();
}

Deno.test("a plan over hundreds of directories does not run out of file descriptors", onlyLinux, async () => {
  using world = makeWorld();
  layPlan(world, { target_file: "last", operations: [{ type: "create", content_block: "x\n" }] });
  const applied = await world.shell(limited("plan apply plan.json --format json"));
  assertEquals([applied.code, applied.stderr], [0, ""]);
  assertEquals(world.text("many/0/f") + world.text(`many/${DIRECTORIES - 1}/f`), "x\nx\n");
  const undone = await world.shell(limited("undo"));
  assertEquals([undone.code, undone.stderr, madeIn(world)], [0, "", ["plan.json"]]);
});

Deno.test(
  "recover ran out of file descriptors over a plan of hundreds of directories",
  onlyLinux,
  async () => {
    using world = makeWorld();
    layPlan(world, { target_file: "last", operations: [{ type: "create", content_block: "x\n" }] });
    for (const placed of [0, OPEN_FILES + 4]) {
      await killPlanAt(world, placed);
      const recovered = await world.shell(limited("recover --format json"));
      assertEquals([recovered.code, recovered.stderr], [0, ""]);
      const report = readJson(recovered.text) as { recovered: { how: string }[] };
      const [how] = report.recovered.map((each) => each.how);
      assert(how !== undefined);
      if (how === "finished") assertEquals((await world.run(["undo"])).code, 0);
      assertEquals(madeIn(world), ["plan.json"]);
    }
  },
);

/** Kills a plan when it has made more than `count` directories. One that ends before the kill is undone and begins again. */
async function killPlanAt(world: World, count: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const started = world.start(["plan", "apply", "plan.json"]);
    const { signal, code, stderr } = await killWhen(started, () => directoriesIn(world) > count);
    if (signal === "SIGKILL") return;
    assertEquals([code, stderr], [0, ""]);
    assertEquals((await world.run(["undo"])).code, 0);
  }
  throw new Error(`none of ${MAX_TRIES} plans could be killed`);
}

function directoriesIn(world: World): number {
  try {
    return [...Deno.readDirSync(world.path("many"))].length;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return 0;
    throw thrown;
  }
}
