/**
 * A cache of the sealed fds of a shard, so that listing 100,000 fds reads a few hundred files instead of 100,000. It
 * contains only what cannot change. It may be deleted at any time, and is rewritten when enough is missing from it.
 *
 * Its first line says which ids it has, so that fds are counted without reading the rest; only the hundreds that are
 * shown are parsed. Once all ids of a shard are claimed, that line also has the directory's modification time: while
 * that stays, not even the directory has to be read.
 */

import { NO_FOLLOW, openReader, replacePrivate, writePrivate } from "../disk/private_files.ts";
import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { blockSumText } from "../bytes/block_sum.ts";
import { parseDecimal } from "../bytes/decimal.ts";
import { utf8Text } from "../bytes/utf8_bytes.ts";
import { readCheckedLog } from "../store/checked_log.ts";
import { inFile, unlinkIfExists } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible } from "../disk/errors.ts";
import type { FdEntry } from "./fd_entry.ts";
import { type Store } from "../store/open_store.ts";
import { arePossible, isCount, isMaybeCount, isMaybeText, isTexts, LAST_MOMENT_MS } from "./record_line.ts";
import { contentPathIn, firstId, listingPath, removedPath } from "../store/further_paths.ts";
import { IDS_PER_SHARD, shardName, shardPath, temporaryPath } from "../store/store_paths.ts";

/** Ids in a part of the listing, each with its own sum. */
const IDS_PER_PART = 100;
const FIRST_READ_BYTES = 2048;
/** File systems note times in steps, up to two seconds: two changes within one may have the same time. */
const TIME_STEP_MS = 2000;

/** The first line of a listing. */
interface ListingHead {
  /** Time of the directory's last change when its records were read. Only if all its ids are claimed. */
  directory_ms?: number | undefined;
  /** Ranges of listed places (ids counted from the shard's first), first and last. */
  listed: [number, number][];
  /** The same of those whose content is in the record. */
  in_record: [number, number][];
  /** Places that are neither listed nor removed: live or damaged. */
  others: number[];
  /** The size and the sum of each part. */
  parts: [number, string][];
}

/** A listing whose first line was read. */
export type ShardListing = NonNullable<ReturnType<typeof openListing>>;

/** Opens a shard's listing; returns undefined if it is missing or its first line is damaged. */
export function openListing(store: Store, shard: string) {
  const path = listingPath(store.path, shard);
  const read = readFrom(path, 0, FIRST_READ_BYTES);
  if (read === undefined) return undefined;
  let { bytes } = read;
  let headBytes = bytes.indexOf(0x0a) + 1;
  if (headBytes === 0) {
    bytes = readFrom(path, 0, read.size)?.bytes ?? bytes;
    headBytes = bytes.indexOf(0x0a) + 1;
  }
  const head = headIn(bytes.subarray(0, Math.max(0, headBytes - 1)));
  if (head === undefined) return undefined;
  return {
    /** 1 for each listed place. */
    isListed: placesIn(head.listed),
    /** 1 for each listed place whose content is in the record. */
    isInRecord: placesIn(head.in_record),
    others: head.others,
    /** Whether nothing was created, renamed or deleted in the directory since, whose last change was then. */
    isCurrent: (directoryMs: number) =>
      head.directory_ms === directoryMs && read.changedMs >= directoryMs + TIME_STEP_MS,
    /** Reads the entries of these places, by place. Those of damaged parts are missing, those of unwanted parts null. */
    entriesFrom: (wanted: WantedEntries) => entriesFrom(store, shard, { head, headBytes }, wanted),
  };
}

/** Places of a shard, and of which parts the entries are wanted: by their JSON, whose UTF-8 is read as Latin-1. */
export interface WantedEntries {
  from: number;
  to: number;
  mayHave?: ((json: string) => boolean) | undefined;
}

function placesIn(ranges: readonly [number, number][]): Uint8Array {
  const places = new Uint8Array(IDS_PER_SHARD);
  for (const [from, to] of ranges) places.fill(1, from, to + 1);
  return places;
}

