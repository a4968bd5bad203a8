/**
 * Two hosts with the same notes of uploads: the cache of one is copied while it uploads, and both go on. Each host's content
 * is there whole under the id that the host got, and content that both have is there once if it had its id before the copy.
 */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FdError } from "../../fd/disk/errors.ts";
import { hasNonce } from "../../fd/shared/objects/fd_object.ts";
import { listPending, readPending, startPending } from "../../fd/shared/objects/pending_upload.ts";
import { publishFd, type UploadSource } from "../../fd/shared/objects/publish_fd.ts";
import { fdKey } from "../../fd/shared/objects/shared_keys.ts";
import { labelledContent, sampleUpload } from "../fleet/sample_upload.ts";
import { readContent, sharedFd } from "../fleet/shared_contents.ts";
import { drawRates, NETWORK_FAULTS, nonceOf, SimulatedFleet } from "../fleet/simulated_fleet.ts";
import { Killed, type SimulatedHost } from "../fleet/simulated_host.ts";
import type { SimulatedServer } from "../fleet/simulated_server.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import { type Choices, choicesOf } from "./random_choices.ts";

const SIZES = { mostInsideBytes: 100, segmentBytes: 250 };
const RACES = 20;

/** How the copied fd differs from the first: not, it ended early, or its command went on and wrote other text. */
type Difference = "same" | "shorter" | "other";

const raced = new Map<string, number>();
let copiedCount = 0;

export const sharedClones: FaultClass = {
  name: "shared-clones",
  what:
    "the cache of a host is copied while it uploads, and both go on: no content is lost, no id has two contents",
  wanted: 2000,
  tally: () =>
    `${copiedCount} notes copied; ${[...raced].map(([what, n]) => `${n} ${what}`).sort().join(", ")}`,
  round: trying(RACES, (choices, race, seed) => playRace(seed * RACES + race, choices)),
};

/** One host's copy of the note. */
interface Copy {
  directory: string;
  content: Uint8Array;
  source: UploadSource;
  /** The id under which the content was shared. */
  id?: number;
}

