/**
 * `recover` and the steps that wait for it (contract, law 5, law 7 and Writing files): each interrupted step is ended
 * separately, and its report is bounded for any number of files.
 */

import { assert, assertEquals } from "@std/assert";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { blockSumText } from "../fd/bytes/block_sum.ts";
import type { Store } from "../fd/mod.ts";
import { commitChanges } from "../src/writing/commit/commit_changes.ts";
import { inspectTarget } from "../src/writing/commit/inspect_target.ts";
import { resolveTarget } from "../src/writing/commit/target_path.ts";
import { openTransactions, recoverTransactions } from "../src/writing/history/recover_transactions.ts";
import { dieAtCall } from "./dying_disk.ts";
import { interrupt } from "./interrupted_write.ts";
import { jsonOf, readJson } from "./read_answer.ts";
import { temporaryStore } from "./temporary_store.ts";
import { makeWorld, type World } from "./world.ts";

async function edit(world: World, name: string): Promise<void> {
  world.write(name, "old\n");
  jsonOf(await world.run(["edit", name, "--old", "old", "--new", "new", "--format", "json"]));
}

Deno.test("recover ends the later steps if one cannot be ended", async () => {
  using world = makeWorld();
  for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) await edit(world, name);
  for (const id of [1, 2, 3, 4]) interrupt(world, id);
  Deno.removeSync(world.path("a.txt"));
  Deno.mkdirSync(world.path("a.txt"));
  Deno.removeSync(world.path("c.txt"));
  Deno.mkdirSync(world.path("c.txt"));
  const recovered = await world.run(["recover", "--format", "json"]);
  assertEquals(recovered.code, 1);
  const report = readJson(recovered.text) as { recovered: { tx: string }[]; failed: { tx: string }[] };
  assertEquals(report.recovered.map(({ tx }) => tx), ["tx:2", "tx:4"]);
  assertEquals(report.failed.map(({ tx }) => tx), ["tx:1", "tx:3"]);
  const reported = recovered.stderr.trim().split("\n").map((line) => readJson(`${line}\n`));
  assertEquals(reported.map(({ error, path }) => [error, path]), [
    ["write_error", world.path("a.txt")],
    ["write_error", world.path("c.txt")],
  ]);
  const { steps } = readJson((await world.run(["log", "--format", "json"])).text) as {
    steps: { state: string }[];
  };
  assertEquals(steps.map(({ state }) => state), ["interrupted", "recovered", "interrupted", "recovered"]);
});

Deno.test("recover ends the steps inside the root if another is outside", async () => {
  using world = makeWorld();
  await edit(world, "outside.txt");
  await edit(world, "in/side.txt");
  for (const id of [1, 2]) interrupt(world, id);
  const recovered = await world.run(["recover", "--format", "json", "--root", "in"]);
  assertEquals([recovered.code, readJson(recovered.stderr)["error"]], [1, "outside_root"]);
  const report = readJson(recovered.text) as { recovered: { tx: string }[] };
  assertEquals(report.recovered.map(({ tx }) => tx), ["tx:2"]);
  assertEquals((await world.run(["recover"])).code, 0);
});

Deno.test("the notice of several steps names the log of each, and raw says what to do", async () => {
  using world = makeWorld();
  const apply = async (names: readonly string[]) => {
    const plans = names.map((name) => ({
      target_file: name,
      operations: [{ type: "create", content_block: "x\n" }],
    }));
    const stdin = JSON.stringify({ intent: "make", plans });
    assertEquals((await world.run(["plan", "apply"], { stdin })).code, 0);
  };
  await edit(world, "one.txt");
  await apply(["a", "b", "c", "d"]);
  await apply(["e", "f", "g", "h", "i"]);
  await edit(world, "two.txt");
  for (const id of [1, 2, 3]) interrupt(world, id);
  const reported = "files may have the old or the new content until it is recovered. " +
    "fdtool log tx:2 --all lists all files of tx:2. fdtool log tx:3 --all lists all files of tx:3. Next: fdtool recover\n";
  const { stderr } = await world.run(["log", "--format", "raw"]);
  assertEquals(stderr.slice(-reported.length), reported);

  interrupt(world, 4);
  const four = await world.run(["log", "--format", "raw"]);
  const all = "until it is recovered. fdtool log --all lists all steps. Next: fdtool recover\n";
  assertEquals(four.stderr.slice(-all.length), all);
});

/** Makes the writer of step `id` a dead process. */
function orphan(store: Store, id: number): void {
  const path = `${store.path}/v2/journal/0000/${id}.rec`;
  const [line = "", ...others] = Deno.readTextFileSync(path).split("\n");
  const begin = JSON.parse(line.slice(9));
  begin.writer = { ...begin.writer, pid: 2 ** 22 + 1 };
  const json = JSON.stringify(begin);
  const sum = blockSumText(new TextEncoder().encode(json));
  Deno.writeTextFileSync(path, [`${sum} ${json}`, ...others].join("\n"));
}

Deno.test("recover removes directories of a killed step, even if a later one died in them", async () => {
  using world = temporaryStore();
  const { store } = world;
  const root = `${store.path}-files`;
  const step = { tool: "test", cwd: root, root: undefined };
  const place = { cwd: root, root: undefined };
  const make = async (name: string) => {
    const content = { chunks: () => [new TextEncoder().encode("new\n")] };
    const path = `new/deep/${name}`;
    const target = await inspectTarget(path, resolveTarget(path, place), place);
    await commitChanges(store, [{ target, content }], step);
  };
  let both = 0;
  for (let callNumber = 1;; callNumber++) {
    Deno.mkdirSync(root);
    if (!await dieAtCall(callNumber, () => make("one"))) break;
    const first = openTransactions(store, Date.now());
    await dieAtCall(callNumber, () => make("two"));
    rmSync(join(store.path, "v2", "locks"), { recursive: true, force: true });
    const open = openTransactions(store, Date.now());
    if (first.length === 1 && open.length === 2) both++;
    for (const { transaction } of open) orphan(store, transaction.id);
    const { failed } = await recoverTransactions(store, place, Date.now());
    assertEquals(failed, []);
    const made = ["one", "two"].filter((name) => existsSync(join(root, "new/deep", name)));
    assertEquals(existsSync(join(root, "new")), made.length > 0, `died at call ${callNumber}`);
    rmSync(root, { recursive: true });
  }
  assert(both > 5, String(both));
  rmSync(root, { recursive: true });
});
