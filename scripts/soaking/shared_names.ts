/**
 * Hosts that name fds of a shared store while others clean it, each standing still for up to an hour between any two requests, or
 * dying. A name whose binding succeeded keeps its fd, and cleaning removes everything else that is old.
 */

import { FdError } from "../../fd/disk/errors.ts";
import { hexOf } from "../../fd/bytes/utf8_bytes.ts";
import { fdKey } from "../../fd/shared/objects/shared_keys.ts";
import { bindSharedName } from "../../fd/shared/objects/shared_names.ts";
import { labelledContent, sampleObject } from "../fleet/sample_upload.ts";
import { sharedFd } from "../fleet/shared_contents.ts";
import { nonceOf, SimulatedFleet } from "../fleet/simulated_fleet.ts";
import { Killed, type RequestFate, type SimulatedHost } from "../fleet/simulated_host.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import type { Choices } from "./random_choices.ts";

const HOUR_MS = 60 * 60 * 1000;
const TTL_MS = 48 * HOUR_MS;
const FDS = 4;
const RACES = 100;

let boundCount = 0;
let refusedCount = 0;
let cleanedCount = 0;

export const sharedNames: FaultClass = {
  name: "shared-names",
  what:
    "fds of a shared store are named while they are cleaned, by hosts that die or stand still: a name keeps its fd",
  wanted: 5000,
  tally: () => `${boundCount} names bound, ${refusedCount} refused, ${cleanedCount} fds cleaned`,
  round: trying(RACES, (choices, race, seed) => playRace(seed * RACES + race, choices)),
};

async function playRace(seed: number, choices: Choices): Promise<void> {
  const fleet = new SimulatedFleet({ seed });
  for (let id = 1; id <= FDS; id++) addFd(fleet, id);
  const bound = new Map<string, number>();
  const binders = Array.from({ length: choices.whole(1, 3) }, (_, number) => async () => {
    await fleet.time.pause(TTL_MS + 2000 + startMs(choices));
    await tolerantly(async () => {
      const id = choices.whole(1, FDS);
      await bindSharedName(hostOf(fleet, choices), `name-${number}`, id, () => newNonce(fleet));
      bound.set(`name-${number}`, id);
      boundCount++;
    });
  });
  const cleaners = Array.from({ length: choices.whole(1, 3) }, (_, number) => async () => {
    await fleet.time.pause(TTL_MS + 2000 + (number === 0 ? 0 : startMs(choices)));
    // A limit that was raised meanwhile: the cleaner would leave what the one before has announced.
    const ttlMs = number > 0 && choices.onceIn(3) ? 10 * TTL_MS : TTL_MS;
    await tolerantly(() => clean(fleet, hostOf(fleet, choices), ttlMs));
  });
  await fleet.time.run([...binders, ...cleaners]);
  await fleet.time.run([async () => {
    await fleet.time.pause(2 * HOUR_MS);
    await clean(fleet, fleet.host(() => "arrives"));
  }]);
  const mustStay = new Set(bound.values());
  for (let id = 1; id <= FDS; id++) {
    const fd = sharedFd(fleet.server, id)!;
    const isRemoved = fd.log.tomb !== undefined;
    if (isRemoved) cleanedCount++;
    if (isRemoved && mustStay.has(id)) throw new Error(`fd:${id} was named and removed: ${fd.log.tomb?.why}`);
  }
}

/** Mostly at the same moment, sometimes when a lease has just ended. */
function startMs(choices: Choices): number {
  return choices.one([200, 400, 1000, 30 * 60_000, 70 * 60_000]) * choices.fraction();
}

/** A host that stands still or dies at one of its first requests. */
function hostOf(fleet: SimulatedFleet, choices: Choices): SimulatedHost {
  const turn = choices.whole(0, 16);
  const fate = choices.one<RequestFate>([
    "arrives",
    "frozen before",
    "frozen before",
    "frozen after",
    "killed before",
    "killed after",
    "answer lost",
    "request late",
  ]);
  return fleet.host((_, now) => now === turn ? fate : "arrives");
}

async function tolerantly(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof Killed) return;
    if (!(thrown instanceof FdError && thrown.failure.kind === "removed")) throw thrown;
    refusedCount++;
  }
}

async function clean(fleet: SimulatedFleet, host: SimulatedHost, ttlMs = TTL_MS): Promise<void> {
  await fleet.clean(host, { quotaBytes: 0, ttlMs }, ({ kind }) => {
    throw new Error(kind);
  });
}

function addFd(fleet: SimulatedFleet, id: number): void {
  fleet.server.damage(fdKey(id), sampleObject(nonceOf(fleet.choices), labelledContent(`content ${id}`, 50)));
}

function newNonce(fleet: SimulatedFleet): string {
  return hexOf(nonceOf(fleet.choices));
}
