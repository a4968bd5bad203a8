/**
 * Compares the store, its journal and the user's files with the model. After a kill it first finds out which of the allowed
 * effects of the killed calls happened: each must be complete or absent, and everything else unchanged.
 */

import type { World } from "../../tests/world.ts";
import { must, sameBytes, seen } from "./inner_world.ts";
import { callProcess, type Json } from "./walk_doors.ts";
import {
  addFd,
  addQuestion,
  addStep,
  type FileChange,
  fromLatin1,
  latin1,
  numberOf,
  sameFile,
  setFile,
  sizesOf,
  stepStates,
} from "./walk_model.ts";
import type { May, Walk } from "./walk_step.ts";
import { forget, mustMatch, mustSay } from "./walk_store_steps.ts";

/** Findings of `verify` that a kill may cause. */
const LEFT_BY_KILLS = new Set(["writer_died", "removal_unfinished", "name_dangling"]);

async function ask(world: World, ...words: string[]): Promise<Json> {
  const { code, json, stderr } = await callProcess(world, { words });
  must(code === 0 && json !== undefined, () => `${words.join(" ")} ended with ${code}: ${stderr}`);
  return json;
}

/** The most fds to list in one MCP answer. */
const MAX_LISTED = 200;

async function listedFds({ world, known, ask: askTool }: Walk): Promise<Json[]> {
  return fdsOf(
    known.fds.size > MAX_LISTED
      ? await ask(world, "ls", "--all")
      : (await askTool("list_fds", { all: true })).json,
  );
}

function fdsOf(answer: Json | undefined): Json[] {
  must(Array.isArray(answer?.["fds"]), () => `no list of fds: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer["fds"] as Json[];
}

/** More fds than one step can create. */
const MAX_NEW = 50;

async function verify({ world }: Walk): Promise<void> {
  const { json, stderr } = await callProcess(world, { words: ["verify", "--all"] });
  must(json !== undefined, () => `verify does not answer: ${stderr}`);
  const damage = (json["finding"] as Json[]).filter(({ problem, repaired }) =>
    repaired !== true && !LEFT_BY_KILLS.has(String(problem))
  );
  must(damage.length === 0, () => `verify: ${JSON.stringify(damage)}`);
}

/**
 * Adds to the model what killed calls did, and the fds of plans, which answers do not name. Each of `mays` is one killed
 * call.
 */
export async function settle(walk: Walk, mays: readonly May[]): Promise<void> {
  const { world } = walk;
  if (mays.length > 0) {
    await ask(world, "recover");
    await verify(walk);
  }
  await settleFds(walk, mays);
  if (mays.length > 0) {
    settleFiles(walk, mays, await ask(world, "log", "--limit", "20"));
    const names = (await walk.ask("list_refs", {})).json;
    must(names !== undefined, () => "no answer of list_refs");
    settleNames(walk, mays, names);
  }
  if (mays.some(({ asks, closes }) => asks !== undefined || closes !== undefined)) {
    settleQuestions(walk, mays, await ask(world, "inquiries", "--all"));
  }
  mustHoldAll(walk);
}

/** Throws unless the user's files equal the model's, with no other file beside them. */
function mustHoldAll({ world, known }: Walk): void {
  const files = Object.entries(seen(world.dir)).filter(([path]) => !path.endsWith("/"));
  mustMatch("files", files.map(([path]) => path), known.files.keys());
  for (const [path, text] of files) {
    must(text === latin1(known.files.get(path)!), () => `${path} is not what it must be`);
  }
}

async function settleFds(walk: Walk, mays: readonly May[]): Promise<void> {
  const { known } = walk;
  const removes = mays.some(({ removes = [] }) => removes.length > 0);
  const isAll = removes || known.fds.size < MAX_NEW;
  const entries = isAll
    ? await listedFds(walk)
    : fdsOf((await walk.ask("list_fds", { limit: MAX_NEW })).json);
  const listed = new Map(entries.map((entry) => [numberOf(entry["fd"], "fd"), entry]));
  for (const id of isAll ? known.fds.keys() : []) {
    const mayBeGone = mays.some(({ removes }) => removes?.includes(id));
    must(listed.has(id) || mayBeGone, () => `fd:${id} is not listed, and nobody removed it`);
  }
  for (const id of mays.flatMap(({ removes = [] }) => removes)) {
    if (known.fds.has(id) && !listed.has(id)) forget(walk, id);
  }
  for (const [id, entry] of listed) {
    if (known.fds.has(id)) continue;
    const state = entry["state"];
    must(state === "sealed" || state === "incomplete", () => `fd:${id} is ${state} after all writers ended`);
    const source = entry["source"];
    const bytes = await walk.fetch(id);
    const isDiff = source === "diff" && mays.some(({ storesDiff }) => storesDiff);
    const isImport = mays.some(({ fds = [] }) => fds.some((fd) => fd.isImported && fd.source === "plan"));
    // Killed after it claimed the id and before it wrote the record.
    const isBare = source === "unknown" && bytes.length === 0 &&
      mays.some(({ fds = [], storesPlan, storesDiff }) => storesPlan || storesDiff || fds.length > 0);
    if (isDiff || isBare || source === "plan" && !isImport) {
      addFd(known, entry["fd"], bytes, { source: isDiff ? "content" : String(source), state });
      continue;
    }
    const fits = ({ bytes: wanted, source: from }: { bytes: Uint8Array; source: string }) =>
      ["backup", "plan"].every((each) => (from === each) === (source === each)) &&
      sameBytes(bytes, state === "sealed" ? wanted : wanted.subarray(0, bytes.length));
    const found = mays.flatMap(({ fds = [] }) => fds).find(fits);
    must(
      found !== undefined,
      () =>
        `fd:${id} (${state}, ${source}) is nobody's: ${bytes.length} bytes, ${latin1(bytes.subarray(0, 80))}`,
    );
    addFd(known, entry["fd"], bytes, { ...found, state });
  }
}

