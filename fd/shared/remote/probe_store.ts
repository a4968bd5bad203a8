/**
 * Tries whether an object store keeps the promises that a shared store needs. Many that speak the S3 API do not: some ignore
 * conditions, some check them and write later, so that of parallel writers several win.
 */

import { utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { fail, failureIn } from "../../disk/errors.ts";
import type { StorePromise } from "../../failures.ts";
import { randomName } from "../../disk/file_calls.ts";
import type { ObjectStore, Written } from "./object_store.ts";

/** The outcome for one promise. */
interface ProbedPromise {
  promise: StorePromise;
  /** The outcome that broke the promise; undefined if it is kept. */
  found: string | undefined;
}

/** The outcome of a probe. */
export type ProbeReport = Awaited<ReturnType<typeof probeStore>>;

/** How many writers race, and how often. A store that lets several win may do so seldom. At most 150 requests. */
const QUICK = { creating: 2, replacing: 6, writers: 8 };
/** About 1,300 requests. */
const THOROUGH: typeof QUICK = { creating: 30, replacing: 60, writers: 12 };
/** Of what writers in a race send: while a store writes it, others may pass a check that is not atomic. */
const RACE_BYTES = 65_536;
/** How long the ends of what racing writers send wait for one another, beside the time of requests. */
const GATHER_MS = 50;
const MAX_GATHER_MS = 1000;
/** moto and other servers for tests, which check a condition and write later. A race of 16 writers shows that once in forty. */
const RACY_SERVER = /\bWerkzeug\b/;
const RANGE_BYTES = 70_000;
const LISTED = 10;

/** Tries all promises with objects of its own that it removes. Throws if the store fails. */
export async function probeStore(objects: ObjectStore, isThorough = false) {
  const races = isThorough ? THOROUGH : QUICK;
  const root = `probe-${randomName()}/`;
  const probe: Probe = { objects, races, root, made: new Set(), isVersioned: false, gatherMs: GATHER_MS };
  const clean = () => [...probe.made].map((key) => objects.remove(key));
  let promises: ProbedPromise[];
  try {
    // If the store cannot be reached, nothing was made that would have to be removed.
    const startMs = performance.now();
    await objects.get(`${probe.root}own`);
    // The writers' connections are made meanwhile.
    probe.gatherMs = Math.min(GATHER_MS + 2 * (performance.now() - startMs), MAX_GATHER_MS);
    const trials = TRIALS.map(([promise, trial]) => outcomeOf(promise, () => trial(probe)));
    // What a trial made after another had failed would stay.
    await Promise.allSettled(trials);
    promises = await Promise.all(trials);
  } catch (thrown) {
    await Promise.allSettled(clean());
    throw thrown;
  }
  await Promise.all(clean());
  return {
    promises,
    /** Whether the bucket keeps old versions of objects, so that removing them frees no space. */
    isVersioned: probe.isVersioned,
  };
}

/** Throws `store_unfit` for the first promise that the store at `place` breaks. To be called before it is used. */
export async function requirePromises(objects: ObjectStore, place: string): Promise<void> {
  for (const { promise, found } of (await probeStore(objects)).promises) {
    if (found !== undefined) fail({ kind: "store_unfit", store: place, promise, found });
  }
}

interface Probe {
  objects: ObjectStore;
  races: typeof QUICK;
  /** The start of the probe's keys. */
  root: string;
  /** Keys to remove. */
  made: Set<string>;
  isVersioned: boolean;
  /** How long racing writers wait for one another. */
  gatherMs: number;
}

/** Says what the store did instead of keeping the promise, if it broke it. */
type Trial = (probe: Probe) => Promise<string | undefined>;

const TRIALS: readonly (readonly [StorePromise, Trial])[] = [
  ["read_own_write", readsOwnWrites],
  ["create_once", createsOnce],
  ["replace_seen", replacesSeen],
  ["ranges", answersRanges],
  ["ordered_list", listsInOrder],
];

async function outcomeOf(
  promise: StorePromise,
  trial: () => Promise<string | undefined>,
): Promise<ProbedPromise> {
  try {
    return { promise, found: await trial() };
  } catch (thrown) {
    const { promise, found } = failureIn(thrown, "store_unfit");
    return { promise, found };
  }
}

/** A key of the probe, which will be removed. */
function keyOf(probe: Probe, name: string): string {
  const key = probe.root + name;
  probe.made.add(key);
  return key;
}

async function textAt({ objects }: Probe, key: string): Promise<string | undefined> {
  const object = await objects.get(key);
  return object === null ? undefined : new TextDecoder().decode(object.bytes);
}

async function readsOwnWrites(probe: Probe): Promise<string | undefined> {
  if (await probe.objects.get(`${probe.root}own`) !== null) {
    return "an object that was never written could be read";
  }
  const key = keyOf(probe, "own");
  let last: Written | undefined;
  for (let round = 0; round < 2; round++) {
    const written = await probe.objects.put(key, utf8Bytes(`round ${round}`));
    probe.isVersioned ||= written.versionId !== undefined;
    if (await textAt(probe, key) !== `round ${round}`) return "a read after a write returned something else";
    if (last?.etag === written.etag) return "two contents had the same etag";
    if ((await probe.objects.head(key))?.etag !== written.etag) {
      return "a write and a read had different etags";
    }
    last = written;
  }
  await probe.objects.remove(key);
  return await textAt(probe, key) === undefined ? undefined : "a removed object could still be read";
}

/**
 * Lets writers race in each of `rounds` at the same time: one of them must win, and its bytes must be there, also after a
 * late write. Returns how that was broken. A winner whose answer was lost is found by its bytes.
 */
async function raced(
  probe: Probe,
  rounds: number,
  name: string,
  write: (key: string, bytes: Uint8Array<ArrayBuffer>, seen: string, ends: Promise<void>) => Promise<unknown>,
  start: (key: string) => Promise<string>,
): Promise<string | undefined> {
  const { races: { writers }, gatherMs } = probe;
  const found = await Promise.all(Array.from({ length: rounds }, async (_, round) => {
    const key = keyOf(probe, `${name}-${round}`);
    const seen = await start(key);
    const ends = new Promise<void>((resolve) => setTimeout(resolve, gatherMs));
    const bodyOf = (writer: number) => utf8Bytes(`${round} ${writer}\n`.padEnd(RACE_BYTES, "."));
    const results = await Promise.all(
      Array.from({ length: writers }, (_, writer) => write(key, bodyOf(writer), seen, ends)),
    );
    const isLateDone = await write(key, bodyOf(writers), seen, Promise.resolve()) !== null;
    const text = await textAt(probe, key).catch((thrown) => {
      // What a store that ignores conditions has left may be unreadable.
      if (!isLateDone) throw thrown;
    });
    const last = Number(text?.split("\n")[0]?.split(" ")[1]);
    if (isLateDone || last === writers) return `a late one of ${writers + 1} writes of one ${name} succeeded`;
    const winners = new Set(results.flatMap((result, writer) => result === null ? [] : [writer]));
    if (!Number.isNaN(last)) winners.add(last);
    return winners.size === 1
      ? undefined
      : `${winners.size} of ${writers} parallel ${name}s of one object succeeded`;
  }));
  return found.find((each) => each !== undefined);
}

async function createsOnce(probe: Probe): Promise<string | undefined> {
  const { objects, races: { creating } } = probe;
  return await raced(
    probe,
    creating,
    "create",
    (key, bytes, _, ends) => objects.create(key, bytes, undefined, ends),
    () => Promise.resolve(""),
  );
}

async function replacesSeen(probe: Probe): Promise<string | undefined> {
  const { objects, races: { replacing } } = probe;
  const key = keyOf(probe, "replaced");
  const { etag, server = "" } = await objects.put(key, utf8Bytes("first"));
  if (RACY_SERVER.test(server)) return `servers like ${server} check a condition and write later`;
  // Also tells the client how the store writes etags, before writers race.
  if (await objects.replace(key, utf8Bytes("second"), etag) === null) {
    return "an object could not be replaced by its etag";
  }
  const found = await raced(
    probe,
    replacing,
    "replacement",
    (key, bytes, etag, ends) => objects.replace(key, bytes, etag, undefined, ends),
    async (key) => (await objects.put(key, utf8Bytes("first"))).etag,
  );
  if (found !== undefined) return found;
  const isReplaced =
    await objects.replace(keyOf(probe, "absent"), utf8Bytes("x"), "0123456789abcdef") !== null;
  return isReplaced ? "a missing object was replaced" : undefined;
}

async function answersRanges(probe: Probe): Promise<string | undefined> {
  const bytes = Uint8Array.from({ length: RANGE_BYTES }, (_, at) => (at * 31) >> 3);
  const key = keyOf(probe, "range");
  await probe.objects.put(key, bytes);
  const ranges = [[0, 1], [32_768, 32_768], [RANGE_BYTES - 5, 5], [RANGE_BYTES - 5, 500], [
    RANGE_BYTES,
    10,
  ]] as const;
  for (const [from, byteCount] of ranges) {
    const part = await probe.objects.get(key, { from, byteCount });
    const wanted = bytes.subarray(from, from + byteCount);
    const isRight = part?.byteCount === RANGE_BYTES && part.bytes.length === wanted.length &&
      part.bytes.every((byte, at) => byte === wanted[at]);
    if (!isRight) return `bytes ${from}-${from + byteCount - 1} of ${RANGE_BYTES} were wrong`;
  }
  return undefined;
}

async function listsInOrder(probe: Probe): Promise<string | undefined> {
  // In this order numbers do not sort as text does.
  const keys = Array.from({ length: LISTED }, (_, at) => keyOf(probe, `list/${at}`)).reverse();
  await Promise.all(keys.map((key) => probe.objects.put(key, utf8Bytes(key))));
  keys.sort();
  const half = LISTED / 2;
  const listings = [
    { after: undefined, most: undefined, wanted: keys },
    { after: undefined, most: half, wanted: keys.slice(0, half) },
    { after: keys[half - 1], most: undefined, wanted: keys.slice(half) },
    { after: `${keys[half - 1]}-`, most: undefined, wanted: keys.slice(half) },
  ];
  for (const { after, most, wanted } of listings) {
    const { objects, isCut } = await probe.objects.list(`${probe.root}list/`, after, most);
    if (objects.map(({ key }) => key).join() !== wanted.join()) {
      return `a list of ${wanted.length} keys ${
        after === undefined ? "" : "after one of them "
      }had ${objects.length}`;
    }
    if (isCut !== (most !== undefined)) return "a list was wrong about whether there is more";
  }
  return undefined;
}
