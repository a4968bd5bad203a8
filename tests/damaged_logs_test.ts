/**
 * Damaged logs of the journal and of questions: `verify` reports all damage, no command undoes another step than the
 * requested one, and only previous contents are restored (docs/limits.md).
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { failureOf, jsonOf, readJson } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

const logOf = (world: World, family: "journal" | "inquiries", id: number) =>
  `${world.store}/v2/${family}/0000/${id}.rec`;

/** Three steps, tx:1 to tx:3, and three questions: inq:1 open, inq:2 answered (which was tx:3), inq:3 cancelled. */
async function writeAll(world: World): Promise<void> {
  for (const name of ["a", "b"]) {
    world.write(name, `old ${name}\n`);
    jsonOf(await world.run(["edit", name, "--old", "old", "--new", "new", "--format", "json"]));
  }
  for (const name of ["c", "d", "e"]) assertEquals((await world.run(["create", name])).code, 3);
  assertEquals((await world.run(["answer", "inq:2"], { stdin: '{"content":"d\\n"}' })).code, 0);
  assertEquals((await world.run(["cancel", "inq:3"])).code, 0);
  assertEquals((await world.run(["verify"])).code, 0);
}

/** The paths that `verify` names as damaged, without the store's own, and its exit code. */
async function damaged(world: World): Promise<[string[], number]> {
  const { code, text } = await world.run(["verify", "--format", "json"]);
  const { finding } = readJson(text) as { finding?: { path: string; problem: string }[] };
  return [(finding ?? []).map(({ path }) => path.slice(`${world.store}/v2/`.length)), code];
}

Deno.test("verify names every damage of a log of the journal or of a question", async () => {
  using world = makeWorld();
  await writeAll(world);
  for (const [family, id] of [["journal", 1], ["journal", 3], ["inquiries", 1], ["inquiries", 3]] as const) {
    const path = logOf(world, family, id);
    const other = logOf(world, family, 2);
    const healthy = Deno.readFileSync(path);
    const at = (byte: number) => `byte ${byte}`;
    const damages: [string, () => void][] = [
      ["emptied", () => Deno.writeFileSync(path, new Uint8Array())],
      ["gone", () => Deno.removeSync(path)],
      ["another's", () => Deno.copyFileSync(other, path)],
      ["an fd's", () => Deno.copyFileSync(`${world.store}/v2/fds/0000/1.rec`, path)],
      ["zeros", () => Deno.writeFileSync(path, new Uint8Array(healthy.length))],
    ];
    for (let byte = 1; byte < healthy.length; byte += 97) {
      damages.push([`cut at ${at(byte)}`, () => Deno.writeFileSync(path, healthy.subarray(0, byte))]);
      damages.push([`flipped at ${at(byte)}`, () => {
        const bytes = healthy.slice();
        bytes[byte]! ^= 4;
        Deno.writeFileSync(path, bytes);
      }]);
    }
    const lines = new TextDecoder().decode(healthy).split(/(?<=\n)/);
    // A question whose last line is gone, whole, is an open one: nothing tells it from the truth.
    for (let kept = 1; family === "journal" && kept < lines.length; kept++) {
      const text = lines.slice(0, kept).join("");
      damages.push([`cut behind line ${kept}`, () => Deno.writeTextFileSync(path, text)]);
    }
    for (const [what, damage] of damages) {
      damage();
      assertEquals(await damaged(world), [[path.slice(`${world.store}/v2/`.length)], 1], `${path} ${what}`);
      Deno.writeFileSync(path, healthy, { mode: 0o600 });
    }
  }
  assertEquals(await damaged(world), [[], 0]);
});

Deno.test("undo is refused if the log of the newest step is lost", async () => {
  for (const how of ["gone", "emptied", "cut"]) {
    using world = makeWorld();
    await writeAll(world);
    const path = logOf(world, "journal", 3);
    if (how === "gone") Deno.removeSync(path);
    if (how === "emptied") Deno.writeTextFileSync(path, "");
    if (how === "cut") Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace(/[^\n]*\n$/, ""));
    const failed = failureOf(await world.run(["undo", "--format", "json"]));
    assertEquals([failed.type, failed.fields.fd], ["store_corrupt", "tx:3"], how);
    assertEquals(world.text("b"), "new b\n", how);
    assertStringIncludes((await world.run(["log"])).text, "The record of tx:3", how);
    // A file that is named is seen to be as the step left it.
    assertEquals((await world.run(["undo", "b"])).code, 0, how);
    assertEquals(world.text("b"), "old b\n", how);
  }
});

