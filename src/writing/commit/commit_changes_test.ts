// Promises: all files of a transaction or none (contract, law 5, Writing files and Write plans), whichever call fails
// and wherever the process dies; old content is backed up; another process's change is never overwritten; nothing is
// left behind.

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findFd, formatFd, highestLogId, readSlice, readWhole, type Store } from "../../../fd/mod.ts";
import { disk, FdError } from "../../../fd/system.ts";
import { dieAtCall } from "../../../tests/dying_disk.ts";
import { failEachCall } from "../../../tests/failing_disk.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import { type Change, commitChanges } from "./commit_changes.ts";
import { inspectTarget, type Target, withTargetsLocked } from "./inspect_target.ts";
import { type Place, resolveTarget } from "./target_path.ts";
import { readTransaction } from "./journal.ts";
import { openTransactions, recoverTransaction } from "../history/recover_transactions.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";

const STEP = { tool: "test", cwd: "/", root: undefined };

/** Names in the world and their content (undefined: missing). */
type Tree = Readonly<Record<string, string | undefined>>;

const BEFORE: Tree = {
  "a": "old a\n",
  "b": "old b, longer\n",
  "new/deep/c": undefined,
  "d": "old d\n",
  "e": "log\n",
};
const AFTER: Tree = {
  "a": "A\n",
  "b": "",
  "new/deep/c": "new c\n",
  "d": undefined,
  "e": "log\nmore\n",
  "a.bak": "old a\n",
};

async function inspected(path: string, place: Place): Promise<Target> {
  return await inspectTarget(path, resolveTarget(path, place), place);
}

function lay(root: string, tree: Tree): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  for (const [name, content] of Object.entries(tree)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function see(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (directory: string, prefix: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const name = prefix + entry.name;
      if (!entry.isDirectory()) found[name] = readFileSync(join(root, name), "utf8");
      else {
        found[`${name}/`] = "";
        walk(join(root, name), `${name}/`);
      }
    }
  };
  walk(root, "");
  return found;
}

const present = (tree: Tree, directories: string[]): Tree => ({
  ...Object.fromEntries(Object.entries(tree).filter(([, content]) => content !== undefined)),
  ...Object.fromEntries(directories.map((name) => [name, ""])),
});
const SEEN_BEFORE = present(BEFORE, []);
const SEEN_AFTER = present(AFTER, ["new/", "new/deep/"]);

async function changeAll(store: Store, root: string, names = Object.keys(BEFORE)): Promise<void> {
  const place = { cwd: root, root: undefined };
  const changes: Change[] = [];
  for (const name of names) {
    const content = AFTER[name];
    changes.push({
      target: await inspected(name, place),
      content: content === undefined ? undefined : { chunks: () => [new TextEncoder().encode(content)] },
      extendsOld: name === "e",
      copyBeside: name === "a",
    });
  }
  await withTargetsLocked(
    store,
    changes.map((change) => change.target.realPath),
    () => commitChanges(store, changes, STEP),
  );
}

Deno.test("a transaction changes, creates, removes, extends and copies several files, and backs up the old content", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  lay(root, BEFORE);
  await changeAll(world.store, root);
  assertEquals(see(root), SEEN_AFTER);
  const transaction = readTransaction(world.store, 1);
  assertEquals(transaction?.outcome?.event, "done");
  assertEquals(openTransactions(world.store, Date.now()), []);
  const kept = transaction?.begin.files.map((file) => {
    if (typeof file.backup !== "number") return file.backup;
    const entry = findFd(world.store, formatFd(file.backup));
    const bytes = readWhole(readSlice(world.store, entry, { fromByte: 0, toByte: entry.byteCount }));
    return new TextDecoder().decode(bytes);
  });
  assertEquals(kept, ["old a\n", "old b, longer\n", null, "old d\n", { prefix_bytes: 4 }]);
  rmSync(root, { recursive: true });
});

