// Promises: `verify` reports foreign and unreadable files in a store, and continues; a flipped bit in a name never
// leads to another fd (docs/limits.md).

import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { putSlowly, temporaryStore } from "../../tests/temporary_store.ts";
import { bindName, readName } from "../store/bind_name.ts";
import { blockSumText } from "../bytes/block_sum.ts";
import { checkStore } from "./check_store.ts";
import { collectGarbage } from "./collect_garbage.ts";
import { FdError } from "../disk/errors.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import { basename } from "node:path";
import { locateSlice } from "../slices/locate_slice.ts";
import { openContent } from "../slices/open_content.ts";
import { openStore, type Store } from "../store/open_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readLog } from "../records/record_log.ts";
import { listingPath } from "../store/further_paths.ts";
import { openTransactionsPath, recordPath } from "../store/store_paths.ts";
import { markTransaction } from "../store/transaction_marks.ts";

const LINES = new TextEncoder().encode("a line\n".repeat(20_000));

async function problemsIn(store: Store): Promise<string[]> {
  const { findings } = await checkStore(store, { repair: false });
  return findings.map(({ problem, path }) => `${problem} ${path.slice(store.path.length + 1)}`).sort();
}

Deno.test("verify accepts the journal's marks however the store's path is spelled", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test" });
  Deno.mkdirSync(openTransactionsPath(store.path), { recursive: true, mode: 0o700 });
  markTransaction(store, 1);
  for (
    const path of [
      store.path,
      `${world.dir}//${basename(store.path)}`,
      `${world.dir}/./${basename(store.path)}`,
    ]
  ) {
    assertEquals(await problemsIn(openStore(path)), [], path);
  }
});

Deno.test("verify reports foreign files anywhere, and another version's directory", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test", names: ["log"] });
  const write = (name: string) => Deno.writeTextFileSync(`${store.path}/${name}`, "?", { mode: 0o600 });
  for (const name of ["v2/notes", "v2/fds/notes", "v2/fds/0000/notes", "v2/refs/a b"]) write(name);
  Deno.mkdirSync(`${store.path}/v3`);
  Deno.mkdirSync(`${world.dir}/elsewhere`);
  Deno.symlinkSync(`${world.dir}/elsewhere`, `${store.path}/v2/journal`);
  assertEquals(await problemsIn(store), [
    "foreign_file v2/fds/0000/notes",
    "foreign_file v2/fds/notes",
    "foreign_file v2/journal",
    "foreign_file v2/notes",
    "foreign_file v2/refs/a b",
    "other_version v3",
  ]);
});

Deno.test("verify reports an unreadable record and checks the rest of the store", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LINES, { source: "test" });
  Deno.removeSync(recordPath(store.path, 2));
  Deno.mkdirSync(recordPath(store.path, 2), { mode: 0o700 });
  const { findings, fdCount } = await checkStore(store, { repair: true });
  assertEquals([findings.map(({ fd, problem }) => [fd, problem]), fdCount], [
    [["fd:2", "record_damaged"], [undefined, "foreign_file"]],
    2,
  ]);
});

Deno.test("verify reports a directory in place of a file and leaves its mode alone", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LINES, { source: "test" });
  const paths = [recordPath(store.path, 2), listingPath(store.path, "0000"), `${store.path}/v2/notes`];
  for (const path of paths) {
    try {
      Deno.removeSync(path);
    } catch (thrown) {
      assertEquals(thrown instanceof Deno.errors.NotFound, true);
    }
    Deno.mkdirSync(path);
    Deno.chmodSync(path, 0o755);
  }
  const { findings } = await checkStore(store, { repair: true });
  assertEquals(findings.filter(({ repaired }) => repaired), []);
  for (const path of paths) {
    assertEquals(
      findings.some((found) => found.path === path && found.problem === "foreign_file"),
      true,
      path,
    );
    assertEquals(Deno.statSync(path).mode! & 0o777, 0o755);
  }
});

Deno.test("verify does not look for all ids before a record far beyond the others", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test" });
  Deno.mkdirSync(`${store.path}/v2/fds/99999999`, { mode: 0o700 });
  Deno.writeTextFileSync(`${store.path}/v2/fds/99999999/99999999123.rec`, "", { mode: 0o600 });
  assertEquals((await checkStore(store, { repair: false })).fdCount, 2);
});

Deno.test("a flipped bit in a name's file unbinds it and is reported; it never leads to another fd", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LINES, { source: "test" });
  bindName(store, "two", 2);
  const path = `${store.path}/v2/refs/two`;
  const right = Deno.readFileSync(path);
  for (let at = 0; at < right.length * 8; at++) {
    const bytes = right.slice();
    bytes[at >> 3]! ^= 1 << (at & 7);
    Deno.writeFileSync(path, bytes);
    assertEquals(readName(store, "two"), undefined, `bit ${at}`);
  }
  assertEquals(await problemsIn(store), ["name_damaged v2/refs/two"]);
});

