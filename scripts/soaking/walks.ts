/**
 * Walks: random sequences of calls of the binary, through processes and through long-lived MCP servers, held against a
 * simple model after each call. Some calls run at once, some of those on the same file, and some are killed. A step
 * depends only on its number and the model, so that fast-check can leave steps out of a walk that shows a difference until
 * the sequence to report is short.
 */

import fc from "fast-check";
import { joinBytes } from "../../fd/system.ts";
import { makeWorld, type World } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { allEnded, must, quickDirectory } from "./inner_world.ts";
import { noBinary } from "./outer_world.ts";
import { type Choices, choicesOf, weighted } from "./random_choices.ts";
import { audit, settle } from "./walk_audit.ts";
import { type Answer, callProcess, type Door, type Json, openDoor } from "./walk_doors.ts";
import { judge } from "./walk_judge.ts";
import { someRace } from "./walk_races.ts";
import { changeByUser, FILE_STEPS, FILES } from "./walk_file_steps.ts";
import { emptyModel, latin1 } from "./walk_model.ts";
import { jsonBytes } from "../../tests/read_answer.ts";
import type { May, PlannedStep, Walk } from "./walk_step.ts";
import { STORE_STEPS } from "./walk_store_steps.ts";

const KINDS = weighted(...STORE_STEPS, ...FILE_STEPS);

const DOORS = 3;
/** Walks have up to this many steps, since what grows shows late; those of the first seeds are short, for the tests. */
const MAX_STEPS = 2500;
const SHORT_STEPS = 400;
const FIRST_LONG_SEED = 100;
const AUDIT_EVERY = 500;

/** Totals over all walks of this process. */
const tally = { processes: 0, tools: 0, killed: 0, killedEarly: 0, storms: 0, races: 0 };

/** How long to look for a shorter walk. */
const SHORTEN_MS = 120_000;

/** A walk under way, with its doors. */
interface UnderWay extends Walk {
  choices: Choices;
  /** Kept as promises, so that calls at once open one server and not two. */
  readonly doors: (Promise<Door> | undefined)[];
  /** The calls of this step, for the report. */
  callLog: string[];
  /** About how long a process takes; kills come within that time. */
  spanMs: number;
  /** Whether a call was killed, so that ids may have gaps. */
  wasKilled: boolean;
  stepCount: number;
}

/** A step of a walk: the number that its choices follow from. */
class NumberedStep implements fc.AsyncCommand<object, UnderWay> {
  private callLog: string[] = [];
  constructor(private readonly number: number, private readonly ran: (count: number) => void) {}

  check(): boolean {
    return true;
  }

  async run(_model: object, walk: UnderWay): Promise<void> {
    this.callLog = walk.callLog = [];
    walk.choices = choicesOf(this.number);
    this.ran(await makeStep(walk));
  }

  toString(): string {
    return this.callLog.map((line) => `\n${line.slice(0, 600)}`).join("");
  }
}

/** Makes a walk of the steps; throws the first difference. */
async function walkAlong(
  steps: Iterable<fc.AsyncCommand<object, UnderWay>>,
  choices: Choices,
): Promise<void> {
  using world = makeWorld(quickDirectory());
  const walk = startedWalk(world, choices);
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: walk }), steps);
    await audit(walk, Infinity);
    for (const door of walk.doors.splice(0)) await (await door)?.close();
  } finally {
    for (const door of walk.doors) await (await door)?.kill();
  }
}

function startedWalk(world: World, choices: Choices): UnderWay {
  const walk: UnderWay = {
    world,
    known: emptyModel(),
    choices,
    archives: [],
    doors: Array(DOORS).fill(undefined),
    callLog: [],
    spanMs: 12,
    wasKilled: false,
    stepCount: 0,
    ask: async (tool, given) => await (await doorOf(walk, 0)).call(tool, given),
    /** Reads on by `next` while the door bounds its answers. */
    async fetch(id) {
      const pieces: Uint8Array[] = [];
      for (
        let given: Json | undefined = { fd: `fd:${id}`, read_all: true, exact: true };
        given !== undefined;
      ) {
        const { json, error } = await walk.ask("read_fd", given);
        must(
          json !== undefined && error === undefined,
          () => `fd:${id} cannot be read: ${JSON.stringify(json)}`,
        );
        pieces.push(jsonBytes(json));
        const { next } = json;
        given = typeof next === "string" ? JSON.parse(next.slice("read_fd ".length)) : undefined;
      }
      return joinBytes(pieces);
    },
  };
  return walk;
}