function settleFiles({ world, known }: Walk, mays: readonly May[], log: Json): void {
  const files = seen(world.dir);
  const held = (path: string) => files[path] === undefined ? undefined : fromLatin1(files[path]);
  const unknown = (log["steps"] as Json[]).filter(({ tx }) =>
    !known.steps.some(({ id }) => id === numberOf(tx, "tx"))
  );
  for (const { changes = [], copies = new Map(), undoes } of mays) {
    if (changes.length === 0) continue;
    const paths = changes.map(({ path }) => path);
    const step = unknown.find(({ paths: reported }) => {
      const names = reported as string[];
      return names.length === paths.length && names.every((name, at) => name.endsWith(paths[at]!));
    });
    const isNew = changes.every(({ path, after }) => sameFile(held(path), after));
    const isOld = changes.every(({ path }) => sameFile(held(path), known.files.get(path)));
    must(isNew || isOld, () => `after a kill, neither old nor new: ${paths.join(", ")}`);
    const state = step?.["state"];
    if (step !== undefined) {
      unknown.splice(unknown.indexOf(step), 1);
      must(
        state === "done" || state === "recovered" || state === "rolled back",
        () => `${step["tx"]} is ${state} after recover`,
      );
      const isDone = state !== "rolled back";
      must(isDone ? isNew : isOld, () => `${step["tx"]} is ${state}, and the files are not`);
      const backups = [...step["backups"] as string[]];
      const made = changes.map(({ path, after, isPrefix }): FileChange => {
        const before = known.files.get(path);
        const backup = before === undefined || isPrefix === true ? undefined : backups.shift();
        return { path, before, after, backup: backup === undefined ? undefined : numberOf(backup, "fd") };
      });
      for (const { path, before, backup } of made) {
        must(
          backup === undefined || sameFile(known.fds.get(backup)?.bytes, before),
          () => `fd:${backup} is not what ${path} was`,
        );
      }
      addStep(known, step["tx"], made, undoes);
      known.steps.find(({ id }) => id === numberOf(step["tx"], "tx"))!.state = isDone
        ? "done"
        : "rolled back";
      if (isDone) { for (const { path, after } of changes) setFile(known, path, after); }
    } else must(isOld, () => `${paths.join(", ")} changed, and the journal knows of no step`);
    for (const [path, bytes] of copies) {
      if (held(path) !== undefined && state !== "rolled back" && step !== undefined) {
        setFile(known, path, bytes);
      }
    }
  }
  must(unknown.length === 0, () => `steps that nobody made: ${JSON.stringify(unknown)}`);
}