Deno.test("an id whose record is lost is not given to other content", () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 2; n++) putBytes(store, LINES, { source: "test" });
  Deno.removeSync(recordPath(store.path, 2));
  assertEquals(putBytes(store, LINES, { source: "test" }).id, 3);
});

Deno.test("a record of empty content does not hide content that exists", () => {
  using world = temporaryStore();
  const { store } = world;
  const { contentPath } = putSlowly(store, new Uint8Array(), { source: "test" });
  Deno.writeFileSync(contentPath, LINES);
  const thrown = assertThrows(() => openContent(store, findFd(store, "fd:1")), FdError);
  assertEquals(thrown.failure.kind, "store_corrupt");
});

Deno.test(
  "a pipe in place of a file does not block",
  { ignore: Deno.build.os === "windows" },
  async () => {
    using world = temporaryStore();
    const { store } = world;
    for (const ending of ["rec", "dat", "idx"]) {
      const { id } = putBytes(store, LINES, { source: "test" });
      const path = `${store.path}/v2/fds/0000/${id}.${ending}`;
      Deno.removeSync(path);
      new Deno.Command("mkfifo", { args: [path] }).outputSync();
    }
    await problemsIn(store);
    listFds(store);
  },
);

Deno.test("impossible counts invalidate a seal, and seeking by them ends", () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test" });
  const path = recordPath(store.path, 1);
  const [claim = "", seal = ""] = Deno.readTextFileSync(path).split("\n");
  const forged = { ...JSON.parse(seal.slice(9)), pages: 2 ** 40 };
  const json = JSON.stringify(forged);
  Deno.writeTextFileSync(path, `${claim}\n${blockSumText(Buffer.from(json))} ${json}\n`);
  assertEquals(readLog(store, 1)?.seal, undefined);
  const entry = { ...findFd(store, "fd:1"), pageCount: 2 ** 40 };
  assertEquals(locateSlice(store, entry, { mode: "page", tail: 1 }).fromByte, LINES.length);
});

Deno.test("an invalid listing with a right sum changes no result", () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 70; n++) putBytes(store, LINES.subarray(0, 7), { source: "test" });
  const before = listFds(store);
  const line = (json: string) => `${blockSumText(Buffer.from(json))} ${json}\n`;
  for (const nonsense of ["null", "{}", "[1]", '[{"id":1}]', '"text"', "[null]", "{"]) {
    const sum = blockSumText(Buffer.from(nonsense));
    const head = { listed: [[1, 70]], others: [], parts: [[nonsense.length, sum]] };
    for (const listing of [line(nonsense), line(JSON.stringify(head)) + nonsense]) {
      Deno.writeTextFileSync(listingPath(store.path, "0000"), listing);
      assertEquals(listFds(store), before, nonsense);
    }
  }
});

Deno.test("a store that was writable by others and contains symlinks is refused; cleanup follows no symlink", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test" });
  const theirs = `${world.dir}/theirs`;
  Deno.mkdirSync(theirs);
  Deno.writeTextFileSync(`${theirs}/old`, "theirs");
  Deno.utimeSync(`${theirs}/old`, 1, 1);
  Deno.removeSync(`${store.path}/v2/tmp`, { recursive: true });
  Deno.symlinkSync(theirs, `${store.path}/v2/tmp`);
  await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  assertEquals(Deno.readTextFileSync(`${theirs}/old`), "theirs");
  Deno.chmodSync(`${store.path}/v2`, 0o777);
  const thrown = assertThrows(() => openStore(store.path), FdError);
  assertEquals(thrown.failure.kind, "permission_error");
});

Deno.test("verify leaves modes alone behind a symlink in place of a store's directory", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test", names: ["log"] });
  const theirs = `${world.dir}/theirs`;
  for (const name of ["1.rec", "log", "0000/1.rec"]) {
    Deno.mkdirSync(`${theirs}/0000`, { recursive: true });
    Deno.writeTextFileSync(`${theirs}/${name}`, "mine\n");
    Deno.chmodSync(`${theirs}/${name}`, 0o644);
  }
  for (const name of ["fds/0000", "refs", "tmp", "journal", "inquiries/0000", "fds"]) {
    const path = `${store.path}/v2/${name}`;
    Deno.mkdirSync(path, { recursive: true });
    Deno.removeSync(path, { recursive: true });
    Deno.symlinkSync(theirs, path);
    await checkStore(store, { repair: true });
    for (const file of ["1.rec", "log", "0000/1.rec"]) {
      assertEquals(Deno.statSync(`${theirs}/${file}`).mode! & 0o777, 0o644, `${name} ${file}`);
    }
    Deno.removeSync(path);
    Deno.mkdirSync(path, { mode: 0o700 });
  }
});
