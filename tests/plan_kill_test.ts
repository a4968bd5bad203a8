/**
 * kill -9 in the middle of a plan over thirty files (contract, law 5, Writing files and Write plans): after `recover`
 * every file is as before or every file is as the plan wanted it, and nothing else is left beside them. Until then
 * every file by itself is the old one or the new one, and other commands say that something waits.
 */

import { assert, assertEquals } from "@std/assert";
import { killWhen, makeWorld, type World } from "./world.ts";

const FILE_COUNT = 30;
const KILLS = 16;
const DIRECTORY = "files";

const NAMES = Array.from({ length: FILE_COUNT }, (_, i) => `${String(i).padStart(2, "0")}.txt`);
/** Every seventh file is made by the plan. */
const isNew = (name: string) => Number(name.slice(0, 2)) % 7 === 3;
const oldText = (name: string) => `old ${name}\n${"line\n".repeat(Number(name.slice(0, 2)) * 40)}`;
const addedText = (name: string) => `added to ${name}\n`;

const PLAN = JSON.stringify({
  intent: "Touch them all",
  plans: NAMES.map((name) => ({
    target_file: `${DIRECTORY}/${name}`,
    operations: isNew(name)
      ? [{ type: "create", content_block: addedText(name) }]
      : [{ type: "append", content_block: addedText(name) }],
    safety_checks: isNew(name) ? {} : { must_exist: true, backup_required: true },
  })),
});

type Files = Readonly<Record<string, string>>;

const BEFORE: Files = Object.fromEntries(
  NAMES.filter((name) => !isNew(name)).map((name) => [name, oldText(name)]),
);
const AFTER: Files = Object.fromEntries(
  NAMES.flatMap((name) =>
    isNew(name)
      ? [[name, addedText(name)]]
      : [[name, oldText(name) + addedText(name)], [`${name}.bak`, oldText(name)]]
  ),
);

function lay(world: World): void {
  Deno.removeSync(world.path(DIRECTORY), { recursive: true });
  Deno.mkdirSync(world.path(DIRECTORY));
  for (const [name, text] of Object.entries(BEFORE)) world.write(`${DIRECTORY}/${name}`, text);
}

function see(world: World): Files {
  const names = [...Deno.readDirSync(world.path(DIRECTORY))].map((entry) => entry.name).sort();
  return Object.fromEntries(names.map((name) => [name, world.text(`${DIRECTORY}/${name}`)]));
}

/** The progress of a plan seen from outside: temporary files, and the changed files. */
function progressIn(world: World): number {
  let progress = 0;
  for (const { name } of Deno.readDirSync(world.path(DIRECTORY))) {
    const before = BEFORE[name];
    if (before === undefined) progress++;
    else if (sizeOf(world, name) !== before.length) progress++;
  }
  return progress;
}

function sizeOf(world: World, name: string): number {
  try {
    return Deno.statSync(world.path(`${DIRECTORY}/${name}`)).size;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return 0;
    throw thrown;
  }
}

/** Kills a plan once it has come as far as `wanted`; answers whether it was killed. */
async function killAt(world: World, wanted: number): Promise<boolean> {
  const started = world.start(["plan", "apply", "plan.json"]);
  const { signal, code, stderr } = await killWhen(started, () => progressIn(world) >= wanted);
  if (signal === "SIGKILL") return true;
  assertEquals([code, stderr], [0, ""]);
  return false;
}

Deno.test("kill -9: a plan over thirty files, killed anywhere and recovered, changed all of them or none", async () => {
  using world = makeWorld();
  Deno.mkdirSync(world.path(DIRECTORY));
  world.write("plan.json", PLAN);
  lay(world);
  const { code, stderr } = await world.run(["plan", "apply", "plan.json"]);
  assertEquals([code, stderr], [0, ""]);
  assertEquals(see(world), AFTER);
  // As seen from outside: a copy and a temporary file for each old file, then each of them changed, in some order.
  const most = 2 * FILE_COUNT + Object.keys(BEFORE).length;

  const outcomes = { before: 0, after: 0 };
  let killed = 0;
  let noticed = 0;
  for (let tried = 0; killed < KILLS; tried++) {
    assert(tried < 6 * KILLS, `only ${killed} of ${tried} plans could be killed`);
    lay(world);
    if (!await killAt(world, Math.floor((tried % KILLS + Math.random()) / KILLS * most))) continue;
    killed++;
    const torn = see(world);
    for (const name of NAMES) {
      const text = torn[name];
      assert(text === BEFORE[name] || text === AFTER[name], `${name} is torn: ${text?.slice(0, 40)}`);
    }
    const listed = await world.run(["log", "--format", "json", "--limit", "1"]);
    const isOpen = listed.text.includes('"state":"interrupted"');
    assertEquals(listed.stderr.includes("write_notice"), isOpen, listed.stderr);
    if (isOpen) noticed++;
    const recovered = await world.run(["recover"]);
    assertEquals([recovered.code, recovered.stderr], [0, ""], recovered.text);
    const seen = see(world);
    const which = seen["00.txt"] === AFTER["00.txt"] ? "after" : "before";
    outcomes[which]++;
    assertEquals(seen, which === "after" ? AFTER : BEFORE, recovered.text);
  }
  assert(noticed > 0 && outcomes.before > 0, JSON.stringify({ noticed, ...outcomes }));

  // What was recovered forward can be undone, and the store holds.
  lay(world);
  assertEquals((await world.run(["plan", "apply", "plan.json"])).code, 0);
  const undone = await world.run(["undo"]);
  assertEquals([undone.code, undone.stderr], [0, ""], undone.text);
  const { "00.txt": first } = see(world);
  assertEquals(first, BEFORE["00.txt"]);
  const verified = await world.run(["verify"]);
  assertEquals([verified.code, verified.stderr], [0, ""], verified.text);
});
