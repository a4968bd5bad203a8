/**
 * A day of hosts that share a store, in simulated time over the real code: captures, names, listings, reads and a cleaning.
 *
 * Sizes are a thousandth of the real ones, so that a million captures fit into memory: a simulated byte of content is a KB.
 */

import type { FdFailure } from "../../fd/system.ts";
import { FdError } from "../../fd/disk/errors.ts";
import { readShared } from "../../fd/shared/objects/fd_object.ts";
import { listNewestShared } from "../../fd/shared/objects/list_shared.ts";
import type { PendingUpload } from "../../fd/shared/objects/pending_upload.ts";
import { publishFd } from "../../fd/shared/objects/publish_fd.ts";
import { hexOf } from "../../fd/bytes/utf8_bytes.ts";
import { bindSharedName } from "../../fd/shared/objects/shared_names.ts";
import { type Choices, choicesOf } from "../soaking/random_choices.ts";
import { labelledContent, sampleUpload } from "./sample_upload.ts";
import { type FaultRates, nonceOf, SimulatedFleet } from "./simulated_fleet.ts";
import { NO_TRAFFIC, type SimulatedHost, type Traffic } from "./simulated_host.ts";

export interface FleetDay {
  hosts: number;
  /** Of each host in a whole day. */
  captures: number;
  /** The part of the day that is simulated. */
  hours: number;
  latencyMs: number;
  faults: FaultRates;
  seed: number;
}

/** Real bytes for one simulated byte of content. */
export const SCALE = 1000;
const SIZES = { mostInsideBytes: 2 ** 20 / SCALE | 0, segmentBytes: 8 * 2 ** 20 / SCALE | 0 };
const DAY_MS = 24 * 60 * 60 * 1000;
/** An id younger than this is tried directly. */
const FRESH_MS = 2000;

/** Waits of one kind of action, in simulated milliseconds. */
export type Waits = Map<string, number[]>;

export interface FleetResult {
  traffic: Traffic;
  requestsBy: Map<string, number>;
  waits: Waits;
  claims: number;
  distinctIds: number;
  highestId: number;
  failures: Map<FdFailure["kind"], number>;
  objectCount: number;
  /** Real bytes of content. */
  contentBytes: number;
  cleaningRequests: number;
  busiestSecondWrites: number;
}

/** Content of real sizes between 2 KB and 64 MB: most of it small, as outputs of commands are. */
function drawKilobytes({ fraction, whole }: Choices): number {
  const kind = fraction();
  if (kind < 0.85) return whole(2, 60);
  if (kind < 0.96) return whole(60, 1000);
  return whole(1100, kind < 0.995 ? 8000 : 64_000);
}

/** Runs the day. */
export async function runFleetDay(day: FleetDay): Promise<FleetResult> {
  const writes = new Map<number, number>();
  const fleet: SimulatedFleet = new SimulatedFleet({
    ...day,
    onFate: () => {
      const second = Math.floor(fleet.time.nowMs / 1000);
      writes.set(second, (writes.get(second) ?? 0) + 1);
    },
  });
  const result: FleetResult = {
    traffic: { ...NO_TRAFFIC },
    requestsBy: new Map(),
    waits: new Map(),
    claims: 0,
    distinctIds: 0,
    highestId: 0,
    failures: new Map(),
    objectCount: 0,
    contentBytes: 0,
    cleaningRequests: 0,
    busiestSecondWrites: 0,
  };
  const ids = new Set<number>();
  const hosts = Array.from({ length: day.hosts }, (_, number) => ({ host: fleet.host(), number }));
  await fleet.time.run(
    hosts.map(({ host, number }) => () => playHost(fleet, host, number, day, result, ids)),
  );
  for (const { host } of hosts) addTraffic(result.traffic, host.traffic);
  const cleaner = fleet.host();
  await fleet.time.run([
    async () => void await fleet.clean(cleaner, { quotaBytes: 1e15, ttlMs: 30 * DAY_MS }),
  ]);
  result.cleaningRequests = cleaner.requestCount;
  result.distinctIds = ids.size;
  result.highestId = Math.max(...[...ids].slice(-day.hosts * 4));
  result.objectCount = fleet.server.objectCount;
  result.busiestSecondWrites = [...writes.values()].reduce((most, count) => Math.max(most, count), 0);
  return result;
}

async function playHost(
  fleet: SimulatedFleet,
  host: SimulatedHost,
  number: number,
  day: FleetDay,
  result: FleetResult,
  ids: Set<number>,
): Promise<void> {
  const choices = choicesOf(day.seed * 1_000_003 + number);
  const meanMs = DAY_MS / day.captures;
  let known: { id: number; atMs: number } | undefined;
  const timed = async (kind: string, action: () => Promise<void>) => {
    const [startMs, before] = [fleet.time.nowMs, host.requestCount];
    try {
      await action();
      listIn(result.waits, kind).push(fleet.time.nowMs - startMs);
    } catch (thrown) {
      if (!(thrown instanceof FdError)) throw thrown;
      const failed = thrown.failure.kind;
      result.failures.set(failed, (result.failures.get(failed) ?? 0) + 1);
    }
    result.requestsBy.set(kind, (result.requestsBy.get(kind) ?? 0) + host.requestCount - before);
  };
  for (let turn = 0; turn < day.captures; turn++) {
    await fleet.time.pause(-Math.log(1 - choices.fraction()) * meanMs);
    if (fleet.time.nowMs > day.hours * 60 * 60 * 1000) return;
    const kilobytes = drawKilobytes(choices);
    result.contentBytes += kilobytes * SCALE;
    const content = labelledContent("", kilobytes);
    await timed(kilobytes <= SIZES.mostInsideBytes ? "capture ≤ 1 MiB" : "capture > 1 MiB", async () => {
      const { id } = await publishFd(host, sampleUpload(content), noteInMemory(choices), {
        ...fleet.uploader(choices),
        sizes: SIZES,
        known: known && { id: known.id, isFresh: fleet.time.nowMs - known.atMs < FRESH_MS },
      });
      known = { id, atMs: fleet.time.nowMs };
      ids.add(id);
      result.claims++;
    });
    if (known === undefined) continue;
    const { id } = known;
    if (choices.onceIn(3)) {
      await timed("read, cold", async () => void await readShared(host, choices.whole(1, id)));
    }
    if (choices.onceIn(100)) {
      const name = `h${number}`;
      await timed("name", async () => {
        await bindSharedName(host, name, id, () => hexOf(nonceOf(choices)));
      });
    }
    if (choices.onceIn(200)) {
      await timed("ls", async () => void await listNewestShared(host, 100, () => undefined, id));
    }
  }
}

/** A note of an upload that no kill needs. */
function noteInMemory(choices: Choices): PendingUpload {
  const note: PendingUpload = {
    name: "",
    localId: 1,
    offlineId: undefined,
    nonce: nonceOf(choices),
    triedIds: [],
    claimedId: undefined,
    get id() {
      return note.claimedId ?? note.localId;
    },
    noteTry: (id) => void note.triedIds.push(id),
    noteClaimed: (id) => void (note.claimedId = id),
    startAgain: () => undefined,
    goOffline: () => undefined,
    release: () => undefined,
    end: () => undefined,
  };
  return note;
}

function listIn(lists: Waits, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function addTraffic(sum: Traffic, more: Traffic): void {
  for (const key of Object.keys(sum) as (keyof Traffic)[]) sum[key] += more[key];
}
