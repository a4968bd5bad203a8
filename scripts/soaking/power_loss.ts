/**
 * Cuts the power at any call of a write, a durable capture, packing or a binding of a name; unsynced data may be lost, in
 * any order. After `recover` all files of a write are as before, or all as wanted with their backups. Captures reported as
 * durable and names reported as bound exist. No read returns wrong bytes of a sealed fd.
 *
 * @module
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  bindName,
  findFd,
  formatFd,
  listFds,
  putBytes,
  readName,
  type Store,
  systemCode,
} from "../../fd/mod.ts";
import { openTransactions, recoverTransaction } from "../../src/writing/history/recover_transactions.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { forgetfulDisk } from "./forgetful_disk.ts";
import {
  assertValidStore,
  called,
  contentOr,
  innerWorld,
  must,
  passTime,
  sameBytes,
  seen,
} from "./inner_world.ts";
import type { Choices } from "./random_choices.ts";
import { LOG_LINE, OLD, SAMPLE_WRITES } from "./sample_writes.ts";

const CONTENT = new TextEncoder().encode(LOG_LINE.repeat(5000));

const sorted = (files: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(files).sort(([one], [other]) => one < other ? -1 : 1));

async function writeCut(choices: Choices): Promise<void> {
  const write = choices.one(SAMPLE_WRITES);
  using world = innerWorld();
  for (const [name, text] of Object.entries(write.before)) {
    mkdirSync(dirname(world.path(name)), { recursive: true });
    writeFileSync(world.path(name), text);
  }
  if (choices.onceIn(2) || write.words[0] === "to-file") putBytes(world.store, CONTENT, { source: "soak" });
  const observed = forgetfulDisk(dirname(world.files));
  const at = choices.onceIn(5) ? Infinity : choices.whole(1, 330);
  observed.failFrom(at);
  let answered: boolean;
  try {
    answered = (await called(write.words, world.host)).outcome?.exitCode === 0;
  } finally {
    observed.cutPower(choices);
    passTime(world.store);
  }
  const about = `${write.words.slice(0, 2).join(" ")}, cut at call ${Math.min(at, observed.callCount)}`;
  for (const { transaction } of openTransactions(world.store, Date.now())) {
    await recoverTransaction(world.store, transaction.id);
  }
  const files = seen(world.files);
  // Nothing may be written before the intent is on the disk, since recover could not know of it.
  const now = sorted(files);
  const isBefore = now === sorted(write.before);
  const isAfter = now === sorted(write.after);
  must(isBefore || isAfter, () => `${about}: neither before nor after: ${now}`);
  if (answered) must(isAfter, () => `${about}: it was answered, and is not there`);
  if (isAfter && write.before["f"] === OLD && write.words[0] === "edit") {
    const undone = await called(["undo"], world.host);
    must(
      undone.failed === undefined && sorted(seen(world.files)) === sorted(write.before),
      () => `${about}: what was replaced is lost: ${undone.text}`,
    );
  }
  assertRight(world.store, about);
}

/** Sealed fds are right, or reading them fails. */
function assertRight(store: Store, about: string): void {
  for (const { id, state } of listFds(store)) {
    const held = contentOr(store, id);
    if (state !== "sealed" || typeof held === "string") continue;
    const text = new TextDecoder().decode(held.bytes);
    const isKnown = [OLD, "old\nwords\n", ""].includes(text) || text.includes("three files") ||
      sameBytes(held.bytes, CONTENT) || sameBytes(held.bytes, CONTENT.subarray(0, 16));
    must(isKnown, () => `${about}: fd:${id} gives wrong bytes`);
  }
}

