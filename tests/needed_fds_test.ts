/**
 * Ways back stay (contract, law 5 and The store): `rm` and `gc` leave alone what a step of the journal needs to be
 * undone, or an open question to be answered.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertFailure, jsonOf, readJson } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

async function edited(world: World, name: string): Promise<{ tx: string; fd: string }> {
  world.write(name, "old\n");
  const edit = await world.run(["edit", name, "--old", "old", "--new", "new", "--format", "json"]);
  const { tx, backup_fd } = jsonOf(edit);
  return { tx: String(tx), fd: String(backup_fd) };
}

Deno.test("rm refuses the backup of a step", async () => {
  using world = makeWorld();
  const { tx, fd } = await edited(world, "a.txt");
  const refused = assertFailure(await world.run(["rm", fd, "--format", "json"]), "permission_error");
  assertStringIncludes(refused.message, tx);
  assertEquals([refused.fields["fd"], refused.fields["needed_by"]], [fd, tx]);
  assertEquals(refused.next, `fdtool log ${tx}`);

  const other = jsonOf(await world.run(["capture", "--always", "--format", "json"], { stdin: "x\n" }));
  const both = await world.run(["rm", fd, String(other["fd"]), "--format", "json"]);
  assertEquals(both.code, 1);
  assertEquals(readJson(both.text)["kept"], [{ fd, error: "permission_error", needed_by: tx }]);
  assertEquals((await world.run(["undo"])).code, 0);
  assertEquals(world.text("a.txt"), "old\n");
});

Deno.test("rm --force removes the backup of a step, and undo says why it cannot be undone", async () => {
  using world = makeWorld();
  const { tx, fd } = await edited(world, "a.txt");
  assertEquals((await world.run(["rm", fd, "--force"])).code, 0);
  assertFailure(await world.run(["undo", tx, "--format", "json"]), "removed");
});

Deno.test("rm refuses the plan of a step, and the request of an open question", async () => {
  using world = makeWorld();
  world.write("a.txt", "old\n");
  const operations = [{ type: "append", content_block: "more\n" }];
  const stdin = JSON.stringify({ intent: "more", target_file: "a.txt", operations });
  await world.run(["plan", "apply"], { stdin });
  const shown = jsonOf(await world.run(["plan", "show", "tx:1", "--format", "json"]));
  assertFailure(await world.run(["rm", String(shown["plan_fd"]), "--format", "json"]), "permission_error");

  world.write("b.txt", "same\nsame\n".repeat(10));
  const marked = JSON.stringify({
    intent: "ask",
    target_file: "b.txt",
    operations: [{ type: "insert", location_marker: "same", content_block: "x\n" }],
  });
  const asked = await world.run(["plan", "apply", "--format", "json"], { stdin: marked });
  assertEquals(asked.code, 3, asked.stderr);
  const { fds } = readJson((await world.run(["ls", "--format", "json"])).text) as {
    fds: { fd: string; source: string }[];
  };
  const request = fds.find(({ source }) => source === "inquiry");
  assert(request !== undefined, "the request is kept as an fd");
  const refused = assertFailure(await world.run(["rm", request.fd, "--format", "json"]), "permission_error");
  assertEquals(refused.fields["needed_by"], "inq:1");
  assertEquals((await world.run(["cancel", "inq:1"])).code, 0);
  assertEquals((await world.run(["rm", request.fd])).code, 0, "a closed question needs nothing");
});

Deno.test("gc preserves the request of an open question, regardless of the quota", async () => {
  using world = makeWorld();
  world.write("b.txt", "same\nsame\n".repeat(10));
  const stdin = JSON.stringify({
    intent: "ask",
    target_file: "b.txt",
    operations: [{ type: "insert", location_marker: "same", content_block: "x\n" }],
  });
  assertEquals((await world.run(["plan", "apply"], { stdin })).code, 3);
  await world.run(["capture", "--always"], { stdin: "y".repeat(5000) });
  const cleaned = jsonOf(await world.run(["gc", "--format", "json"], { env: { FDTOOL_QUOTA: "10" } }));
  assertEquals(cleaned["removed_count"], 1);
  const answered = await world.run(["answer", "inq:1"], { stdin: '"2"' });
  assert(!answered.stderr.includes("removed"), answered.stderr);
});

Deno.test("rm refuses the backup that an interrupted write needs", async () => {
  using world = makeWorld();
  const { fd } = await edited(world, "a.txt");
  const log = `${world.store}/v2/journal/0000/1.rec`;
  const lines = Deno.readTextFileSync(log).split("\n");
  Deno.writeTextFileSync(log, `${lines.slice(0, -2).join("\n")}\n`);
  Deno.writeTextFileSync(`${world.store}/v2/journal/open/1`, "");
  const open = assertFailure(await world.run(["rm", fd, "--force", "--format", "json"]), "permission_error");
  assertEquals(open.next, "fdtool recover");
});
