import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { readSlice, readWhole } from "../../fd/mod.ts";
import { disk, systemCode } from "../../fd/system.ts";
import { endOutput, type OutputResult, outputSink, writeOutput } from "./store_output.ts";
import { type CaptureOptions, parseCaptureOptions } from "./capture_options.ts";
import type { Host } from "../calls/terms/command.ts";

/** A missing store, and the bytes that were forwarded. */
interface Place {
  forwarded(): Buffer;
  storeDirectory: string;
  store(chunks: readonly Uint8Array[], options?: Partial<CaptureOptions>, host?: Partial<Host>): OutputResult;
}

const HOST: Host = {
  env: {},
  cwd: "/",
  storeOption: undefined,
  root: undefined,
  version: "",
  operations: () => [],
};

function withPlace(work: (place: Place) => void): void {
  const directory = Deno.realPathSync(Deno.makeTempDirSync());
  const storeDirectory = `${directory}/store`;
  const pieces: Uint8Array[] = [];
  try {
    work({
      storeDirectory,
      forwarded: () => Buffer.concat(pieces),
      store(chunks, options = {}, host = {}) {
        const sink = outputSink({
          options: { ...parseCaptureOptions("test", {}), thresholdChars: 10, ...options },
          host: { ...HOST, storeOption: storeDirectory, ...host },
          origin: { source: "test" },
          forward: (bytes) => pieces.push(Buffer.from(bytes)) > 0,
        });
        for (const chunk of chunks) writeOutput(sink, chunk);
        return endOutput(sink, {});
      },
    });
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return false;
  }
}

const text = (written: string) => new TextEncoder().encode(written);

