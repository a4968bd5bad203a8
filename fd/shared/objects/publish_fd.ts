/**
 * Publishes an fd of this host on the object store (SHARED.md, "Publishing"). It can be called again at any time by the
 * process that owns the pending upload: it goes on where the last one ended, and ends with the same fd.
 */

import type { OnProgress } from "../../disk/on_progress.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { decodeLog } from "../../records/record_log.ts";
import type { StoredLine } from "../../records/record_line.ts";
import { objectParts } from "../../packs/object_form.ts";
import { joinBytes, sameBytes } from "../../bytes/utf8_bytes.ts";
import { claimOfflineId, claimSharedId, closeTriedId, type KnownId } from "./claim_shared_id.ts";
import {
  liveObject,
  MAX_INSIDE_BYTES,
  ownedObject,
  readWholeObject,
  sealedObject,
  SEGMENT_BYTES,
} from "./fd_object.ts";
import type { PendingUpload } from "./pending_upload.ts";
import { dataOf, fdKey } from "./shared_keys.ts";
import { putSegments, segmentsThere, type UploadSource } from "./upload_segments.ts";

export type { UploadSource };

/** How time passes for an uploader. */
export interface UploadClock {
  /** Milliseconds since any fixed moment. */
  nowMs(): number;
  pause(ms: number): Promise<void>;
}

interface PublishOptions {
  /** The highest id that this host knows. */
  known?: KnownId | undefined;
  /** Called if other hosts turn out to claim ids. */
  onOthers?: (() => void) | undefined;
  /** Shown to readers on other hosts while the fd is live. */
  host?: string | undefined;
  /** Called when the fd has its id. */
  onClaimed?: ((id: number) => void) | undefined;
  /** Gets the bytes of content that are in segments. */
  onProgress?: OnProgress | undefined;
  /** 16 random bytes, for a claim that replaces a lost one. */
  newNonce(): Uint8Array;
  clock: UploadClock;
  random?: (() => number) | undefined;
  sizes?: UploadSizes | undefined;
}

/** Sizes of the parts of content. Others than {@link USUAL_SIZES} are for tests; the object says how long its segments are. */
interface UploadSizes {
  mostInsideBytes: number;
  segmentBytes: number;
}

const USUAL_SIZES: UploadSizes = { mostInsideBytes: MAX_INSIDE_BYTES, segmentBytes: SEGMENT_BYTES };

interface Published {
  id: number;
  etag: string;
}

/** How often a live fd is published if there is more of it, and if there is not. */
const PUBLISH_EVERY_MS = 10_000;
const SHOW_LIFE_EVERY_MS = 60 * 60 * 1000;
/** How often the file of a live fd is checked for new bytes. */
const LOOK_EVERY_MS = 200;

/** Publishes the fd of `pending`, waits for its end if it is live, and deletes the note. */
export async function publishFd(
  objects: ObjectStore,
  source: UploadSource,
  pending: PendingUpload,
  options: PublishOptions,
): Promise<Published> {
  for (;;) {
    const published = await publishOnce(objects, source, pending, options);
    if (published !== undefined) {
      pending.end();
      return published;
    }
    pending.startAgain(options.newNonce());
  }
}

/** Whether the object holds the content. Nothing in it would say that the content is packed. */
function fitsInside(source: UploadSource, { mostInsideBytes }: UploadSizes): boolean {
  return source.form === "plain" && source.byteCount() <= mostInsideBytes;
}

/** Publishes under one claim; undefined if the claimed fd is lost. */
async function publishOnce(
  objects: ObjectStore,
  source: UploadSource,
  pending: PendingUpload,
  options: PublishOptions,
): Promise<Published | undefined> {
  const { sizes = USUAL_SIZES, host } = options;
  const isSmall = source.hasEnded() && fitsInside(source, sizes);
  let claimed = pending.claimedId === undefined
    ? undefined
    : { id: pending.claimedId, etag: "", isFresh: false };
  if (claimed === undefined) {
    const line = storedLine(source, pending.nonce, sizes, host);
    const bytes = isSmall
      ? sealed(source, pending.nonce, undefined)
      : liveObject(pending.nonce, source.record(), line(0), new Uint8Array());
    claimed = await claim(objects, bytes, pending, options);
    if (!isSmall || !claimed.isFresh) pending.noteClaimed(claimed.id);
  }
  options.onClaimed?.(claimed.id);
  if (isSmall && claimed.isFresh) return claimed;
  const own: OwnObject = {
    source,
    id: claimed.id,
    // An object that exists may be complete and have later lines; it is read before it is replaced.
    etag: claimed.isFresh ? claimed.etag : "",
    nonce: pending.nonce,
  };
  const outcome = isSmall
    ? await replaceOwn(objects, own, sealed(source, own.nonce, undefined))
    : await publishLarge(objects, source, own, { ...options, isResumed: !claimed.isFresh });
  return outcome === "lost" ? undefined : { id: own.id, etag: own.etag };
}

async function claim(
  objects: ObjectStore,
  bytes: Uint8Array<ArrayBuffer>,
  pending: PendingUpload,
  { known, onOthers, random }: PublishOptions,
) {
  const { nonce, offlineId } = pending;
  if (offlineId !== undefined) {
    for (const id of new Set(pending.triedIds)) {
      await closeTriedId(objects, id, { bytes, nonce }, `not used: published as fd:${offlineId}`);
    }
    return await claimOfflineId(objects, offlineId, { bytes, nonce });
  }
  const triedId = pending.triedIds.at(-1);
  const onTry = (id: number) => pending.noteTry(id);
  return await claimSharedId(objects, { bytes, nonce, known, onOthers, triedId, onTry, random });
}

