/**
 * Cuts the power at any call of a write, a durable capture, packing, unpacking, taking over or a binding of a name; unsynced
 * data may be lost, in any order. After `recover` all files of a write are as before, or all as wanted with their
 * backups. Captures reported as durable and names reported as bound exist. No read returns wrong bytes of a sealed
 * fd.
 */

import { dirname } from "node:path";
import {
  bindName,
  findFd,
  formatFd,
  listFds,
  openStore,
  putBytes,
  readName,
  type Store,
} from "../../fd/mod.ts";
import { systemCode } from "../../fd/system.ts";
import { openTransactions, recoverTransaction } from "../../src/writing/history/recover_transactions.ts";
import { dieAtCall } from "../../tests/dying_disk.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import { forgetfulDisk } from "./forgetful_disk.ts";
import {
  assertValidStore,
  called,
  contentOr,
  type InnerWorld,
  innerWorld,
  must,
  passTime,
  sameBytes,
  seen,
} from "./inner_world.ts";
import type { Choices } from "./random_choices.ts";
import {
  actionWorld,
  logOf,
  OLD,
  PACKINGS,
  prepareAction,
  runInside,
  sideOf,
  WRITES,
} from "./sample_actions.ts";

const CONTENT = logOf(5000);

/** Content that is in its record. */
const SMALL = CONTENT.subarray(0, 9000);

/** Runs `act` on a disk that dies at call `at`, and leaves what that could leave. Returns the number of the last call. */
async function cutting(
  { files, store }: Pick<InnerWorld, "files" | "store">,
  choices: Choices,
  at: number,
  act: () => unknown,
): Promise<number> {
  const observed = forgetfulDisk(dirname(files));
  observed.failFrom(at);
  try {
    await act();
  } finally {
    observed.cutPower(choices);
    passTime(store);
  }
  return Math.min(at, observed.callCount);
}

/** The call at which the power goes: none once in `times`. */
function someCall(choices: Choices, times: number, most: number): number {
  return choices.onceIn(times) ? Infinity : choices.whole(1, most);
}

/** Runs `act`, which may fail with a typed failure. */
function typedOrDone(act: () => void): void {
  try {
    act();
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== "FdError") throw thrown;
  }
}

async function writeCut(choices: Choices): Promise<void> {
  const write = choices.one(WRITES);
  using inner = innerWorld();
  const world = actionWorld(inner, CONTENT);
  await prepareAction(world, write);
  let answered = false;
  const at = await cutting(world, choices, someCall(choices, 5, 330), async () => {
    answered = await runInside(world, write);
  });
  const about = `${write.name}, cut at call ${at}`;
  for (const { transaction } of openTransactions(world.store, Date.now())) {
    await recoverTransaction(world.store, transaction.id);
  }
  // Nothing may be written before the intent is on the disk, since recover could not know of it.
  const side = sideOf(seen(world.files), write, CONTENT, about);
  if (answered) must(side === "after", () => `${about}: it was answered, and is not there`);
  if (side === "after" && write.name === "edit") {
    const undone = await called(["undo"], world.host);
    must(
      undone.failed === undefined && sideOf(seen(world.files), write, CONTENT, about) === "before",
      () => `${about}: what was replaced is lost: ${undone.text}`,
    );
  }
  assertRight(world.store, about);
}

/** A durable fd is sealed, and as it was put. */
function mustBeWhole(store: Store, id: number, content: Uint8Array, about: string): void {
  const held = contentOr(store, id);
  must(
    typeof held !== "string" && held.state === "sealed" && sameBytes(held.bytes, content),
    () => `${about}: fd:${id} is ${typeof held === "string" ? held : held.state}`,
  );
}

/** Sealed fds are right, or reading them fails. */
function assertRight(store: Store, about: string): void {
  for (const { id, state } of listFds(store)) {
    const held = contentOr(store, id);
    if (state !== "sealed" || typeof held === "string") continue;
    const text = new TextDecoder().decode(held.bytes);
    const isKnown = [OLD, "old\nwords\n", ""].includes(text) || text.includes("three files") ||
      [CONTENT, SMALL, CONTENT.subarray(0, 16)].some((each) => sameBytes(held.bytes, each));
    must(isKnown, () => `${about}: fd:${id} gives wrong bytes`);
  }
}

