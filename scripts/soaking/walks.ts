/**
 * Walks: random calls of the binary, through processes and MCP servers that stay, held against a simple model after each.
 * Some run at once, some of those on the same file, and some are killed. A step depends only on its number and the model,
 * so that fast-check can leave steps out of a walk that shows a difference until the sequence to report is short.
 */

import fc from "fast-check";
import { makeWorld } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { allEnded, must, quickDirectory } from "./inner_world.ts";
import { noBinary } from "./outer_world.ts";
import { choicesOf } from "./random_choices.ts";
import { contentOf, FILES, judge, type Planned, type Planning, somePlanned, txOf } from "./walk_calls.ts";
import { type Answer, Caller } from "./walk_callers.ts";
import { audit, fromLatin1, latin1, settle, utf8, WalkModel } from "./walk_model.ts";

/** Walks have up to this many steps, since what grows shows late; those of the first seeds are short, for the tests. */
const MAX_STEPS = 2500;
const SHORT_STEPS = 400;
const FIRST_LONG_SEED = 100;
const AUDIT_EVERY = 500;
/** How long to look for a shorter walk. */
const SHORTEN_MS = 120_000;

/** A step of a walk: the number that its choices follow from. */
class NumberedStep implements fc.AsyncCommand<WalkModel, Caller> {
  #log: string[] = [];
  constructor(private readonly number: number, private readonly ran: (count: number) => void) {}

  check(): boolean {
    return true;
  }

  async run(known: WalkModel, caller: Caller): Promise<void> {
    this.#log = caller.log = [];
    const choices = choicesOf(this.number);
    if (choices.onceIn(AUDIT_EVERY)) await audit(known, caller, 20);
    if (choices.onceIn(30)) changeByUser({ known, choices }, caller);
    const kind = choices.whole(1, 100);
    const step = kind <= 3 ? killedCall : kind <= 5 ? callsAtOnce : kind === 6 ? race : oneCall;
    this.ran(await step({ known, choices }, caller));
  }

  toString(): string {
    return this.#log.map((line) => `\n${line.slice(0, 600)}`).join("");
  }
}

async function oneCall(planning: Planning, caller: Caller): Promise<number> {
  const planned = somePlanned(planning);
  const answer = await caller.perform(planned.call, planning.choices);
  await settleCalls(planning, caller, [[planned, answer]]);
  return 1;
}

function mayBeKilled({ effect, outlives }: Planned): boolean {
  return effect !== undefined && outlives !== true;
}

/** Kills a call at a random moment. If it had answered, it must be done; if not, its effects are complete or absent. */
async function killedCall(planning: Planning, caller: Caller): Promise<number> {
  const planned = somePlanned(planning, mayBeKilled);
  const answer = await caller.perform(planned.call, planning.choices, "either");
  await settleCalls(planning, caller, [[planned, answer]]);
  return 1;
}

/** Makes several independent calls at once, and kills some of them. */
async function callsAtOnce(planning: Planning, caller: Caller): Promise<number> {
  const { choices, known } = planning;
  const steps: Planned[] = [];
  for (let left = choices.whole(3, 8); left > 0; left--) {
    const planned = somePlanned(planning, ({ things = [] }) => !things.includes("*"));
    const taken = steps.flatMap(({ things = [] }) => things);
    if (planned.things?.some((thing) => taken.includes(thing)) !== true) steps.push(planned);
  }
  caller.log.push("  at once:");
  const calls = steps.map(async (planned) => {
    const kills = mayBeKilled(planned) && choices.onceIn(12) ? "process" : undefined;
    return [planned, await caller.perform(planned.call, choices, kills)] as const;
  });
  const hadGaps = known.hasGaps;
  known.hasGaps = true;
  await settleCalls(planning, caller, await allEnded(calls));
  known.hasGaps = hadGaps || known.hasGaps;
  return steps.length;
}

async function settleCalls(
  { known }: Planning,
  caller: Caller,
  calls: readonly (readonly [planned: Planned, answer: Answer])[],
): Promise<void> {
  const isUnknown = ({ wasKilled, json }: Answer) => wasKilled === true && json === undefined;
  const ended = calls.filter(([, answer]) => !isUnknown(answer));
  for (const [planned, answer] of ended) {
    await judge(planned, { ...answer, code: answer.wasKilled === true ? undefined : answer.code });
  }
  const done = ended.flatMap(([{ effect }, answer]) =>
    effect === undefined ? [] : [[effect, answer] as const]
  );
  const killed = calls.filter(([, answer]) => isUnknown(answer)).flatMap(([{ effect }]) => effect ?? []);
  await settle(known, caller, done, killed);
}

/** Several calls at once on the same file, question or write: each append is there, one answer and one undo wins. */
async function race(planning: Planning, caller: Caller): Promise<number> {
  const { choices } = planning;
  caller.log.push("  at once:");
  return await choices.one([appends, answers, undos])(planning, caller, choices.whole(2, 5));
}

