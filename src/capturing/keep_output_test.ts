import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { disk, fail, openStore, readSlice, readWhole, systemCode } from "../../fd/mod.ts";
import { holdOutput } from "./held_output.ts";
import { type KeepOptions, keepOutput, type Kept } from "./keep_output.ts";

/** Where bytes are handed on to, and a store that does not exist yet. */
interface Place {
  handedOn(): Buffer;
  storeDirectory: string;
  keep(chunks: readonly Uint8Array[], options?: Partial<KeepOptions>): Kept;
}

function withPlace(work: (place: Place) => void): void {
  const directory = Deno.realPathSync(Deno.makeTempDirSync());
  const storeDirectory = `${directory}/store`;
  const handed: Uint8Array[] = [];
  try {
    work({
      storeDirectory,
      handedOn: () => Buffer.concat(handed),
      keep(chunks, options = {}) {
        const keeping = keepOutput({
          held: holdOutput(10),
          storesEverything: false,
          openStore: () => openStore(storeDirectory),
          put: { source: "test" },
          tee: false,
          handOn: (bytes) => handed.push(Buffer.from(bytes)) > 0,
          ...options,
        });
        for (const chunk of chunks) keeping.write(chunk);
        return keeping.end({});
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

Deno.test("as many chars as the threshold are small, one more is stored, however they arrive", () => {
  const char = fc.constantFrom(
    text("a"),
    text("\n"),
    text("é"),
    text("漢"),
    text("😀"),
    // Each of these is one ill-formed char.
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
          const kept = place.keep(chunks);
          assertEquals(place.handedOn().length, 0);
          if (chars.length === 10) {
            assertEquals(kept, { kind: "small", bytes: new Uint8Array(whole) });
            assertEquals(exists(place.storeDirectory), false, "small output makes no store");
          } else {
            if (kept.kind !== "stored") throw new Error(`not stored: ${kept.kind}`);
            const { store, entry } = kept;
            const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
            assertEquals(Buffer.from(stored), whole);
          }
        });
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("where everything is stored, nothing is too", () =>
  withPlace((place) => {
    const kept = place.keep([], { storesEverything: true });
    assertEquals(kept.kind === "stored" && [kept.entry.id, kept.entry.byteCount], [1, 0]);
  }));

Deno.test("with tee every byte is handed on once, stored or not", () =>
  withPlace((place) => {
    assertEquals(place.keep([text("few")], { tee: true }).kind, "small");
    assertEquals(place.keep([text("many more "), text("than few")], { tee: true }).kind, "stored");
    assertEquals(place.handedOn().toString(), "fewmany more than few");
  }));

Deno.test("a store that cannot be opened costs no byte", () =>
  withPlace((place) => {
    const failure = { kind: "permission_error", path: "/store", action: "open", code: "EACCES" } as const;
    const chunks = [text("many more "), text("than few"), text(" and more")];
    const kept = place.keep(chunks, { openStore: () => fail(failure) });
    assertEquals(kept, {
      kind: "failed",
      failures: [failure],
      missingBytes: 0,
      isTaken: true,
      partial: undefined,
    });
    assertEquals(place.handedOn().toString(), "many more than few and more");
  }));

/** What is kept and what is lost of content of that many chunks of 50,000 bytes, stored under a cap or without one. */
const CAPS = [
  { title: "", maxBytes: 0, chunkCount: 6 },
  { title: ", beyond a cap", maxBytes: 100_001, chunkCount: 6 },
  { title: ", far beyond a cap", maxBytes: 100_001, chunkCount: 60 },
];

for (const call of ["open", "write", "mkdir", "close", "ftruncate", "rename", "unlink"] as const) {
  for (const tee of [false, true]) {
    for (const { title, maxBytes, chunkCount } of CAPS) {
      Deno.test(`whichever ${call} fails, every byte is stored, handed on or said to be missing${tee ? ", with tee" : ""}${title}`, () => {
        const chunks = Array.from({ length: chunkCount }, (_, at) => new Uint8Array(50_000).fill(0x21 + at));
        const whole = Buffer.concat(chunks);
        for (let failing = 1;; failing++) {
          let calls = 0;
          let failed = false;
          const real = disk[call];
          withPlace((place) => {
            let kept: Kept;
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
              kept = place.keep(chunks, { tee, put: { source: "test", maxBytes } });
            } catch (thrown) {
              if (systemCode(thrown) === undefined) throw thrown;
              throw new Error(`call ${failing} of ${call} was not caught`, { cause: thrown });
            } finally {
              Object.assign(disk, { [call]: real });
            }
            assertAccounted(kept, place.handedOn(), whole, { tee, maxBytes, which: `${call} ${failing}` });
          });
          if (!failed) return;
        }
      });
    }
  }
}

/** That each byte of `whole` was stored, or handed on, or counted as missing, or as dropped by the cap. */
function assertAccounted(
  kept: Kept,
  handedOn: Buffer,
  whole: Buffer,
  { tee, maxBytes, which }: { tee: boolean; maxBytes: number; which: string },
): void {
  if (kept.kind === "small") throw new Error("it is not small");
  if (tee) assertEquals(handedOn.equals(whole), true, which);
  if (kept.kind === "stored") {
    if (!tee) assertEquals(handedOn.length, 0, which);
    const { store, entry } = kept;
    const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
    assertWithout(Buffer.from(stored), whole, entry.gap?.droppedBytes ?? 0, which);
    assertEquals(entry.byteCount, maxBytes === 0 ? whole.length : maxBytes, which);
    return;
  }
  if (!tee) assertWithout(handedOn, whole, kept.missingBytes, which);
  assertEquals(kept.failures.length > 0, true, which);
  if (kept.partial === undefined) return;
  const { store, entry } = kept.partial;
  const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
  assertEquals(entry.state, "incomplete", which);
  assertEquals(entry.gap?.droppedBytes === 0, false, which);
  const { atByte, droppedBytes } = entry.gap ?? { atByte: entry.byteCount, droppedBytes: 0 };
  const after = entry.byteCount - atByte;
  assertEquals(Buffer.from(stored).subarray(0, atByte).equals(whole.subarray(0, atByte)), true, which);
  const end = atByte + droppedBytes + after;
  assertEquals(Buffer.from(stored).subarray(atByte).equals(whole.subarray(end - after, end)), true, which);
}

/** That `bytes` is `whole` with `missingBytes` bytes taken out in one place. */
function assertWithout(bytes: Buffer, whole: Buffer, missingBytes: number, which: string): void {
  assertEquals(bytes.length + missingBytes, whole.length, which);
  let same = 0;
  while (same < bytes.length && bytes[same] === whole[same]) same++;
  assertEquals(bytes.subarray(same).equals(whole.subarray(same + missingBytes)), true, which);
}
