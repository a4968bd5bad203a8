// Promise: a wrong argument of any library function is `invalid_parameter`, whose text says which argument, what came and
// what is expected; nothing is created by it, and the next id is what it was.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as library from "./mod.ts";

const bytes = new TextEncoder().encode("one\ntwo\n");
const options = { source: "test" };

/** Values that no argument of any function accepts, unless `accepted` names it. */
const JUNK: Readonly<Record<string, unknown>> = {
  null: null,
  NaN: NaN,
  negative: -1,
  fraction: 1.5,
  zero: 0,
  huge: 1e300,
  empty: "",
  text: "text\ud800",
  flag: true,
  array: [],
  object: {},
  symbol: Symbol("x"),
  bigint: 10n,
};

interface Case {
  /** Right arguments. */
  right: unknown[];
  /** Junk that the argument at that place accepts. */
  accepted?: readonly (readonly string[])[];
}

const texts = ["empty", "text"];

function cases(store: library.Store, entry: library.FdEntry, dir: string): Record<string, Case> {
  const slice = library.locateSlice(store, entry, { mode: "line", start: 1 });
  const line = { mode: "line", start: 1 };
  const put = library.beginPut(store, options);
  put.abandon();
  return {
    openStore: { right: [dir, {}], accepted: [[], ["object"]] },
    openUserStore: { right: [{ HOME: dir }], accepted: [["object"]] },
    putBytes: { right: [store, bytes, options, {}], accepted: [[], [], [], ["object"]] },
    putStream: { right: [store, [bytes], options], accepted: [[], ["array"]] },
    putFile: { right: [store, join(dir, "no-file"), options, {}], accepted: [[], [], [], ["object"]] },
    beginPut: { right: [store, options] },
    formatFd: { right: [1] },
    findFd: { right: [store, "fd:1"], accepted: [[], texts] },
    listFds: { right: [store, {}], accepted: [[], ["object"]] },
    highestId: { right: [store] },
    bindName: { right: [store, "name", entry.id] },
    listNames: { right: [store] },
    awaitFd: { right: [store, entry, { for: "end" }] },
    locateSlice: { right: [store, entry, line] },
    sliceText: { right: [store, entry, line] },
    readSlice: { right: [store, entry, slice] },
    readWhole: { right: [library.readSlice(store, entry, slice)] },
    streamSlice: { right: [store, entry, line] },
    exportSlice: { right: [store, entry, line, join(dir, "no", "file")] },
    deriveFd: { right: [store, entry, slice, {}], accepted: [[], [], [], ["object"]] },
    boundSlice: { right: [store, entry, slice, 1] },
    cursorAt: { right: [entry, 4], accepted: [[], ["zero"]] },
    digestFd: { right: [store, entry] },
    plainFile: { right: [store, entry] },
    cleanBytes: { right: [bytes] },
    searchFd: { right: [store, entry, { pattern: "o", keep: 1 }] },
    searchFds: { right: [store, [entry], { pattern: "o", keep: 1 }], accepted: [[], ["array"]] },
    removeFd: { right: [store, entry, "test"], accepted: [[], [], texts] },
    listRemoved: { right: [store] },
    collectGarbage: { right: [store, { dryRun: true }], accepted: [[], ["object"]] },
    sweepSometimes: { right: [store, 1], accepted: [[], ["zero"]] },
    checkStore: { right: [store, {}], accepted: [[], ["object"]] },
    exportFds: { right: [store, [entry], 1], accepted: [[], ["array"], ["zero"]] },
    importFds: { right: [store, () => 0] },
    forkStore: { right: [store, join(dir, "fork"), {}], accepted: [[], [], ["object"]] },
  };
}

/** Wrong records in the place of right ones. */
function wrongRecords(right: readonly unknown[]): unknown[][] {
  return right.flatMap((value, place) => {
    if (!isPlain(value)) return [];
    const withOther = (other: unknown) => [...right.slice(0, place), other, ...right.slice(place + 1)];
    const wrong: Record<string, unknown>[] = isMadeHere(value) ? [] : [{ ...value, unknownKey: 1 }];
    for (const key in value) {
      if (value[key] !== undefined && (!isMadeHere(value) || KNOWN_FIELDS.includes(key))) {
        wrong.push({ ...value, [key]: null });
      }
    }
    return wrong.map(withOther);
  });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Uint8Array);
}

