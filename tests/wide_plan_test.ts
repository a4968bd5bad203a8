/**
 * A plan over more directories than a process may hold open (contract, law 5 and Write plans): it is applied, or it goes
 * back and leaves nothing, and so does `recover`.
 */

import { assert, assertEquals } from "@std/assert";
import { readJson } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

const DIRECTORIES = 300;
/** Less than that, and what a system may well allow. */
const OPEN_FILES = 256;
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
    // The last ones would often be made before the kill comes.
    for (const placed of [0, OPEN_FILES + 4]) {
      const { child, finished } = world.start(["plan", "apply", "plan.json"]);
      await until(world, placed);
      child.kill("SIGKILL");
      await child.stdin.close().catch(() => {});
      assertEquals((await finished).signal, "SIGKILL");
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

/** Waits until the plan has created one more than the given number of its directories. */
async function until(world: World, count: number): Promise<void> {
  for (;;) {
    try {
      if ([...Deno.readDirSync(world.path("many"))].length > count) return;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