Deno.test("a failed step that cannot remove its temporary files stays open, and recover removes them", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  lay(root, BEFORE);
  const { fchmod, unlink } = disk;
  const refuse = (code: string) => Object.assign(new Error(code), { code });
  try {
    disk.fchmod = () => {
      throw refuse("EIO");
    };
    disk.unlink = (path) => {
      if (String(path).endsWith(".tmp")) throw refuse("EROFS");
      unlink(path);
    };
    await assertRejects(() => changeAll(world.store, root), FdError);
    await assertRejects(() => recoverTransaction(world.store, 1), FdError, "permission_error");
  } finally {
    Object.assign(disk, { fchmod, unlink });
  }
  assertEquals(openTransactions(world.store, Date.now()).map(({ transaction }) => transaction.id), [1]);
  assertEquals((await recoverTransaction(world.store, 1))?.how, "rolled back");
  assertEquals(see(root), SEEN_BEFORE);
  assertEquals(openTransactions(world.store, Date.now()), []);
  rmSync(root, { recursive: true });
});

Deno.test("a step that fails on a read-only disk is closed and needs no recovery", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  lay(root, BEFORE);
  const { open, unlink } = disk;
  const refuse = () => Object.assign(new Error("EROFS"), { code: "EROFS" });
  try {
    disk.open = ((path: string, ...rest: [number]) => {
      if (path.endsWith(".tmp")) throw refuse();
      return open(path, ...rest);
    }) as typeof open;
    disk.unlink = (path) => {
      if (String(path).endsWith(".tmp")) throw refuse();
      unlink(path);
    };
    await assertRejects(() => changeAll(world.store, root), FdError);
  } finally {
    Object.assign(disk, { open, unlink });
  }
  assertEquals(openTransactions(world.store, Date.now()), []);
  assertEquals(see(root), SEEN_BEFORE);
  rmSync(root, { recursive: true });
});

Deno.test("whichever disk call fails, all files are as before or all as after, and no temporary file remains", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  // One of each kind is enough here: every call is tried with every fault.
  const names = ["a", "new/deep/c", "e"];
  const only = (tree: Tree) =>
    Object.fromEntries(Object.entries(tree).filter(([name]) => !/^[bd]$/.test(name)));
  let before = 0;
  const tried = await failEachCall({
    prepare: () => {
      lay(root, only(BEFORE));
      before = highestLogId(world.store, "tx");
    },
    action: () => changeAll(world.store, root, names),
    afterwards: async ({ hit, thrown }) => {
      const where = JSON.stringify(hit);
      assert(
        thrown === undefined || thrown instanceof FdError || thrown instanceof WriteError,
        `${where} ${thrown}`,
      );
      // If rolling back fails too, the transaction stays open, and recover ends it.
      for (const { transaction } of openTransactions(world.store, Date.now())) {
        await recoverTransaction(world.store, transaction.id);
      }
      const seen = see(root);
      const litter = Object.keys(seen).filter((name) => name.includes(".fdtool-"));
      // The one call that fails may be the one that removes a temporary file.
      if (hit.member === "unlink") litter.forEach((name) => delete seen[name]);
      assertEquals(seen, seen["a"] === "A\n" ? only(SEEN_AFTER) : only(SEEN_BEFORE), where);
      // A caller that sees a failure may retry, so nothing may have been done.
      assertEquals(seen, only(thrown === undefined ? SEEN_AFTER : SEEN_BEFORE), where);
      assert(highestLogId(world.store, "tx") >= before);
    },
  });
  assert(tried > 300, String(tried));
  rmSync(root, { recursive: true });
});

Deno.test("wherever the process dies, even again in recover, recover leaves all files as before or all as after", async () => {
  using world = temporaryStore();
  const { store } = world;
  const root = `${store.path}-files`;
  const outcomes = new Set<string>();
  for (let callNumber = 1;; callNumber++) {
    lay(root, BEFORE);
    if (!await dieAtCall(callNumber, () => changeAll(store, root))) break;
    rmSync(join(store.path, "v2", "locks"), { recursive: true, force: true });
    // Recover dies too, at a place that depends on the first.
    await dieAtCall(1 + callNumber % 41, () => recoverOpen(store));
    rmSync(join(store.path, "v2", "locks"), { recursive: true, force: true });
    await recoverOpen(store);
    const seen = see(root);
    const which = seen.a === "A\n" ? "after" : "before";
    outcomes.add(which);
    assertEquals(seen, which === "after" ? SEEN_AFTER : SEEN_BEFORE, `died at call ${callNumber}`);
    assertEquals(openTransactions(store, Date.now()), []);
  }
  assertEquals([...outcomes].sort(), ["after", "before"]);
  rmSync(root, { recursive: true });
});

