// Promise: a file is stored again as soon as its content may be another one, and read no further than it was when it was
// opened: an answer is never stale.

import { assertEquals } from "@std/assert";
import { appendFileSync, type BigIntStats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FdEntry, findFd, readSlice, readWhole, type Store, wholeSlice } from "../../fd/mod.ts";
import { disk, utf8Text } from "../../fd/system.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import type { Host } from "../calls/terms/command.ts";
import { storeFile } from "./file_as_fd.ts";

function wholeOf(store: Store, entry: FdEntry): Uint8Array {
  return readWhole(readSlice(store, entry, wholeSlice(entry)));
}

const MINUTE_MS = 60_000;

interface Setting {
  store: Store;
  /** The path of the file. */
  path: string;
  /** Stores the file, which seems to have changed so long ago. */
  storedAfter(ageMs: number): Promise<string>;
  textOf(fd: string): string;
}

async function inSetting(test: (setting: Setting) => Promise<void>): Promise<void> {
  using temporary = temporaryStore();
  const { store, dir } = temporary;
  const host: Host = {
    env: { FDTOOL_STORE: store.path },
    cwd: dir,
    storeOption: undefined,
    root: undefined,
    version: "",
    operations: () => [],
  };
  const { fstat } = disk;
  const startMs = Date.now();
  const path = join(dir, "file");
  try {
    await test({
      store,
      path,
      textOf: (fd) => utf8Text(wholeOf(store, findFd(store, fd))),
      async storedAfter(ageMs) {
        const changedNs = BigInt(startMs - ageMs) * 1_000_000n;
        disk.fstat = ((file: number, options?: { bigint: true }) => {
          const stat = fstat(file, options as never) as unknown as BigIntStats;
          return options?.bigint === true ? { ...stat, mtimeNs: changedNs, ctimeNs: changedNs } : stat;
        }) as typeof fstat;
        return (await storeFile(path, host)).sentence.replace(`${path} was stored as `, "");
      },
    });
  } finally {
    disk.fstat = fstat;
  }
}

Deno.test("times that have settled show that a file is the same, and others do not", () =>
  inSetting(async ({ path, storedAfter, textOf }) => {
    writeFileSync(path, "one\n");
    assertEquals(await storedAfter(MINUTE_MS / 2), "fd:1.");
    // Of the same size and, as the system notes them, times.
    writeFileSync(path, "two\n");
    assertEquals(await storedAfter(MINUTE_MS / 2), "fd:2.");
    assertEquals(await storedAfter(100 * MINUTE_MS), "fd:2.");
    assertEquals([textOf("fd:1"), textOf("fd:2")], ["one\n", "two\n"]);
    // No system keeps the times of a change for so long: this shows that the file is not read again.
    writeFileSync(path, "six\n");
    assertEquals(await storedAfter(100 * MINUTE_MS), "fd:2.");
    writeFileSync(path, "seven\n");
    assertEquals(await storedAfter(100 * MINUTE_MS), "fd:3.");
  }));

Deno.test("what is appended while a file is read is left out, which the answer says", () =>
  inSetting(async ({ path, storedAfter, textOf }) => {
    writeFileSync(path, "line\n".repeat(100_000));
    const { read } = disk;
    disk.read = ((...args: Parameters<typeof read>) => {
      const length = read(...args);
      if (length > 1000) appendFileSync(path, "later\n");
      return length;
    }) as typeof read;
    try {
      assertEquals(await storedAfter(100 * MINUTE_MS), "fd:1, and changed meanwhile.");
    } finally {
      disk.read = read;
    }
    assertEquals(textOf("fd:1"), "line\n".repeat(100_000));
    assertEquals(await storedAfter(100 * MINUTE_MS), "fd:2.");
  }));
