// Promise: at every moment a name is bound to the old fd or the new one, and the binding is durable once it is
// reported.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { bindName, listNames } from "./bind_name.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { putBytes } from "../put/put_bytes.ts";
import { namesListingPath } from "./further_paths.ts";
import { namePath, namesPath, temporaryDirectory } from "./store_paths.ts";

Deno.test("the directory of names is synced after the rename", () => {
  using world = temporaryStore();
  const { store } = world;
  const { id } = putBytes(store, new Uint8Array(), { source: "test" });
  bindName(store, "first", id);
  const calls: string[] = [];
  const { open, fsync, rename } = disk;
  const opened = new Map<number, string>();
  try {
    disk.open = ((path: string, ...rest: [number]) => {
      const file = open(path, ...rest);
      opened.set(file, path);
      return file;
    }) as typeof open;
    disk.fsync = ((file: number) => {
      calls.push(`sync ${opened.get(file)}`);
      return fsync(file);
    }) as typeof fsync;
    disk.rename = ((from: string, to: string) => {
      calls.push(`rename ${to}`);
      return rename(from, to);
    }) as typeof rename;
    bindName(store, "second", id);
  } finally {
    Object.assign(disk, { open, fsync, rename });
  }
  assert(calls[0]?.startsWith("sync "), "the file first");
  assertEquals(calls.slice(1), [
    `rename ${namePath(store.path, "second")}`,
    `sync ${namesPath(store.path)}`,
  ]);
});

Deno.test("a failed bind leaves no file behind", () => {
  using world = temporaryStore();
  const { store } = world;
  const { id } = putBytes(store, new Uint8Array(), { source: "test" });
  const { rename } = disk;
  try {
    disk.rename = () => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    };
    assertThrows(() => bindName(store, "first", id), FdError);
  } finally {
    disk.rename = rename;
  }
  assertEquals(disk.readdir(temporaryDirectory(store.path)), []);
});

Deno.test("many names come from one file, until one of them is bound again, added or deleted", () => {
  using world = temporaryStore();
  const { store } = world;
  const { id } = putBytes(store, new Uint8Array(), { source: "test" });
  for (let number = 0; number < 600; number++) bindName(store, `n${number}`, id);
  const listing = namesListingPath(store.path);
  let seconds = 1_000_000;
  const settle = () => disk.utimes(namesPath(store.path), ++seconds, seconds);
  const fromFiles = () => listNames(store, (path) => assert(false, path));
  const { open } = disk;
  const opened: string[] = [];
  const steps: [why: string, step: () => void][] = [
    ["nothing", () => {}],
    ["bound again", () => bindName(store, "n7", id + 1)],
    ["added", () => bindName(store, "added", id)],
    ["deleted", () => disk.unlink(namePath(store.path, "n9"))],
    ["no listing", () => disk.unlink(listing)],
    ["damaged listing", () => Deno.writeTextFileSync(listing, "00000000 {}\n")],
  ];
  try {
    disk.open =
      ((path: string, ...rest: [number]) => (opened.push(path), open(path, ...rest))) as typeof open;
    for (const [why, step] of steps) {
      settle();
      assertEquals(listNames(store), fromFiles(), why);
      opened.length = 0;
      assertEquals(listNames(store).length > 500, true, why);
      assertEquals(opened, [listing], why);
      step();
      assertEquals(listNames(store), fromFiles(), why);
    }
  } finally {
    disk.open = open;
  }
});