async function recoverOpen(store: Store): Promise<void> {
  for (const { transaction } of openTransactions(store, Date.now())) {
    await recoverTransaction(store, transaction.id);
  }
}

Deno.test("a file that another process changed after its inspection is not overwritten, and the others are restored", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  for (const how of ["same size", "gone", "appeared"]) {
    lay(root, { a: "old a\n", b: "old b\n" });
    const place = { cwd: root, root: undefined };
    const text = (content: string) => ({ chunks: () => [new TextEncoder().encode(content)] });
    const changes: Change[] = [
      { target: await inspected("a", place), content: text("A\n") },
      { target: await inspected(how === "appeared" ? "c" : "b", place), content: text("B\n") },
    ];
    if (how === "same size") writeFileSync(join(root, "b"), "OLD B\n");
    if (how === "gone") rmSync(join(root, "b"));
    if (how === "appeared") writeFileSync(join(root, "c"), "theirs\n");
    const thrown = await assertRejects(() => commitChanges(world.store, changes, STEP));
    assert(thrown instanceof WriteError || thrown instanceof FdError);
    const kinds: Record<string, string> = {
      "same size": "stale_file",
      gone: "file_not_found",
      appeared: "file_exists",
    };
    assertEquals(thrown.failure.kind, kinds[how]);
    const wanted: Record<string, Tree> = {
      "same size": { a: "old a\n", b: "OLD B\n" },
      gone: { a: "old a\n" },
      appeared: { a: "old a\n", b: "old b\n", c: "theirs\n" },
    };
    assertEquals(see(root), wanted[how]!, how);
  }
  rmSync(root, { recursive: true });
});

Deno.test("a failed write leaves a file alone that another process just created with the same content", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  lay(root, {});
  const content = { chunks: () => [new TextEncoder().encode("same\n")] };
  const target = await inspected("new", { cwd: root, root: undefined });
  writeFileSync(join(root, "new"), "same\n");
  await assertRejects(() => commitChanges(world.store, [{ target, content }], STEP), FdError);
  assertEquals(see(root), { new: "same\n" });
  const { outcome } = readTransaction(world.store, 1)!;
  assertEquals(outcome?.event === "rolled_back" ? outcome.left : undefined, [join(root, "new")]);
  rmSync(root, { recursive: true });
});

Deno.test("recover leaves a file alone that another process changed, and rolls back unless all were in place before", async () => {
  using world = temporaryStore();
  const { store } = world;
  const root = `${store.path}-files`;
  let mixed = 0;
  let wasPlaced = 0;
  for (let callNumber = 60;; callNumber++) {
    lay(root, BEFORE);
    if (!await dieAtCall(callNumber, () => changeAll(store, root))) break;
    rmSync(join(store.path, "v2", "locks"), { recursive: true, force: true });
    const open = openTransactions(store, Date.now())[0];
    if (open?.transaction.after === undefined) {
      await recoverOpen(store);
      continue;
    }
    const isPlaced = open.transaction.begin.files.every(({ temporary }) => !existsSync(temporary)) &&
      !existsSync(join(root, "d"));
    writeFileSync(join(root, "b"), "theirs\n");
    const recovery = await recoverTransaction(store, open.transaction.id);
    assertEquals([recovery?.how, recovery?.left], [isPlaced ? "finished" : "rolled back", [join(root, "b")]]);
    const seen = { ...(isPlaced ? SEEN_AFTER : SEEN_BEFORE), b: "theirs\n" };
    assertEquals(see(root), seen, `died at call ${callNumber}`);
    isPlaced ? wasPlaced++ : mixed++;
  }
  assert(mixed > 3, String(mixed));
  assert(wasPlaced > 3, String(wasPlaced));
  rmSync(root, { recursive: true });
});