function captureCut(choices: Choices): void {
  using world = innerWorld();
  const { store } = world;
  if (choices.onceIn(2)) putBytes(store, new TextEncoder().encode(OLD), { source: "soak" });
  const observed = forgetfulDisk(dirname(world.files));
  const at = choices.onceIn(4) ? Infinity : choices.whole(1, 60);
  observed.failFrom(at);
  let durable: number | undefined;
  try {
    durable = putBytes(store, CONTENT, { source: "soak", durable: true }).id;
    for (let n = choices.whole(0, 2); n > 0; n--) putBytes(store, CONTENT, { source: "soak" });
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== "FdError") throw thrown;
  } finally {
    observed.cutPower(choices);
    passTime(store);
  }
  const about = `durable capture, cut at call ${Math.min(at, observed.callCount)}`;
  if (durable !== undefined) {
    const held = contentOr(store, durable);
    must(
      typeof held !== "string" && held.state === "sealed" && sameBytes(held.bytes, CONTENT),
      () => `${about}: fd:${durable} was durable, and is ${typeof held === "string" ? held : held.state}`,
    );
    must(findFd(store, formatFd(durable)).charCount === CONTENT.length, () => `${about}: counts are wrong`);
  }
  assertRight(store, about);
  const { id } = putBytes(store, CONTENT, { source: "soak" });
  must(id !== durable, () => `${about}: fd:${id} was given again`);
}

function nameCut(choices: Choices): void {
  using world = innerWorld();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, CONTENT.subarray(0, 16), { source: "soak" });
  let before: number | undefined;
  if (choices.onceIn(2)) bindName(store, "kept", before = 1);
  const observed = forgetfulDisk(dirname(world.files));
  const at = choices.onceIn(3) ? Infinity : choices.whole(1, 40);
  observed.failFrom(at);
  const tried = [before];
  let answered = before;
  try {
    for (const id of [2, 3]) {
      tried.push(id);
      bindName(store, "kept", id);
      answered = id;
    }
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== "FdError") throw thrown;
  } finally {
    observed.cutPower(choices);
    passTime(store);
  }
  const about = `a name, cut at call ${Math.min(at, observed.callCount)}`;
  const bound = readName(store, "kept")?.id;
  const said = tried.slice(tried.indexOf(answered));
  must(
    said.includes(bound),
    () => `${about}: it is bound to fd:${bound}, and was to be to fd:${said.join(" or fd:")}`,
  );
}

/** Packs durable captures, or makes a plain file of one, and cuts the power: their bytes are never lost. */
async function packCut(choices: Choices): Promise<void> {
  using world = innerWorld();
  const { store } = world;
  const count = choices.whole(1, 3);
  for (let n = 0; n < count; n++) putBytes(store, CONTENT, { source: "soak", durable: true });
  const unpacks = choices.onceIn(3);
  if (unpacks) await called(["gc", "--pack"], world.host);
  const observed = forgetfulDisk(dirname(world.files));
  const at = choices.onceIn(5) ? Infinity : choices.whole(1, 250);
  observed.failFrom(at);
  try {
    await called(unpacks ? ["path", "fd:1"] : ["gc", "--pack"], world.host);
  } catch (thrown) {
    // How gc answers a failing disk is tried by the class disk-calls.
    if (systemCode(thrown) === undefined) throw thrown;
  } finally {
    observed.cutPower(choices);
    passTime(store);
  }
  const about = `${unpacks ? "path" : "gc --pack"}, cut at call ${Math.min(at, observed.callCount)}`;
  for (let id = 1; id <= count; id++) {
    const held = contentOr(store, id);
    must(
      typeof held !== "string" && held.state === "sealed" && sameBytes(held.bytes, CONTENT),
      () => `${about}: fd:${id} is ${typeof held === "string" ? held : held.state}`,
    );
  }
  await assertValidStore(store, about);
}

export const powerLoss: FaultClass = {
  name: "power-loss",
  what:
    "the power goes at any call; unsynced bytes and names are lost in any order: old or new, and a way back",
  wanted: 10_000,
  async round({ choices, attempt }: Round) {
    for (let n = 0; n < 15; n++) {
      await attempt("", () => writeCut(choices));
      await attempt("", () => captureCut(choices));
      await attempt("", () => nameCut(choices));
      await attempt("", () => packCut(choices));
    }
  },
};