Deno.test("undo refuses a damaged backup", async () => {
  using world = makeWorld();
  await writeAll(world);
  await world.run(["capture", "--always"], { stdin: "" });
  const { backups } = (readJson((await world.run(["log", "tx:2", "--format", "json"])).text) as {
    steps: { backups: string[] }[];
  }).steps[0]!;
  const record = (fd: string) => `${world.store}/v2/fds/0000/${fd.slice("fd:".length)}.rec`;
  const { fds } = readJson((await world.run(["ls", "--format", "json"])).text) as { fds: { fd: string }[] };
  Deno.copyFileSync(record(fds.at(-1)!.fd), record(backups[0]!));
  const failed = failureOf(await world.run(["undo", "tx:2", "--format", "json"]));
  assertEquals([failed.type, failed.fields.fd], ["store_corrupt", backups[0]]);
  assertEquals(world.text("b"), "new b\n");
});

Deno.test("a question whose closing line is damaged is not answered twice", async () => {
  using world = makeWorld();
  await writeAll(world);
  const path = logOf(world, "inquiries", 2);
  Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace("answered", "answeree"));
  Deno.removeSync(world.path("d"));
  const failed = failureOf(
    await world.run(["answer", "inq:2", "--format", "json"], { stdin: '{"content":"again\\n"}' }),
  );
  assertEquals([failed.type, failed.fields.fd], ["store_corrupt", "inq:2"]);
  assertEquals(existsSync(world.path("d")), false);
});

Deno.test("recover removes the mark of a step that never began, and reports one whose log is lost", async () => {
  using world = makeWorld();
  await writeAll(world);
  const mark = (id: number) => `${world.store}/v2/journal/open/${id}`;
  const anHourAgo = new Date(Date.now() - 3_600_000);
  for (const id of [4, 5]) {
    Deno.writeTextFileSync(logOf(world, "journal", id), "", { mode: 0o600 });
    Deno.writeTextFileSync(mark(id), "", { mode: 0o600 });
  }
  Deno.utimeSync(mark(4), anHourAgo, anHourAgo);
  assertEquals((await world.run(["recover"])).code, 0);
  assertEquals([existsSync(mark(4)), existsSync(mark(5))], [false, true]);
  assertEquals(await damaged(world), [[], 0]);
  Deno.writeTextFileSync(logOf(world, "journal", 5), "half of a li", { mode: 0o600 });
  assertEquals([(await damaged(world))[1], (await world.run(["recover"])).code], [0, 0]);
  Deno.writeTextFileSync(logOf(world, "journal", 5), "x\n", { mode: 0o600 });
  const recovered = await world.run(["recover", "--format", "json"]);
  const { error, fd } = readJson(recovered.stderr);
  assertEquals([recovered.code, error, fd], [1, "store_corrupt", "tx:5"]);
  assertEquals(existsSync(mark(5)), true);
});

Deno.test("recover names the files that it left if the log lost a line", async () => {
  using world = makeWorld();
  await writeAll(world);
  const path = logOf(world, "journal", 2);
  const [begin = ""] = Deno.readTextFileSync(path).split(/(?<=\n)/);
  Deno.writeTextFileSync(path, begin);
  Deno.writeTextFileSync(`${world.store}/v2/journal/open/2`, "", { mode: 0o600 });
  const report = jsonOf(await world.run(["recover", "--format", "json"]));
  assertEquals((report["recovered"] as { left: string[] }[])[0]?.left, ["b"]);
  assertEquals(world.text("b"), "new b\n");
});

Deno.test("a hint that is too high is not reported as damaged logs", async () => {
  using world = makeWorld();
  await writeAll(world);
  const hint = `${world.store}/v2/journal/next`;
  Deno.writeTextFileSync(hint, "000000000000903");
  assertEquals(await damaged(world), [["journal/0000/4.rec"], 1]);
  const { text } = await world.run(["verify"]);
  assertStringIncludes(text, `the records of tx:4 to tx:902 are missing, or ${hint} is wrong`);
  // The next step finds out.
  assertEquals((await world.run(["edit", "a", "--old", "new", "--new", "newer"])).code, 0);
  assertEquals(await damaged(world), [[], 0]);
});