/** Makes the lines that say how much is in segments. */
function storedLine(
  { form }: UploadSource,
  nonce: Uint8Array,
  { segmentBytes }: UploadSizes,
  host: string | undefined,
): (bytes: number) => StoredLine {
  const data = dataOf(nonce);
  return (bytes) => ({ event: "stored", data, segment_bytes: segmentBytes, form, bytes, host });
}

/** The sealed object, with its content if that is not in segments. */
function sealed(source: UploadSource, nonce: Uint8Array, stored: StoredLine | undefined) {
  const content = stored === undefined ? source.read(0, source.byteCount()) : undefined;
  return sealedObject({ nonce, record: source.record(), index: source.index(), content }, stored);
}

/** The newest version of an fd object that belongs to this claim. */
interface OwnObject {
  readonly source: UploadSource;
  readonly id: number;
  readonly nonce: Uint8Array;
  etag: string;
}

/** The outcome of replacing an object of this claim. */
type Outcome =
  | "replaced"
  /** It was complete already, and may have been removed since. */
  | "sealed"
  /** Another process sealed or removed it, or the object is another one. */
  | "lost";

/** Uploads segments as they become full, then the rest, and seals. */
async function publishLarge(
  objects: ObjectStore,
  source: UploadSource,
  own: OwnObject,
  { clock, host, isResumed, onProgress, sizes = USUAL_SIZES }: PublishOptions & { isResumed: boolean },
): Promise<Outcome> {
  const { mostInsideBytes, segmentBytes } = sizes;
  const line = storedLine(source, own.nonce, sizes, host);
  let publishedMs = clock.nowMs();
  let shownBytes = -1;
  const show = async (segments: number): Promise<Outcome> => {
    const byteCount = source.byteCount();
    const pastMs = clock.nowMs() - publishedMs;
    if (pastMs < PUBLISH_EVERY_MS || byteCount === shownBytes && pastMs < SHOW_LIFE_EVERY_MS) {
      return "replaced";
    }
    const from = segments * segmentBytes;
    const tail = source.read(from, Math.min(byteCount - from, mostInsideBytes));
    publishedMs = clock.nowMs();
    shownBytes = byteCount;
    return await replaceOwn(objects, own, liveObject(own.nonce, source.record(), line(from), tail));
  };
  const buffers: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const isThere = isResumed ? await segmentsThere(objects, own.id, dataOf(own.nonce)) : () => undefined;
  for (;;) {
    const hasEnded = source.hasEnded();
    const byteCount = source.byteCount();
    if (hasEnded && fitsInside(source, sizes)) break;
    const segments = hasEnded ? Math.ceil(byteCount / segmentBytes) : Math.floor(byteCount / segmentBytes);
    while (done < segments) {
      const next = await putSegments(objects, source, {
        id: own.id,
        data: dataOf(own.nonce),
        segmentBytes,
        from: done,
        to: segments,
        byteCount,
        isThere,
        buffers,
        goesOn(next) {
          onProgress?.(Math.min(next * segmentBytes, byteCount), () => byteCount);
          return clock.nowMs() - publishedMs < PUBLISH_EVERY_MS;
        },
      });
      if (next === undefined) return "lost";
      done = next;
      const outcome = done < segments ? await show(done) : "replaced";
      if (outcome !== "replaced") return outcome;
    }
    if (hasEnded) break;
    const outcome = await show(done);
    if (outcome !== "replaced") return outcome;
    await clock.pause(LOOK_EVERY_MS);
  }
  const byteCount = source.byteCount();
  const stored = fitsInside(source, sizes) ? undefined : line(byteCount);
  return await replaceOwn(objects, own, sealed(source, own.nonce, stored));
}

/** Replaces the claim's object by `bytes`, whatever version of it there is, unless another process ended it. */
async function replaceOwn(objects: ObjectStore, own: OwnObject, object: Uint8Array): Promise<Outcome> {
  const bytes = ownedObject(objects, own.id, object);
  let next = bytes;
  for (;;) {
    const written = own.etag === "" ? null : await objects.replace(fdKey(own.id), next, own.etag);
    if (written !== null) {
      own.etag = written.etag;
      return "replaced";
    }
    const now = await readWholeObject(objects, own.id);
    if (now === undefined) {
      // Deleted in the bucket. The id is still this claim's.
      const created = await objects.create(fdKey(own.id), bytes);
      own.etag = created?.etag ?? "";
      if (created === null) continue;
      return "replaced";
    }
    own.etag = now.etag;
    const { seal, tomb } = now.log;
    if (!sameBytes(now.header.nonce, own.nonce)) return "lost";
    if (seal !== undefined) {
      // Not written again: that would drop later lines, and bring back an etag that a cleaner may have seen.
      return JSON.stringify(seal) === JSON.stringify(decodeLog(own.source.record()).seal) ? "sealed" : "lost";
    }
    if (tomb !== undefined) return "lost";
    next = joinBytes([bytes, objectParts(now.bytes, now.header).appended]);
  }
}