function doorOf({ world, doors }: UnderWay, index: number): Promise<Door> {
  return doors[index] ??= openDoor(world);
}

/** Makes one step, which may be several calls at once; answers how many calls it made. */
async function makeStep(walk: UnderWay): Promise<number> {
  const { choices } = walk;
  if (++walk.stepCount % AUDIT_EVERY === 0) await audit(walk, 20);
  const kind = choices.whole(1, 1000);
  if (kind <= 10) return await killedStep(walk);
  if (kind <= 20) return await storm(walk);
  if (kind <= 26) return await race(walk);
  if (kind <= 60) {
    const path = choices.one(FILES);
    walk.callLog.push(`  a user changes ${path}`);
    changeByUser(walk, path);
  }
  const planned = plannedStep(walk);
  await judge(planned, await perform(walk, planned));
  return 1;
}

function plannedStep(walk: UnderWay, isWanted: (planned: PlannedStep) => boolean = () => true): PlannedStep {
  for (let tried = 0; tried < 200; tried++) {
    const planned = walk.choices.one(KINDS)(walk);
    if (planned !== undefined && isWanted(planned)) return planned;
  }
  throw new Error("no step can be made here");
}

/** Makes a call over MCP or as a process of its own. */
async function perform(walk: UnderWay, { call }: PlannedStep): Promise<Answer> {
  const { choices, world, callLog } = walk;
  if (call.tool !== undefined && !choices.onceIn(40)) {
    tally.tools++;
    const [name, given] = call.tool;
    const index = choices.whole(0, DOORS - 1);
    callLog.push(`  server ${index}: ${name} ${JSON.stringify(given)}`);
    return await (await doorOf(walk, index)).call(name, given);
  }
  tally.processes++;
  callLog.push(`  ${describeCall(call)}`);
  const startedMs = performance.now();
  const answer = await callProcess(world, call);
  walk.spanMs = 0.9 * walk.spanMs + 0.1 * (performance.now() - startedMs);
  return answer;
}

function describeCall({ words, stdin, env = {} }: PlannedStep["call"]): string {
  const set = Object.entries(env).map(([name, value]) => `${name}=${value} `).join("");
  const fed = stdin === undefined ? "" : ` < ${JSON.stringify(latin1(stdin.subarray(0, 400)))}`;
  return `${set}fdtool ${words.map((word) => JSON.stringify(word)).join(" ")}${fed}`;
}

/** Kills a call at a random moment. If it had answered, it must be done; if not, its effects are complete or absent. */
async function killedStep(walk: UnderWay): Promise<number> {
  const { choices, world, callLog } = walk;
  const planned = plannedStep(walk, ({ may }) => may !== undefined);
  const { call } = planned;
  let answer: Answer;
  if (call.tool !== undefined && choices.onceIn(5)) {
    const [name, given] = call.tool;
    const index = choices.whole(0, DOORS - 1);
    callLog.push(`  server ${index}, then killed: ${name} ${JSON.stringify(given)}`);
    const door = await doorOf(walk, index);
    const answered = door.call(name, given);
    await new Promise((resolve) => setTimeout(resolve, choices.fraction() * 6));
    walk.doors[index] = undefined;
    await door.kill();
    answer = await answered;
  } else {
    callLog.push(`  killed: ${describeCall(call)}`);
    answer = await callProcess(world, call, choices.fraction() * 1.3 * walk.spanMs);
  }
  tally.killed++;
  await settleKilled(walk, [[planned, answer]]);
  return 1;
}

/** Checks the calls that answered, and finds out what the others did. */
async function settleKilled(
  walk: UnderWay,
  calls: readonly (readonly [planned: PlannedStep, answer: Answer])[],
): Promise<void> {
  const { known } = walk;
  const mays: May[] = [];
  known.isOrdered = false;
  for (const [planned, answer] of calls) {
    // A process killed after its answer must have done what it says.
    if (answer.wasKilled && answer.json === undefined) {
      if (planned.error === undefined) mays.push(planned.may ?? {});
      tally.killedEarly++;
      walk.wasKilled = true;
    } else await judge(planned, { ...answer, code: answer.wasKilled ? undefined : answer.code });
  }
  await settle(walk, mays);
  await learnHighest(walk);
  known.isOrdered = true;
}