function entriesFrom(
  store: Store,
  shard: string,
  { head, headBytes }: { head: ListingHead; headBytes: number },
  { from: firstPlace, to, mayHave }: WantedEntries,
): (FdEntry | null | undefined)[] {
  const found: (FdEntry | null | undefined)[] = new Array(IDS_PER_SHARD);
  const firstPart = Math.floor(firstPlace / IDS_PER_PART);
  const endPart = Math.min(head.parts.length, Math.ceil(to / IDS_PER_PART));
  let from = headBytes;
  for (let part = 0; part < firstPart; part++) from += head.parts[part]?.[0] ?? 0;
  let byteCount = 0;
  for (let part = firstPart; part < endPart; part++) byteCount += head.parts[part]![0];
  const bytes = readFrom(listingPath(store.path, shard), from, byteCount)?.bytes;
  if (bytes === undefined) return found;
  const first = firstId(shard);
  const directory = shardPath(store.path, first);
  let at = 0;
  for (let part = firstPart; part < endPart; part++) {
    const [length, sum] = head.parts[part]!;
    const json = bytes.subarray(at, at + length);
    at += length;
    if (blockSumText(json) !== sum) continue;
    if (mayHave?.(json.toString("latin1")) === false) {
      found.fill(null, part * IDS_PER_PART, (part + 1) * IDS_PER_PART);
      continue;
    }
    for (const entry of entriesIn(json.toString())) {
      const own = entry.id - first;
      if (own < part * IDS_PER_PART || own >= (part + 1) * IDS_PER_PART) continue;
      // Paths are not stored: the store may have been moved.
      entry.contentPath = contentPathIn(directory, entry.id);
      found[own] = entry;
    }
  }
  return found;
}

/** Reads up to `length` bytes; undefined if the file cannot be read. */
function readFrom(
  path: string,
  from: number,
  length: number,
): { bytes: Buffer; size: number; changedMs: number } | undefined {
  return ifPossible(() =>
    inFile(openReader(path), (file) => {
      const { size, mtimeMs } = disk.fstat(file);
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - from)));
      const got = disk.read(file, bytes, 0, bytes.length, from);
      return { bytes: bytes.subarray(0, got), size, changedMs: mtimeMs };
    })
  );
}

/** The first line, without its LF; undefined if it is damaged or invalid. */
function headIn(line: Buffer): ListingHead | undefined {
  const json = line.subarray(9);
  if (line.length < 10 || line.toString("latin1", 0, 9) !== `${blockSumText(json)} `) return undefined;
  const head = parsed(json.toString());
  return isHead(head) ? head : undefined;
}

function parsed(json: string): unknown {
  return ifPossible(() => JSON.parse(json), SyntaxError);
}

function isHead(value: unknown): value is ListingHead {
  if (typeof value !== "object" || value === null) return false;
  const { directory_ms, listed, in_record, others, parts } = value as Readonly<Record<string, unknown>>;
  return (directory_ms === undefined || typeof directory_ms === "number") &&
    isRanges(listed) && isRanges(in_record) && Array.isArray(others) && others.every(isPlace) &&
    Array.isArray(parts) && parts.length <= IDS_PER_SHARD / IDS_PER_PART && parts.every(isPart);
}

function isPlace(value: unknown): value is number {
  return isCount(value) && value < IDS_PER_SHARD;
}

function isRanges(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRange);
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) && isPlace(value[0]) && isPlace(value[1]) && value[0] <= value[1];
}

function isPart(value: unknown): boolean {
  return Array.isArray(value) && isCount(value[0]) && typeof value[1] === "string";
}

/** Parses a part whose sum is right; returns none if an entry is invalid. */
function entriesIn(json: string): FdEntry[] {
  const entries = parsed(json);
  return Array.isArray(entries) && entries.every(isSealedEntry) ? entries : [];
}

