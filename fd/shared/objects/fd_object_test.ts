// Promise: numbers of an fd object that come from outside are compared with each other and with the object's size before
// anything is fetched by them, and an object counts only under its own id in its own store.

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { labelledContent, sampleObject, sampleUpload } from "../../../scripts/fleet/sample_upload.ts";
import { BLOCK_BYTES, blockSum } from "../../bytes/block_sum.ts";
import { hexOf, joinBytes } from "../../bytes/utf8_bytes.ts";
import { FdError } from "../../disk/errors.ts";
import { indexLength } from "../../index/index_file.ts";
import { encodeObject, OBJECT_HEADER_BYTES } from "../../packs/object_form.ts";
import { decodeLog } from "../../records/record_log.ts";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import { decodeShared, keptObject, ownedObject, sealedObject } from "./fd_object.ts";

import type { ObjectStore } from "../remote/object_store.ts";

const STORE = "00112233445566778899aabb";
const ID = 7;
const nonce = new Uint8Array(16).fill(3);
const store = { storeId: STORE } as ObjectStore;

const partOf = (bytes: Uint8Array) => ({
  bytes: new Uint8Array(bytes),
  etag: "",
  byteCount: bytes.length,
  modifiedAtMs: 0,
  serverNowMs: 0,
});

function read(bytes: Uint8Array, id = ID, storeId = STORE): string {
  try {
    return hexOf(decodeShared(id, partOf(bytes), storeId).header.nonce);
  } catch (thrown) {
    if (thrown instanceof FdError && thrown.failure.kind === "store_corrupt") return thrown.failure.what;
    throw thrown;
  }
}

/** The objects of content inside and content in segments. */
const SMALL = labelledContent("small", 40_000);
const LARGE_BYTES = 20 * 2 ** 20;

function small(): Uint8Array {
  return ownedObject(store, ID, sampleObject(nonce, SMALL));
}

/** The object of large content, with other numbers in place of some of its own. */
function large(
  { sealed = LARGE_BYTES, stored = LARGE_BYTES, segment = 8 * 2 ** 20, index = LARGE_BYTES, form = "plain" }:
    {
      sealed?: number;
      stored?: number;
      segment?: number;
      index?: number;
      form?: "plain" | "pack";
    },
): Uint8Array {
  const { claim, seal } = decodeLog(sampleUpload(SMALL).record());
  const lines = [claim!, { ...seal!, bytes: sealed, chars: sealed, line_feeds: 0, lines: 1, pages: 1 }];
  const record = joinBytes(lines.map((line) => encodeCheckedLine(line)));
  const pages = new Uint8Array(indexLength(Math.ceil(index / BLOCK_BYTES)));
  return ownedObject(
    store,
    ID,
    sealedObject({ nonce, record, index: pages }, {
      event: "stored",
      data: "0123456789ab",
      segment_bytes: segment,
      form,
      bytes: stored,
    }),
  );
}

Deno.test("an object counts only under its own id, in its own store", () => {
  for (const bytes of [small(), large({})]) {
    assertEquals(read(bytes), hexOf(nonce));
    assertEquals(read(bytes, 8), "it is the object of fd:7");
    assertEquals(read(bytes, ID, "ff".repeat(12)), "it is an object of another store");
  }
});

Deno.test("numbers that contradict one another, or ask for too much, are damage", () => {
  const other = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 21 }),
    fc.constantFrom(0, 1, 2 ** 20, 2 ** 31, 2 ** 45, 2 ** 53 - 1),
  );
  fc.assert(fc.property(fc.constantFrom("sealed", "stored"), other, (field, value) => {
    if (value !== LARGE_BYTES) assert(read(large({ [field]: value })) !== hexOf(nonce), `${field} ${value}`);
  }));
  for (const index of [0, 1, 2 ** 20, 2 ** 24]) assert(read(large({ index })).startsWith("the index of"));
  for (const segment of [1, 100, BLOCK_BYTES - 1, 2 ** 27, 2 ** 40]) {
    assertEquals(read(large({ segment })), `${LARGE_BYTES} bytes in segments of ${segment}`);
  }
  for (const stored of [10, 100 * LARGE_BYTES]) {
    assert(read(large({ form: "pack", stored })) !== hexOf(nonce));
  }
  assertEquals(read(large({ form: "pack", stored: 2 ** 20 })), hexOf(nonce));
});

Deno.test("any change of the lengths in a header is damage", () => {
  const bytes = small();
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 37 }), fc.integer({ min: 1, max: 255 }), (at, bits) => {
      const changed = bytes.slice();
      changed[at]! ^= bits;
      changed.fill(0, 4, 8);
      new DataView(changed.buffer).setUint32(4, blockSum(changed.subarray(0, OBJECT_HEADER_BYTES)), true);
      assert(read(changed) !== hexOf(nonce), `byte ${at}`);
    }),
    { numRuns: 400 },
  );
});

Deno.test("more content inside than an object may have is damage, however it is sealed", () => {
  const { claim, seal } = decodeLog(sampleUpload(SMALL).record());
  const record = joinBytes([claim!, seal!].map((line) => encodeCheckedLine(line)));
  const bytes = ownedObject(store, ID, encodeObject({ nonce, record, content: new Uint8Array(2 ** 20 + 1) }));
  assert(read(bytes).includes("the object has"));
});

Deno.test("an fd that has no seal, or is removed, has no index, and no record is longer than a reader should hold", () => {
  const { claim } = decodeLog(sampleUpload(SMALL).record());
  const record = encodeCheckedLine(claim);
  const index = new Uint8Array(4096);
  const live = ownedObject(store, ID, encodeObject({ nonce, record, index, content: SMALL }));
  assertEquals(read(live), "it has an index, and no seal");
  const tomb = encodeCheckedLine({ event: "tomb", at: 1, why: "test", bytes: 0 });
  const removed = ownedObject(store, ID, encodeObject({ nonce, record: tomb, index }));
  assertEquals(read(removed), "it is removed, and has content");
  const long = joinBytes([small(), encodeCheckedLine({ event: "keep", nonce: "n".repeat(9 * 2 ** 20) })]);
  assert(read(long).includes("the object has"));
});

Deno.test("an fd that is kept again and again has the line of the last time only", () => {
  const sealed = small();
  const again = (bytes: Uint8Array, keep: string) => keptObject(decodeShared(ID, partOf(bytes), STORE), keep);
  const [first, second] = [again(sealed, "0001"), again(again(sealed, "0002"), "0003")];
  assertEquals(second.length, first.length);
  assert(first.length > sealed.length && Buffer.from(second).includes("0003"));
  assertEquals(read(second), hexOf(nonce));
});