/** Records that the library returns may have fields that a later version adds. */
function isMadeHere(value: Record<string, unknown>): boolean {
  return "path" in value || "id" in value || "fromByte" in value || "chunks" in value;
}

const KNOWN_FIELDS = [
  "path",
  "limits",
  "id",
  "state",
  "byteCount",
  "contentPath",
  "fromByte",
  "toByte",
  "chunks",
];

Deno.test("a wrong argument is invalid_parameter, and takes no id", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "fdtool-library-"));
  try {
    const store = library.openStore(join(dir, "store"));
    const entry = library.putBytes(store, bytes, options);
    const all = cases(store, entry, dir);
    const functions = Object.entries(library).filter(([name, value]) =>
      typeof value === "function" && name !== "FdError"
    );
    assertEquals(functions.map(([name]) => name).sort(), Object.keys(all).sort());
    const before = files(dir);
    for (const [name, call] of functions) {
      const { right, accepted = [] } = all[name]!;
      await t.step(name, async () => {
        const wrong = right.flatMap((_value, place) =>
          Object.entries(JUNK).filter(([junk]) => accepted[place]?.includes(junk) !== true)
            .map(([, value]) => [...right.slice(0, place), value, ...right.slice(place + 1)])
        );
        for (const given of [...wrong, ...wrongRecords(right)]) {
          const failure = await failureOf(call as (...given: unknown[]) => unknown, given);
          const what = `${name}(${given.map((each) => Deno.inspect(each, { depth: 2 })).join(", ")})`;
          assert(failure instanceof library.FdError, `${what}: ${failure}`);
          assertEquals(failure.failure.kind, "invalid_parameter", what);
          assertStringIncludes(String(failure), "wanted: ", what);
          assertEquals(library.highestId(store), 2, what);
        }
      });
    }
    assertEquals(files(dir), before);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

function files(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).sort();
}

async function failureOf(call: (...given: unknown[]) => unknown, given: unknown[]): Promise<unknown> {
  try {
    return { returned: await call(...given) };
  } catch (thrown) {
    return thrown;
  }
}

Deno.test("what comes out of a source is checked before an id is taken", async () => {
  const dir = mkdtempSync(join(tmpdir(), "fdtool-library-"));
  try {
    const store = library.openStore(dir);
    const sources: unknown[] = [
      "text",
      [1, 2],
      ["text"],
      [null],
      new Uint8Array(2),
      new Set([new Uint16Array(1)]),
    ];
    for (const source of sources) {
      const failure = await failureOf(library.putStream as (...given: unknown[]) => unknown, [
        store,
        source,
        options,
      ]);
      assert(
        failure instanceof library.FdError && failure.failure.kind === "invalid_parameter",
        String(failure),
      );
      assertEquals(library.highestId(store), 0);
    }
    // From then on, what came is kept.
    const failure = await failureOf(library.putStream as (...given: unknown[]) => unknown, [
      store,
      [bytes, 1],
      options,
    ]);
    assert(
      failure instanceof library.FdError && failure.failure.kind === "invalid_parameter",
      String(failure),
    );
    const kept = library.findFd(store, "fd:1");
    assertEquals([kept.state, library.sliceText(store, kept, { all: true })], ["incomplete", "one\ntwo\n"]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

Deno.test("a put that has ended refuses more, and the fd stays what it is", () => {
  const dir = mkdtempSync(join(tmpdir(), "fdtool-library-"));
  try {
    const store = library.openStore(dir);
    const put = library.beginPut(store, options);
    put.write(bytes);
    put.seal();
    for (const call of [() => put.write(bytes), () => put.seal()]) {
      try {
        call();
        throw new Error("it should have failed");
      } catch (thrown) {
        assert(
          thrown instanceof library.FdError && thrown.failure.kind === "invalid_parameter",
          String(thrown),
        );
      }
    }
    assertEquals(library.findFd(store, "fd:1").byteCount, bytes.length);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