async function playRace(seed: number, choices: Choices): Promise<void> {
  const fleet = new SimulatedFleet({
    seed,
    faults: choices.onceIn(3) ? {} : drawRates(choices, NETWORK_FAULTS, [0.02, 0.08]),
  });
  const directory = mkdtempSync(join(tmpdir(), "fdtool-clones-"));
  try {
    const difference = choices.one<Difference>(["same", "shorter", "other"]);
    const { time } = fleet;
    const content = labelledContent("cloned;", choices.one([20, 90, 400, 1500]));
    // An upload of sealed content, or of content that comes until the copy is made, or longer.
    const perMs = difference === "same" ? Infinity : choices.one([1, 0.05, 0.01]);
    const arrived = () => perMs === Infinity ? Infinity : Math.floor(time.nowMs * perMs);
    const first: Copy = {
      directory: join(directory, "first"),
      content,
      source: sampleUpload(content, arrived),
    };
    const { name } = startPending(first.directory, nonceOf(fleet.choices), { localId: 1 });
    const copyMs = choices.fraction() * choices.one([50, 300, 1000, 30_000, 150_000]);
    let second: Copy | undefined;
    let hadId = false;
    const goOffline = [choices.onceIn(4), choices.onceIn(4)] as const;
    await time.run([
      () => upload(fleet, first, choicesOf(seed * 10 + 1), goOffline[0]),
      async () => {
        await time.pause(copyMs);
        const note = readPending(first.directory, name);
        if (note === undefined) return;
        const tried = note.triedIds.at(-1);
        const isWon = tried !== undefined &&
          hasNonce(fleet.server.read(fdKey(tried))?.bytes ?? new Uint8Array(), note.nonce);
        hadId = (note.claimedId ?? note.offlineId) !== undefined || isWon && !goOffline.includes(true);
        copiedCount++;
        second = copyOf(first, join(directory, "second"), difference, Math.min(arrived(), content.length));
        await time.pause(choices.one([0, 20, 1000, 60_000, 3_600_000]) * choices.fraction());
        await upload(fleet, second, choicesOf(seed * 10 + 2), goOffline[1]);
      },
    ]);
    // Late requests arrive; then both finish on a network without faults.
    await time.run([() => time.pause(3 * 3_600_000)]);
    const copies = second === undefined ? [first] : [first, second];
    await time.run(copies.map((copy) => () => finish(fleet, copy)));
    judge(fleet, copies, hadId && difference === "same");
    if (second !== undefined) {
      count(
        `${difference}${hadId ? " and had its id" : ""}`,
        copies.map(({ id }) => placeOf(fleet.server, id!)),
      );
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function copyOf(first: Copy, directory: string, difference: Difference, arrivedBytes: number): Copy {
  cpSync(first.directory, directory, { recursive: true });
  if (difference === "same") return { ...first, directory };
  const content = first.content.slice(0, difference === "shorter" ? arrivedBytes : undefined);
  if (difference === "other") content.fill(0x2b, arrivedBytes);
  return { directory, content, source: sampleUpload(content) };
}

/** Uploads, and after a kill or a failure again from the note, a few times. */
async function upload(
  fleet: SimulatedFleet,
  copy: Copy,
  choices: Choices,
  goesOffline: boolean,
): Promise<void> {
  for (let tries = 0; tries < 3 && copy.id === undefined; tries++) {
    try {
      await share(fleet, fleet.host(), copy, choices, goesOffline);
    } catch (thrown) {
      const isTolerated = thrown instanceof Killed ||
        thrown instanceof FdError && thrown.failure.kind === "store_unreachable";
      if (!isTolerated) throw thrown;
      await fleet.time.pause(choices.fraction() * 100_000);
    }
  }
}

async function finish(fleet: SimulatedFleet, copy: Copy): Promise<void> {
  if (copy.id === undefined) await share(fleet, fleet.host(() => "arrives"), copy, choicesOf(1), false);
}

async function share(
  fleet: SimulatedFleet,
  host: SimulatedHost,
  copy: Copy,
  choices: Choices,
  goesOffline: boolean,
): Promise<void> {
  const [name] = listPending(copy.directory);
  const note = readPending(copy.directory, name!)!;
  if (goesOffline && note.triedIds.length > 0 && (note.claimedId ?? note.offlineId) === undefined) {
    note.goOffline(2 ** 46 + choices.whole(1, 2 ** 40));
  }
  const { id } = await publishFd(host, copy.source, note, { ...fleet.uploader(choices), sizes: SIZES });
  copy.id = id;
}

/** Returns `id`, or the id under which the object says that its content was published. */
function placeOf(server: SimulatedServer, id: number): number {
  const fd = sharedFd(server, id);
  if (fd === undefined) throw new Error(`fd:${id} is not there`);
  const { tomb } = fd.log;
  if (tomb === undefined) return id;
  const other = /^not used: published as fd:(\d+)$/.exec(tomb.why)?.[1];
  if (other === undefined) throw new Error(`fd:${id} was removed: ${tomb.why}`);
  return placeOf(server, Number(other));
}

function judge(fleet: SimulatedFleet, copies: readonly Copy[], isOnce: boolean): void {
  for (const { id, content } of copies) {
    const place = placeOf(fleet.server, id!);
    const fd = sharedFd(fleet.server, place)!;
    if (fd.log.seal === undefined) throw new Error(`fd:${place} is still live`);
    if (readContent(fleet.server, fd).join() !== content.join()) {
      throw new Error(`fd:${place} has other bytes than its host`);
    }
  }
  const places = new Set(copies.map(({ id }) => placeOf(fleet.server, id!)));
  if (isOnce && places.size > 1) {
    throw new Error(`the content is there twice: fd:${[...places].join(", fd:")}`);
  }
}

function count(difference: string, places: readonly number[]): void {
  const what = `${difference}: ${new Set(places).size === 1 ? "one id" : "two ids"}`;
  raced.set(what, (raced.get(what) ?? 0) + 1);
}
