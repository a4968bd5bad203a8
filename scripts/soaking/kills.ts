/**
 * Kills processes with SIGKILL at random moments: captures leave prefixes, exports the old or the new file, plans over
 * thirty files all or none of their changes.
 */

import { makeWorld, type World } from "../../tests/world.ts";
import { assertStoreHolds, noBinary } from "./outer_world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { must, sameBytes, seen } from "./inner_world.ts";

/** The input of capture `n`: every line names the capture. Every third is small: it is stored by one write. */
function contentOf(n: number): Uint8Array {
  return new TextEncoder().encode(`capture ${n} ${"row ".repeat(12)}\n`.repeat(n % 3 === 2 ? 480 : 9000));
}

/** Starts a call, kills it after `ms`, and returns whether it was still running. */
export async function killedAfter(
  world: World,
  ms: number,
  words: readonly string[],
  stdin: Uint8Array | undefined,
): Promise<{ wasKilled: boolean; code: number; text: string }> {
  const { child, finished } = world.start(words, stdin === undefined ? {} : { stdin });
  if (stdin === undefined) await child.stdin.close();
  let ended = false;
  const over = child.status.then(() => ended = true);
  await Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), over]);
  if (!ended) {
    try {
      child.kill("SIGKILL");
    } catch (thrown) {
      // A process that has already ended cannot be killed.
      if (!(thrown instanceof TypeError)) throw thrown;
    }
  }
  const { signal, code, text } = await finished;
  return { wasKilled: signal === "SIGKILL", code, text };
}

/** How long a call takes here. */
async function msOf(world: World, words: readonly string[], stdin?: Uint8Array): Promise<number> {
  const startedMs = performance.now();
  const { code, stderr } = await world.run(words, { stdin });
  must(code === 0, () => `${words.join(" ")}: ${stderr}`);
  return performance.now() - startedMs;
}

/** Only kills count: calls that ended before their kill are repeated, at most this many times. */
const TRIES = 4;

export const killedCaptures: FaultClass = {
  name: "killed-captures",
  what: "captures killed at random moments: prefixes that say how much they hold, ids that never clash",
  wanted: 1000,
  unable: noBinary,
  async round({ choices, ran, attempt }: Round) {
    using world = makeWorld();
    const span = await msOf(world, ["capture", "--always"], contentOf(0));
    const kill = async (n: number) => {
      for (let tried = 0; tried < TRIES; tried++) {
        const { wasKilled } = await killedAfter(
          world,
          choices.fraction() * span,
          ["capture", "--always"],
          contentOf(n),
        );
        if (wasKilled) return ran(1);
      }
    };
    for (let n = 1; n <= 24; n += 2) await Promise.all([kill(n), kill(n + 1)]);
    await attempt("", () =>
      // The first line of each determines the rest.
      assertStoreHolds(world, "killed captures", (_fd, held) => {
        const n = /^capture (\d+) /.exec(new TextDecoder().decode(held.subarray(0, 20)))?.[1];
        return n === undefined ? undefined : contentOf(Number(n));
      }));
  },
};

export const killedExports: FaultClass = {
  name: "killed-exports",
  what:
    "to-file killed at random moments: the old file or the new one, whole, and nothing beside it after recover",
  wanted: 1000,
  unable: noBinary,
  async round({ choices, attempt }: Round) {
    using world = makeWorld();
    await world.run(["capture", "--always"], { stdin: contentOf(1) });
    const older = new TextEncoder().encode("old row\n".repeat(40_000));
    const whole = { write: contentOf(1), append: new Uint8Array([...older, ...contentOf(1)]) };
    for (const mode of ["write", "append"] as const) {
      world.write("target", older);
      const words = ["to-file", "fd:1", "target", "--mode", mode];
      const span = await msOf(world, words);
      for (let n = 0; n < 12; n++) {
        world.write("target", older);
        await attempt(`to-file --mode ${mode}`, async () => {
          const { wasKilled, code } = await killedAfter(
            world,
            choices.fraction() * span * 1.1,
            words,
            undefined,
          );
          const now = world.bytes("target");
          const isNew = sameBytes(now, whole[mode]);
          must(isNew || sameBytes(now, older), () => `neither old nor new: ${now.length} bytes`);
          if (!wasKilled && code === 0) must(isNew, () => "it was answered, and is not done");
          const recovered = await world.run(["recover"]);
          must(recovered.code === 0, () => recovered.stderr);
          const names = Object.keys(seen(world.dir));
          must(names.join() === "target", () => `left beside it: ${names.join()}`);
          const after = world.bytes("target");
          must(
            sameBytes(after, older) || sameBytes(after, whole[mode]),
            () => "recover left neither old nor new",
          );
        });
      }
    }
    await attempt(
      "",
      () => assertStoreHolds(world, "killed exports", (fd) => fd === "fd:1" ? contentOf(1) : undefined),
    );
  },
};

const NAMES = Array.from({ length: 30 }, (_, n) => `${String(n).padStart(2, "0")}.txt`);
const isNew = (name: string) => Number(name.slice(0, 2)) % 7 === 3;
const oldText = (name: string) => `old ${name}\n${"line\n".repeat(Number(name.slice(0, 2)) * 40)}`;
const BEFORE = Object.fromEntries(NAMES.filter((name) => !isNew(name)).map((name) => [name, oldText(name)]));
const AFTER: Record<string, string> = Object.fromEntries(
  NAMES.map((name) => [name, `${isNew(name) ? "" : oldText(name)}added to ${name}\n`]),
);
const PLAN = JSON.stringify({
  intent: "Touch them all",
  plans: NAMES.map((name) => ({
    target_file: `files/${name}`,
    operations: [{ type: isNew(name) ? "create" : "append", content_block: `added to ${name}\n` }],
  })),
});

const sorted = (files: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(files).sort(([one], [other]) => one < other ? -1 : 1));

export const killedPlans: FaultClass = {
  name: "killed-plans",
  what: "plans over thirty files killed at random moments and recovered: all files changed, or none",
  wanted: 250,
  unable: noBinary,
  async round({ choices, attempt }: Round) {
    using world = makeWorld();
    world.write("plan.json", PLAN);
    const lay = () => {
      Deno.mkdirSync(world.path("files"), { recursive: true });
      for (const name of Object.keys(seen(world.path("files")))) Deno.removeSync(world.path(`files/${name}`));
      for (const [name, text] of Object.entries(BEFORE)) world.write(`files/${name}`, text);
    };
    lay();
    const span = await msOf(world, ["plan", "apply", "plan.json"]);
    for (let n = 0; n < 6; n++) {
      lay();
      await attempt("plan apply", async () => {
        await killedAfter(world, choices.fraction() * span, ["plan", "apply", "plan.json"], undefined);
        const torn = seen(world.path("files"));
        for (const name of NAMES) {
          const text = torn[name];
          must(text === BEFORE[name] || text === AFTER[name], () => `${name} is torn: ${text?.slice(0, 40)}`);
        }
        const recovered = await world.run(["recover"]);
        must(recovered.code === 0, () => recovered.stderr);
        const now = sorted(seen(world.path("files")));
        must(
          now === sorted(BEFORE) || now === sorted(AFTER),
          () => `neither all nor none: ${now.slice(0, 600)}`,
        );
      });
    }
    await attempt("", () => assertStoreHolds(world, "killed plans", () => undefined));
  },
};