async function appends(planning: Planning, caller: Caller, count: number): Promise<number> {
  const { known, choices } = planning;
  const path = choices.one(FILES);
  const blocks = Array.from({ length: count }, (_, at) => `${at} ${choices.whole(0, 999)}\n`);
  const calls = await allEnded(blocks.map(async (block) => {
    const plan = {
      intent: "append",
      target_file: path,
      operations: [{ type: "append", content_block: block, glue: true }],
    };
    const answer = await caller.perform(
      { tool: "write_plan", given: { ...plan, yes: true, eol: "keep" } },
      choices,
    );
    await judge({ call: { words: [] }, says: { type: "write_result", path } }, answer);
    return { answer, block };
  }));
  let now = known.files.get(path);
  const done = calls.sort((one, other) => txOf(one.answer) - txOf(other.answer)).map(({ answer, block }) => {
    const before = now;
    now = fromLatin1(latin1(before ?? new Uint8Array()) + block);
    return [
      { fds: [{}, ...before === undefined ? [] : [{ bytes: before }]], files: new Map([[path, now]]) },
      answer,
    ] as const;
  });
  await settle(known, caller, done, []);
  return count;
}

/** The one answer that wrote. The others changed nothing, or failed with `loss`. */
function winnerOf(answers: readonly Answer[], loss: string): Answer {
  const won = answers.filter(({ json }) => json?.["tx"] !== undefined);
  must(
    won.length === 1 && answers.every(({ error }) => error === undefined || error === loss),
    () =>
      `${won.length} of ${answers.length} won: ${
        JSON.stringify(answers.map(({ json }) => json)).slice(0, 1500)
      }`,
  );
  return won[0]!;
}

async function answers({ known, choices }: Planning, caller: Caller, count: number): Promise<number> {
  const path = choices.one(FILES);
  const asked = await caller.ask("create_file", { path });
  const before = known.files.get(path);
  const answered = await allEnded(Array.from({ length: count }, async (_, at) => {
    const answer = { content: `answer ${at}\n`, ...before === undefined ? {} : { overwrite: true } };
    const given = { inquiry_id: asked["inquiry_id"], answer };
    return await caller.perform({ tool: "answer_inquiry", given }, choices);
  }));
  const won = winnerOf(answered, "invalid_answer");
  const files = new Map([[path, utf8(`answer ${answered.indexOf(won)}\n`)]]);
  await settle(known, caller, [[{ fds: before === undefined ? [] : [{ bytes: before }], files }, won]], []);
  return count + 1;
}

async function undos({ known, choices }: Planning, caller: Caller, count: number): Promise<number> {
  const step = known.steps.at(-1);
  const [[path, change] = []] = step === undefined ? [] : [...step.changes];
  const now = path === undefined ? undefined : known.files.get(path);
  if (step?.changes.size !== 1 || now === undefined || now !== change!.after || change!.before === now) {
    return 0;
  }
  const call = { tool: "undo_write", given: { tx: `tx:${step.id}` } };
  const undone = await allEnded(Array.from({ length: count }, () => caller.perform(call, choices)));
  const effect = { fds: [{ bytes: now }], files: new Map([[path!, change!.before]]), undoes: step.id };
  await settle(known, caller, [[effect, winnerOf(undone, "stale_file")]], []);
  return count;
}

/** Changes a file without fdtool, as its user does. */
function changeByUser({ known, choices }: Planning, { world, log }: Caller): void {
  const path = choices.one(FILES);
  log.push(`  a user changes ${path}`);
  const bytes = choices.onceIn(6) ? undefined : contentOf(choices);
  if (bytes !== undefined) world.write(path, bytes);
  else if (known.files.has(path)) Deno.removeSync(world.path(path));
  known.setFile(path, bytes);
}

/** Makes a walk of the steps; throws the first difference. */
async function walkAlong(steps: Iterable<fc.AsyncCommand<WalkModel, Caller>>): Promise<void> {
  using world = makeWorld(quickDirectory());
  const caller = new Caller(world);
  const known = new WalkModel();
  try {
    await fc.asyncModelRun(() => ({ model: known, real: caller }), steps);
    await audit(known, caller);
  } finally {
    await caller.close();
  }
}

/** The part of a difference that is the same whenever it shows again. */
function essence(thrown: unknown): string {
  return String(thrown).split("\n")[0]!.replaceAll(/[0-9]+/g, "N").slice(0, 60);
}

export const walks: FaultClass = {
  name: "walks",
  what:
    "random calls of processes and MCP servers, some at once, some killed, agree with a simple model in every answer, fd, file and step",
  unable: noBinary,
  async round({ seed, ran }: Round) {
    const step = fc.noShrink(fc.nat()).map((number) => new NumberedStep(number, (count) => counted(count)));
    const maxCommands = seed < FIRST_LONG_SEED ? SHORT_STEPS : MAX_STEPS;
    const steps = fc.noBias(fc.commands([step], { maxCommands, size: "max" }));
    let counted = ran;
    let first: { essence: string; endMs: number } | undefined;
    const property = fc.asyncProperty(steps, async (commands) => {
      // Shorter walks are only of interest if they show the same.
      if (first !== undefined && performance.now() > first.endMs) return;
      try {
        await walkAlong(commands);
      } catch (thrown) {
        counted = () => undefined;
        first ??= { essence: essence(thrown), endMs: performance.now() + SHORTEN_MS };
        if (essence(thrown) === first.essence) throw thrown;
      }
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: 1 });
    if (!failed) return;
    const calls = String(counterexample?.[0]).slice(-30_000);
    const difference = errorInstance instanceof Error ? errorInstance.stack : errorInstance;
    throw new Error(`the walk of seed ${seed}: ${difference}\nthe shortest walk that shows it:${calls}`);
  },
};