async function captureCut(choices: Choices): Promise<void> {
  using world = innerWorld();
  const { store } = world;
  if (choices.onceIn(2)) putBytes(store, new TextEncoder().encode(OLD), { source: "soak" });
  const content = choices.onceIn(2) ? CONTENT : SMALL;
  let durable: number | undefined;
  const at = await cutting(world, choices, someCall(choices, 4, 60), () =>
    typedOrDone(() => {
      durable = putBytes(store, content, { source: "soak", durable: true }).id;
      for (let n = choices.whole(0, 2); n > 0; n--) putBytes(store, content, { source: "soak" });
    }));
  const about = `durable capture, cut at call ${at}`;
  if (durable !== undefined) {
    mustBeWhole(store, durable, content, about);
    must(findFd(store, formatFd(durable)).charCount === content.length, () => `${about}: counts are wrong`);
  }
  assertRight(store, about);
  const { id } = putBytes(store, content, { source: "soak" });
  must(id !== durable, () => `${about}: fd:${id} was given again`);
}

/** Removes a small durable capture and cuts the power: it is whole, or removed, and its id is not given again. */
async function removalCut(choices: Choices): Promise<void> {
  using world = innerWorld();
  const { store } = world;
  putBytes(store, SMALL, { source: "soak", durable: true });
  let answered = false;
  const at = await cutting(world, choices, someCall(choices, 4, 40), async () => {
    answered = (await called(["rm", "fd:1"], world.host)).outcome?.exitCode === 0;
  });
  const about = `rm, cut at call ${at}`;
  const isListed = listFds(store).length === 1;
  must(!(answered && isListed), () => `${about}: it was answered, and fd:1 is there`);
  if (isListed) mustBeWhole(store, 1, SMALL, about);
  must(putBytes(store, SMALL, { source: "soak" }).id === 2, () => `${about}: fd:1 was given again`);
  await assertValidStore(store, about);
}

async function nameCut(choices: Choices): Promise<void> {
  using world = innerWorld();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, CONTENT.subarray(0, 16), { source: "soak" });
  let before: number | undefined;
  if (choices.onceIn(2)) bindName(store, "kept", before = 1);
  const tried = [before];
  let answered = before;
  const at = await cutting(world, choices, someCall(choices, 3, 40), () =>
    typedOrDone(() => {
      for (const id of [2, 3]) {
        tried.push(id);
        bindName(store, "kept", id);
        answered = id;
      }
    }));
  const about = `a name, cut at call ${at}`;
  const bound = readName(store, "kept")?.id;
  const said = tried.slice(tried.indexOf(answered));
  must(
    said.includes(bound),
    () => `${about}: it is bound to fd:${bound}, and was to be to fd:${said.join(" or fd:")}`,
  );
}

/** Runs a call on a disk that has died, of which it may throw what the system says. */
async function ignoringSystem(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause ?? thrown : thrown;
    if (systemCode(cause) === undefined) throw thrown;
  }
}

/** Packs or unpacks durable captures and cuts the power: no byte is lost. */
async function packCut(choices: Choices): Promise<void> {
  const action = choices.one(PACKINGS);
  using inner = innerWorld();
  const { store } = inner;
  const world = actionWorld(inner, CONTENT, true);
  await prepareAction(world, action);
  const ids = listFds(store).map(({ id }) => id);
  const killedAt = choices.onceIn(3) ? choices.whole(1, 300) : 0;
  const cutAt = killedAt + someCall(choices, killedAt > 0 ? 2 : 5, 300);
  // How gc answers a failing disk is tried by the class disk-calls.
  const at = await cutting(world, choices, cutAt, () =>
    ignoringSystem(async () => {
      // What a killed process left unsynced is what the next one goes on with.
      if (killedAt > 0) await dieAtCall(killedAt, () => ignoringSystem(() => runInside(world, action)));
      await runInside(world, action);
    }));
  openStore(store.path);
  const killed = killedAt > 0 ? `, killed at call ${killedAt} before` : "";
  const about = `${action.name}, cut at call ${at}${killed}`;
  for (const id of ids) {
    if (action.removes?.(id) === true && contentOr(store, id) === "removed") continue;
    mustBeWhole(store, id, CONTENT, about);
  }
  await assertValidStore(store, about);
}

export const powerLoss: FaultClass = {
  name: "power-loss",
  what:
    "the power goes at any call; unsynced bytes and names are lost in any order: old or new, and a way back",
  round: trying(15, writeCut, captureCut, removalCut, nameCut, packCut),
};