Deno.test("recover keeps a .bak that another process made after the plan was killed", async () => {
  using world = temporaryStore();
  const { store } = world;
  const root = `${store.path}-files`;
  const copy = join(root, "a.bak");
  let theirs = 0;
  let ours = 0;
  for (let callNumber = 1;; callNumber++) {
    lay(root, { a: "old a\n" });
    if (!await dieAtCall(callNumber, () => changeAll(store, root, ["a"]))) break;
    rmSync(join(store.path, "v2", "locks"), { recursive: true, force: true });
    const [open] = openTransactions(store, Date.now());
    const isTheirs = !existsSync(copy);
    // As `cp -p a a.bak` leaves it: the same content and time.
    if (isTheirs) {
      const { atime, mtime } = statSync(join(root, "a"));
      writeFileSync(copy, "old a\n");
      utimesSync(copy, atime, mtime);
    }
    await dieAtCall(1 + callNumber % 23, () => recoverOpen(store));
    rmSync(join(store.path, "v2", "locks"), { recursive: true, force: true });
    await recoverOpen(store);
    const seen = see(root);
    const isDone = seen["a"] === "A\n";
    const wanted = { a: isDone ? "A\n" : "old a\n", ...(isTheirs || isDone ? { "a.bak": "old a\n" } : {}) };
    assertEquals(seen, wanted, `died at call ${callNumber}`);
    if (open !== undefined && isTheirs && open.transaction.copies.length > 0) theirs++;
    if (open !== undefined && !isTheirs && open.transaction.after === undefined) ours++;
  }
  assert(theirs > 0 && ours > 0, `${theirs} of theirs, ${ours} of ours`);
  rmSync(root, { recursive: true });
});

Deno.test("a name that is too long for its directory fails and leaves nothing behind", async () => {
  using world = temporaryStore();
  const { store } = world;
  const root = `${store.path}-files`;
  lay(root, {});
  const target = await inspected("new/f", { cwd: root, root: undefined });
  const realPath = join(dirname(target.realPath), "x".repeat(256));
  const changes: Change[] = [
    { target: { ...target, realPath }, content: { chunks: () => [new TextEncoder().encode("1\n")] } },
  ];
  await assertRejects(() => commitChanges(store, changes, STEP), FdError);
  await recoverOpen(store);
  assertEquals([openTransactions(store, Date.now()), see(root)], [[], {}]);
  rmSync(root, { recursive: true });
});

Deno.test("a write keeps permission bits, and its .bak never overwrites another", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  lay(root, { a: "1\n", "a.bak": "mine\n", "a.bak.1": "mine too\n" });
  chmodSync(join(root, "a"), 0o750);
  const place = { cwd: root, root: undefined };
  const content = { chunks: () => [new TextEncoder().encode("2\n")] };
  const { files } = await commitChanges(
    world.store,
    [{ target: await inspected("a", place), content, copyBeside: true }],
    STEP,
  );
  assertEquals(see(root), { a: "2\n", "a.bak": "mine\n", "a.bak.1": "mine too\n", "a.bak.2": "1\n" });
  assertEquals(files[0]?.copyPath, join(root, "a.bak.2"));
  assertEquals(statSync(join(root, "a")).mode & 0o777, 0o750);
  assert(!existsSync(join(root, "a.bak.3")));
  rmSync(root, { recursive: true });
});

Deno.test("a .bak does not take the name of a file that the same step creates", async () => {
  using world = temporaryStore();
  const root = `${world.store.path}-files`;
  lay(root, { a: "1\n" });
  const place = { cwd: root, root: undefined };
  const content = (text: string) => ({ chunks: () => [new TextEncoder().encode(text)] });
  await commitChanges(world.store, [
    { target: await inspected("a", place), content: content("2\n"), copyBeside: true },
    { target: await inspected("a.bak", place), content: content("made\n") },
  ], STEP);
  assertEquals(see(root), { a: "2\n", "a.bak": "made\n", "a.bak.1": "1\n" });
  rmSync(root, { recursive: true });
});
