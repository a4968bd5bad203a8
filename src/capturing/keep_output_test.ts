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
    assertEquals(kept, { kind: "failed", failures: [failure], partial: undefined });
    assertEquals(place.handedOn().toString(), "many more than few and more");
  }));

for (const call of ["open", "write", "mkdir", "close", "ftruncate"] as const) {
  for (const tee of [false, true]) {
    Deno.test(`whichever ${call} fails, every byte is stored whole or handed on${tee ? ", with tee" : ""}`, () => {
      const chunks = Array.from({ length: 6 }, (_, at) => new Uint8Array(50_000).fill(0x61 + at));
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
            kept = place.keep(chunks, { tee });
          } catch (thrown) {
            if (systemCode(thrown) === undefined) throw thrown;
            throw new Error(`call ${failing} of ${call} was not caught`, { cause: thrown });
          } finally {
            Object.assign(disk, { [call]: real });
          }
          const isHandedOn = tee || kept.kind === "failed";
          assertEquals(
            place.handedOn().equals(isHandedOn ? whole : Buffer.alloc(0)),
            true,
            `${call} ${failing}`,
          );
          if (kept.kind === "stored") {
            const { store, entry } = kept;
            const stored = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
            assertEquals(Buffer.from(stored).equals(whole), true);
          }
        });
        if (!failed) return;
      }
    });
  }
}