Deno.test("output of exactly the threshold is small, one char more is stored, however it arrives", () => {
  const char = fc.constantFrom(
    text("a"),
    text("\n"),
    text("é"),
    text("漢"),
    text("😀"),
    // Each is one ill-formed char.
    new Uint8Array([0xff]),
    new Uint8Array([0xc0]),
  );
  const cut = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(char, { minLength: 10, maxLength: 10 }), char, cut, (ten, oneMore, sizes) => {
      for (const chars of [ten, [...ten, oneMore]]) {
        const whole = Buffer.concat(chars);
        const chunks = sizes.map((size, at) => {
          const start = sizes.slice(0, at).reduce((sum, before) => sum + before, 0);
          return whole.subarray(start, at === sizes.length - 1 ? whole.length : start + size);
        });
        withPlace((place) => {
          const result = place.store(chunks);
          assertEquals(place.forwarded().length, 0);
          if (chars.length === 10) {
            assertEquals(result, { kind: "small", bytes: new Uint8Array(whole) });
            assertEquals(exists(place.storeDirectory), false, "small output makes no store");
          } else {
            if (result.kind !== "stored") throw new Error(`not stored: ${result.kind}`);
            const { store, entry } = result;
            const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
            assertEquals(Buffer.from(stored), whole);
          }
        });
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("with always, empty output is stored too", () =>
  withPlace((place) => {
    const result = place.store([], { always: true });
    assertEquals(result.kind === "stored" && [result.entry.id, result.entry.byteCount], [1, 0]);
  }));

Deno.test("with tee, every byte is forwarded once, stored or not", () =>
  withPlace((place) => {
    assertEquals(place.store([text("few")], { tee: true }).kind, "small");
    assertEquals(place.store([text("many more "), text("than few")], { tee: true }).kind, "stored");
    assertEquals(place.forwarded().toString(), "fewmany more than few");
  }));

Deno.test("if the store cannot be opened, every byte is forwarded", () =>
  withPlace((place) => {
    const got = "s3://bucket";
    const wanted = "a directory (URLs are not supported)";
    const failure = { kind: "invalid_parameter", field: "--store", got, wanted } as const;
    const chunks = [text("many more "), text("than few"), text(" and more")];
    const result = place.store(chunks, {}, { storeOption: got });
    assertEquals(result, {
      kind: "failed",
      failures: [failure],
      missingBytes: 0,
      isReaderOpen: true,
      partial: undefined,
    });
    assertEquals(place.forwarded().toString(), "many more than few and more");
  }));

/** Contents of `chunkCount` chunks of 50,000 bytes, with and without a size limit. */
const CAPS = [
  { title: "", maxBytes: 0, chunkCount: 6 },
  { title: ", beyond the size limit", maxBytes: 100_001, chunkCount: 6 },
  { title: ", far beyond the size limit", maxBytes: 100_001, chunkCount: 60 },
];

for (const call of ["open", "write", "mkdir", "close", "ftruncate", "rename", "unlink"] as const) {
  for (const tee of [false, true]) {
    for (const { title, maxBytes, chunkCount } of CAPS) {
      Deno.test(`whichever ${call} fails, every byte is stored, forwarded or reported missing${tee ? ", with tee" : ""}${title}`, () => {
        const chunks = Array.from({ length: chunkCount }, (_, at) => new Uint8Array(50_000).fill(0x21 + at));
        const whole = Buffer.concat(chunks);
        for (let failing = 1;; failing++) {
          let calls = 0;
          let failed = false;
          const real = disk[call];
          withPlace((place) => {
            let result: OutputResult;
            const failOnce = (...args: unknown[]) => {
              calls++;
              if (calls === failing) {
                failed = true;
                throw Object.assign(new Error("full"), { code: "ENOSPC" });
              }
              return Reflect.apply(real, disk, args);
            };
            Object.assign(disk, { [call]: failOnce });
            try {
              result = place.store(chunks, { tee, maxBytes });
            } catch (thrown) {
              if (systemCode(thrown) === undefined) throw thrown;
              throw new Error(`call ${failing} of ${call} was not caught`, { cause: thrown });
            } finally {
              Object.assign(disk, { [call]: real });
            }
            assertAccounted(result, place.forwarded(), whole, { tee, maxBytes, which: `${call} ${failing}` });
          });
          if (!failed) return;
        }
      });
    }
  }
}

/** Asserts that each byte of `whole` was stored, forwarded, or counted as missing or dropped. */
function assertAccounted(
  result: OutputResult,
  forwarded: Buffer,
  whole: Buffer,
  { tee, maxBytes, which }: { tee: boolean; maxBytes: number; which: string },
): void {
  if (result.kind === "small") throw new Error("small, though it exceeds the threshold");
  if (tee) assertEquals(forwarded.equals(whole), true, which);
  if (result.kind === "stored") {
    if (!tee) assertEquals(forwarded.length, 0, which);
    const { store, entry } = result;
    const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
    assertWithout(Buffer.from(stored), whole, entry.gap?.droppedBytes ?? 0, which);
    assertEquals(entry.byteCount, maxBytes === 0 ? whole.length : maxBytes, which);
    return;
  }
  if (!tee) assertWithout(forwarded, whole, result.missingBytes, which);
  assertEquals(result.failures.length > 0, true, which);
  if (result.partial === undefined) return;
  const { store, entry } = result.partial;
  const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
  assertEquals(entry.state, "incomplete", which);
  assertEquals(entry.gap?.droppedBytes === 0, false, which);
  const { atByte, droppedBytes } = entry.gap ?? { atByte: entry.byteCount, droppedBytes: 0 };
  const after = entry.byteCount - atByte;
  assertEquals(Buffer.from(stored).subarray(0, atByte).equals(whole.subarray(0, atByte)), true, which);
  const end = atByte + droppedBytes + after;
  assertEquals(Buffer.from(stored).subarray(atByte).equals(whole.subarray(end - after, end)), true, which);
}

/** Asserts that `bytes` is `whole` without `missingBytes` bytes in one place. */
function assertWithout(bytes: Buffer, whole: Buffer, missingBytes: number, which: string): void {
  assertEquals(bytes.length + missingBytes, whole.length, which);
  let same = 0;
  while (same < bytes.length && bytes[same] === whole[same]) same++;
  assertEquals(bytes.subarray(same).equals(whole.subarray(same + missingBytes)), true, which);
}