function settleNames({ known }: Walk, mays: readonly May[], listed: Json): void {
  for (const { id: handle, fd } of listed["refs"] as { id: string; fd: string }[]) {
    const name = handle.slice("ref:".length);
    const id = numberOf(fd, "fd");
    if (known.names.get(name) === id) continue;
    const allowed = mays.flatMap(({ names = [] }) => names).filter(([each]) => each === name);
    must(
      allowed.some(([, to]) => to === id || (to === "new" && known.fds.has(id))),
      () => `${handle} is ${fd}, and nobody bound it`,
    );
    known.names.set(name, id);
  }
}

function settleQuestions({ known }: Walk, mays: readonly May[], listed: Json): void {
  const open = new Map(
    (listed["inquiries"] as Json[]).map((each) => [numberOf(each["inquiry_id"], "inq"), each]),
  );
  for (const { closes } of mays) {
    const question = closes === undefined ? undefined : known.questions.get(closes);
    if (question !== undefined && !open.has(question.id)) question.state = "closed";
  }
  const asked = mays.flatMap(({ asks }) => asks === undefined ? [] : [asks]);
  for (const [id, question] of open) {
    if (known.questions.has(id)) continue;
    const path = asked.find((each) => String(question["path"]).endsWith(each));
    must(path !== undefined, () => `inq:${id} was asked by nobody: ${JSON.stringify(question)}`);
    addQuestion(known, `inq:${id}`, path);
  }
}

/** Throws unless the store, its journal and the user's files equal the model's. */
export async function audit(walk: Walk, howManyFds: number): Promise<void> {
  const { world, known, choices } = walk;
  await verify(walk);
  const listed = await listedFds(walk);
  const ids = listed.map(({ fd }) => numberOf(fd, "fd"));
  const wantedIds = [...known.fds.keys()].sort((a, b) => a - b);
  must(ids.join() === wantedIds.join(), () => `ls shows ${ids}, wanted ${wantedIds}`);
  for (const entry of listed) {
    const fd = known.fds.get(numberOf(entry["fd"], "fd"))!;
    mustSay(entry, { state: fd.state, ...sizesOf(fd) });
    const names = [...known.names].filter(([, id]) => id === fd.id).map(([name]) => name);
    mustMatch(`names of fd:${fd.id}`, entry["names"] as string[], names);
  }
  const gone = fdsOf(await ask(world, "ls", "--removed", "--all")).map(({ fd }) => numberOf(fd, "fd"));
  mustMatch("removed fds", gone, known.removed);
  for (
    const id of howManyFds >= wantedIds.length
      ? wantedIds
      : Array.from({ length: howManyFds }, () => choices.one(wantedIds))
  ) {
    if (id === undefined) continue;
    const bytes = await walk.fetch(id);
    must(sameBytes(bytes, known.fds.get(id)!.bytes), () => `fd:${id} gave ${bytes.length} wrong bytes`);
  }
  const steps = (await ask(world, "log", "--all"))["steps"] as Json[];
  const states = stepStates(known);
  const reported = steps.map(({ tx, state }) => `${tx} ${state === "recovered" ? "done" : state}`).join();
  const wanted = known.steps.map(({ id }) => `tx:${id} ${states.get(id)}`).join();
  must(reported === wanted, () => `the journal says ${reported}, wanted ${wanted}`);
  mustHoldAll(walk);
}