/** Asks for the highest ids, since a killed call may have claimed one that is not listed. */
async function learnHighest(walk: UnderWay): Promise<void> {
  const { known, wasKilled } = walk;
  const highest = async (name: string, given: Record<string, unknown>, field: string) =>
    Number((await walk.ask(name, given)).json?.[field]);
  const fd = await highest("read_fd", { fd: "fd:999999999" }, "highest_id");
  const tx = await highest("undo_write", { tx: "tx:999999999" }, "highest");
  const inquiry = await highest("answer_inquiry", { inquiry_id: "inq:999999999", answer: {} }, "highest");
  must(
    wasKilled || (fd === known.fds.size + known.removed.size && tx === known.steps.length),
    () => `ids have gaps, and nothing was killed: fd:${fd}, tx:${tx}`,
  );
  must(
    fd >= known.highestFd && tx >= known.highestStep && inquiry >= known.highestQuestion,
    () => `the highest ids are fd:${fd}, tx:${tx}, inq:${inquiry}: lower than was answered`,
  );
  Object.assign(known, { highestFd: fd, highestStep: tx, highestQuestion: inquiry });
}

/** Makes several independent calls at once, and kills some of the processes. */
async function storm(walk: UnderWay): Promise<number> {
  const { choices, world, callLog } = walk;
  tally.storms++;
  const steps: PlannedStep[] = [];
  for (let left = choices.whole(3, 8); left > 0; left--) {
    const planned = plannedStep(walk);
    if (
      ![planned.touches, planned.uses].some((each) => each?.includes("*")) &&
      !steps.some((each) => clash(each, planned))
    ) {
      steps.push(planned);
    }
  }
  callLog.push("  at once:");
  const calls = steps.map(async (planned) => {
    if (planned.call.tool !== undefined && choices.onceIn(2)) {
      return [planned, await perform(walk, planned)] as const;
    }
    const killAfterMs = choices.onceIn(12) ? choices.fraction() * 2 * walk.spanMs : undefined;
    if (killAfterMs !== undefined) tally.killed++;
    else tally.processes++;
    callLog.push(`  ${killAfterMs === undefined ? "" : "killed: "}${describeCall(planned.call)}`);
    return [planned, await callProcess(world, planned.call, killAfterMs)] as const;
  });
  await settleKilled(walk, await allEnded(calls));
  return steps.length;
}

/** Whether two steps depend on each other. Writes to different files do not, although each becomes the newest step. */
function clash(one: PlannedStep, other: PlannedStep): boolean {
  const within = (these: readonly string[] = [], those: readonly string[] = []) =>
    these.some((each) => those.includes(each));
  const things = ({ touches = [] }: PlannedStep) => touches.filter((each) => each !== "newest");
  return within(things(one), things(other)) || within(one.touches, other.uses) ||
    within(other.touches, one.uses);
}

/** Makes several calls at once on the same thing. */
async function race(walk: UnderWay): Promise<number> {
  const race = someRace(walk);
  if (race === undefined) return 0;
  tally.races++;
  walk.known.isOrdered = false;
  walk.callLog.push("  at once:");
  const calls = race.steps.map((planned) => perform(walk, planned));
  await race.judge(await allEnded(calls));
  await settleKilled(walk, []);
  return race.steps.length;
}

/** The part of a difference that is the same whenever it shows again. */
function essence(thrown: unknown): string {
  return String(thrown).split("\n")[0]!.replaceAll(/[0-9]+/g, "N").slice(0, 60);
}

export const walks: FaultClass = {
  name: "walks",
  what:
    "random calls of processes and MCP servers, some at once, some killed, agree with a simple model in every answer, fd, file and step",
  wanted: 100_000,
  unable: noBinary,
  tally: () =>
    `${tally.tools} calls to ${DOORS} MCP servers, ${tally.processes} processes, ${tally.storms} times several at once, ` +
    `${tally.races} times on the same thing; ${tally.killed} were to be killed, ${tally.killedEarly} before they had answered`,
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
        await walkAlong(commands, choicesOf(seed));
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