/** Written out for speed: listing 100,000 fds checks every entry. */
function isSealedEntry(value: unknown): value is FdEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Readonly<Record<string, unknown>>;
  const { command, createdMs, importedMs } = entry;
  return entry["state"] === "sealed" && typeof entry["source"] === "string" && isCount(entry["id"]) &&
    isCount(entry["byteCount"]) && isCount(entry["charCount"]) && isCount(entry["lineFeedCount"]) &&
    isCount(entry["lineCount"]) && isCount(entry["pageCount"]) && isCount(entry["pageSize"]) &&
    isCount(entry["sum"]) && isCount(createdMs) && createdMs <= LAST_MOMENT_MS && isMaybeText(entry["cwd"]) &&
    isMaybeText(entry["sha256"]) && isMaybeText(entry["signal"]) && isMaybeCount(entry["exitCode"]) &&
    isMaybeCount(entry["durationMs"]) && (command === undefined || isTexts(command)) &&
    isMaybeCount(importedMs) && (importedMs === undefined || Number(importedMs) <= LAST_MOMENT_MS) &&
    (entry["inRecord"] === undefined || isCounts(entry["inRecord"], "fromByte")) &&
    (entry["gap"] === undefined || isCounts(entry["gap"], "atByte", "droppedBytes")) &&
    (entry["parent"] === undefined || isCounts(entry["parent"], "id", "start", "count")) &&
    arePossible({
      bytes: Number(entry["byteCount"]),
      chars: Number(entry["charCount"]),
      line_feeds: Number(entry["lineFeedCount"]),
      lines: Number(entry["lineCount"]),
      pages: Number(entry["pageCount"]),
    });
}

function isCounts(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => isCount((value as Readonly<Record<string, unknown>>)[name]));
}

/** Deletes the listing that contains `id`, if it exists; the next list reads the records and rewrites it. */
export function dropListing(store: Store, id: number): void {
  unlinkIfExists(listingPath(store.path, shardName(id)));
}

/**
 * Notes that `id`, whose content is in its record, is about to be removed. Another process may be writing a listing
 * that includes it; the note makes every list read its record. Ignores system errors: a full disk must not prevent a
 * removal.
 */
export function noteRemoved(store: Store, id: number): void {
  ifPossible(() => {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW;
    writePrivate(removedPath(store.path, shardName(id)), Buffer.from(`${id}\n`), { flags });
  });
}

/** Returns the ids of {@link noteRemoved} and perhaps others; undefined if they cannot be read. */
export function readRemoved(store: Store, shard: string): ReadonlySet<number | undefined> | undefined {
  return ifPossible(() => {
    const bytes = readCheckedLog(removedPath(store.path, shard), shard) ?? new Uint8Array();
    return new Set(utf8Text(bytes).split("\n").map(parseDecimal));
  });
}

/** The contents of a new listing. */
interface ListedShard {
  /** The sealed fds. */
  entries: readonly FdEntry[];
  /** Places that are neither sealed nor removed. */
  others: readonly number[];
  /** Time of the directory's last change before its records were read, if all its ids are claimed. */
  directoryMs: number | undefined;
}

function addPlace(ranges: [number, number][], place: number): void {
  const range = ranges.at(-1);
  if (range?.[1] === place - 1) range[1] = place;
  else ranges.push([place, place]);
}

/** Writes the listing of a shard. Ignores system errors: without a listing the next list is only slower. */
export function writeListing(store: Store, shard: string, listed: ListedShard): void {
  const { entries, others, directoryMs } = listed;
  const first = firstId(shard);
  const head: ListingHead = {
    directory_ms: directoryMs,
    listed: [],
    in_record: [],
    others: [...others],
    parts: [],
  };
  const parts: FdEntry[][] = Array.from({ length: IDS_PER_SHARD / IDS_PER_PART }, () => []);
  for (const entry of entries) {
    const place = entry.id - first;
    parts[Math.floor(place / IDS_PER_PART)]!.push(entry);
    addPlace(head.listed, place);
    if (entry.inRecord !== undefined) addPlace(head.in_record, place);
  }
  const bodies = parts.map((part) => {
    const json = Buffer.from(
      JSON.stringify(part, (key, value) => key === "contentPath" || key === "content" ? undefined : value),
    );
    head.parts.push([json.length, blockSumText(json)]);
    return json;
  });
  const json = Buffer.from(JSON.stringify(head));
  const start = [Buffer.from(`${blockSumText(json)} `), json, Buffer.from("\n")];
  const fresh = temporaryPath(store.path, "listing");
  const listing = Buffer.concat([...start, ...bodies]);
  ifPossible(() => replacePrivate(fresh, listingPath(store.path, shard), listing));
}
