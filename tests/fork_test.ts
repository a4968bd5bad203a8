/**
 * `fork`: a command gets a store of its own with all fds under the same ids (contract, Agents). Whatever either side does
 * afterwards, the other never sees it; nothing is lost with either; ids go on in both and mean one thing in each.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import fc from "fast-check";
import { jsonOf } from "./read_answer.ts";
import { assertBytes, listOf, store, wholeOf } from "./store_calls.ts";
import { type Finished, killAt, makeWorld, randomMoment, runsOf, type World } from "./world.ts";

const LONG = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join("");

/** Every file of a store but those of its forks: path, link count left out, and content. */
function filesOf(store: string): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (directory: string, under: string): void => {
    for (const entry of Deno.readDirSync(directory)) {
      const name = join(under, entry.name);
      if (entry.isDirectory) {
        if (name !== "v2/forks" && name !== "v2/tmp") walk(join(directory, entry.name), name);
      } else {files.set(
          name,
          new TextDecoder("latin1").decode(Deno.readFileSync(join(directory, entry.name))),
        );}
    }
  };
  walk(store, "");
  return files;
}

function assertDone(finished: Finished): Finished {
  assertEquals([finished.code, finished.stderr], [0, ""]);
  return finished;
}

const inStore = (store: string) => ({ env: { FDTOOL_STORE: store } });

/** A world with fd:1 (long, named), fd:2 (short), fd:3 (removed), fd:4 (empty); and a fork of it in `twin`. */
async function forkedWorld(): Promise<{ world: World; twin: string }> {
  const world = makeWorld();
  await store(world, LONG);
  await store(world, "short\n");
  await store(world, "removed\n");
  await store(world, "");
  assertDone(await world.run(["name", "fd:1", "long"]));
  assertDone(await world.run(["rm", "fd:3"]));
  const twin = world.path("twin");
  assertDone(await world.run(["fork", "--keep", twin]));
  return { world, twin };
}

Deno.test("fork: the command has all fds, names and tombstones under the same ids, and its own exit code", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  const ran = await world.shell(
    `fdtool fork -- sh -c 'cat; fdtool read ref:long --lines 19999-20000 --format raw; ` +
      `fdtool read fd:4 --all --format raw; fdtool read fd:3 --format json; echo "$FDTOOL_STORE" >&2; exit 7' ` +
      `< /etc/hostname`,
  );
  assertEquals(ran.code, 7);
  assertEquals(ran.text, Deno.readTextFileSync("/etc/hostname") + "line 19998\nline 19999\n");
  assertStringIncludes(ran.stderr, '"error":"removed"');
  const path = ran.stderr.trimEnd().split("\n").at(-1)!;
  assert(path.startsWith(join(world.store, "v2/forks/")), path);
  assertEquals([...Deno.readDirSync(join(world.store, "v2/forks"))], [], "and its store went with it");
});

Deno.test("fork: exit codes of a signal, a missing command, and one that cannot be executed", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  world.write("plain", "no program");
  const code = async (line: string) => (await world.shell(line)).code;
  assertEquals(await code("fdtool fork -- sh -c 'kill -TERM $$'"), 143);
  assertEquals(await code("fdtool fork -- no-such-program"), 127);
  assertEquals(await code("fdtool fork -- ./plain"), 126);
  assertEquals(await code("fdtool fork --keep /proc/nowhere -- true"), 125);
  assertEquals(await code("fdtool fork"), 2);
  assertEquals([...Deno.readDirSync(join(world.store, "v2/forks"))], []);
});

Deno.test("fork, spawn: a kept store is created inside the root only, even through links and ..", async () => {
  using world = makeWorld();
  const outside = join(world.dir, "..", "outside");
  Deno.mkdirSync(outside);
  Deno.mkdirSync(world.path("root"));
  Deno.symlinkSync(outside, world.path("root/link"));
  for (const verb of ["fork", "spawn"]) {
    for (const keep of [outside, "root/../kept", "root/link", "root/link/new", ""]) {
      for (const rest of [[], ["--", "touch", "started"]]) {
        const refused = await world.run([verb, "--root", "root", "--keep", keep, ...rest]);
        assertEquals(refused.code, rest.length === 0 ? keep === "" ? 2 : 1 : 125, refused.stderr);
        const type = keep === "" ? "invalid_parameter" : "outside_root";
        assertStringIncludes(refused.stderr, `type="${type}"`);
      }
    }
    assertDone(await world.run([verb, "--root", "root", "--keep", `root/${verb}`, "--", "true"]));
  }
  assertEquals([...Deno.readDirSync(outside)], []);
  assertEquals([...Deno.readDirSync(world.dir)].map(({ name }) => name), ["root"]);
});

/** Commands that change a store in every possible way. */
const CHANGES = [
  ["rm", "fd:1"],
  ["rm", "ref:long", "fd:2", "fd:4"],
  ["name", "fd:2", "long"],
  ["name", "fd:1", "other"],
  ["stat", "fd:1"],
  ["stat", "fd:2"],
  ["verify"],
  ["read", "fd:1", "--lines", "5-9", "--extract", "--name", "cut"],
  ["ls"],
] as const;

Deno.test("fork: no action of either side changes a byte of the other", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...CHANGES), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom(undefined, "v2/fds/0000/1.idx"),
      async (changes, inChild, lost) => {
        const { world, twin } = await forkedWorld();
        using _ = world;
        const [changed, other] = inChild ? [twin, world.store] : [world.store, twin];
        const before = filesOf(other);
        // A lost index is rebuilt, and must not be written into the other store's file.
        if (lost !== undefined) Deno.removeSync(join(changed, lost));
        for (const change of changes) await world.run([...change], inStore(changed));
        await world.run(["gc"], { env: { FDTOOL_STORE: changed, FDTOOL_QUOTA: "1" } });
        assertEquals(filesOf(other), before);
        Deno.removeSync(changed, { recursive: true });
        assertDone(await world.run(["verify"], inStore(other)));
        const whole = await world.run(["read", "ref:long", "--all", "--format", "raw"], inStore(other));
        assertEquals(whole.text, LONG);
      },
    ),
    { numRuns: runsOf(4) },
  );
});

Deno.test("fork: repairing a damaged index on one side does not change the other", async () => {
  const { world, twin } = await forkedWorld();
  using _ = world;
  // Both name one file, so both have the damage; each is repaired separately.
  const path = join(world.store, "v2/fds/0000/1.idx");
  const bytes = Deno.readFileSync(path);
  bytes[100]! ^= 1;
  Deno.writeFileSync(path, bytes);
  const damaged = filesOf(world.store);
  const verified = jsonOf(await world.run(["verify", "--format", "json"], inStore(twin)));
  assertEquals([verified["repaired"], verified["damaged"]], [1, 0]);
  assertEquals(filesOf(world.store), damaged);
  assertEquals((await world.run(["read", "fd:1", "--all", "--format", "raw"])).text, LONG);
});

Deno.test("fork: ids continue on both sides, are never reused, and mean one thing in each", async () => {
  const { world, twin } = await forkedWorld();
  using _ = world;
  const capture = async (where: string, stdin: string) =>
    String(
      jsonOf(
        await world.run(["capture", "--always", "--format", "json"], { stdin, ...inStore(where) }),
      )["fd"],
    );
  assertEquals(await capture(twin, "child\n"), "fd:5");
  assertEquals(await capture(world.store, "parent\n"), "fd:5");
  assertEquals(await capture(world.store, "parent 6\n"), "fd:6");
  for (const hint of ["next", "floor"]) {
    try {
      Deno.removeSync(join(twin, "v2", hint));
    } catch (thrown) {
      assert(thrown instanceof Deno.errors.NotFound);
    }
  }
  assertEquals(await capture(twin, "child 6\n"), "fd:6", "a lost hint frees no id");
  const read = async (where: string) =>
    (await world.run(["read", "fd:5", "--all", "--format", "raw"], inStore(where))).text;
  assertEquals([await read(twin), await read(world.store)], ["child\n", "parent\n"]);
});

Deno.test("fork: the child has no writes and questions of the parent, and does not reuse their numbers", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  world.write("a.txt", "old\n");
  const edit = (text: string) => ({ stdin: JSON.stringify({ old_string: "old", new_string: text }) });
  assertDone(await world.run(["edit", "a.txt"], edit("new")));
  world.write("b.txt", "old\n");
  const twin = world.path("twin2");
  assertDone(await world.run(["fork", "--keep", twin]));
  const undone = await world.run(["undo", "tx:1", "--format", "json"], inStore(twin));
  assertEquals(undone.code, 1);
  assertEquals(world.text("a.txt"), "new\n");
  const edited = jsonOf(
    await world.run(["edit", "b.txt", "--format", "json"], { ...edit("b"), ...inStore(twin) }),
  );
  assertEquals(edited["tx"], "tx:2");
});

Deno.test("fork of a fork: three independent stores", async () => {
  const { world, twin } = await forkedWorld();
  using _ = world;
  const grandchild = world.path("grandchild");
  assertDone(await world.run(["fork", "--keep", grandchild], inStore(twin)));
  Deno.removeSync(twin, { recursive: true });
  assertDone(await world.run(["rm", "fd:1", "fd:2"]));
  assertDone(await world.run(["verify"], inStore(grandchild)));
  assertEquals(
    (await world.run(["read", "fd:1", "--all", "--format", "raw"], inStore(grandchild))).text,
    LONG,
  );
  const nested = await world.shell(
    "fdtool fork -- fdtool fork -- fdtool fork -- fdtool read fd:2 --format raw",
    {
      ...inStore(grandchild),
    },
  );
  assertEquals([nested.code, nested.text], [0, "short\n"]);
});

Deno.test("fork: a live fd becomes an incomplete snapshot, which never grows", async () => {
  using world = makeWorld();
  const { child, finished } = world.start(["capture", "--always"]);
  const writer = child.stdin.getWriter();
  const encoder = new TextEncoder();
  await writer.write(encoder.encode("first\n"));
  const live = () => world.run(["read", "fd:1", "--all", "--format", "raw"]);
  while ((await live()).text !== "first\n");
  const twin = world.path("twin");
  const forked = jsonOf(await world.run(["fork", "--keep", twin, "--format", "json"]));
  assertEquals(forked["snapshots"], [{ fd: "fd:1" }]);
  await writer.write(encoder.encode("second\n"));
  await writer.close();
  assertEquals((await finished).code, 0);
  const there = jsonOf(await world.run(["stat", "fd:1", "--format", "json"], inStore(twin)));
  assertEquals([there["state"], there["bytes"]], ["incomplete", 6]);
  assertDone(await world.run(["verify"], inStore(twin)));
  assertEquals((await live()).text, "first\nsecond\n");
  const aside = await world.shell("fdtool fork -- true");
  assertEquals([aside.code, aside.stderr], [0, ""], "what has ended needs no word");
});

Deno.test("fork: the command's fds are deleted with its store, and stderr says so; with --keep they stay", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  const gone = await world.shell("fdtool fork -- sh -c 'echo mine | fdtool capture --always >/dev/null'");
  assertEquals(gone.code, 0);
  assertStringIncludes(gone.stderr, "--keep DIR");
  const kept = await world.shell(
    "fdtool fork --keep here -- sh -c 'echo mine | fdtool capture --always >/dev/null'",
  );
  assertEquals([kept.code, kept.stderr], [0, ""]);
  const own = await world.run(["read", "fd:5", "--all", "--format", "raw"], inStore(world.path("here")));
  assertEquals(own.text, "mine\n");
  const again = await world.run(["fork", "--keep", "here", "--format", "json", "--", "true"]);
  assertEquals(again.code, 125);
  assertStringIncludes(again.stderr, '"error":"file_exists"');
});

Deno.test("fork: a big fd takes no space: both stores share one file", async () => {
  using world = makeWorld();
  // Sharing does not look into content, so a file that is mostly hole will do for a big one.
  await store(world, "more than a block has\n".repeat(2000));
  const content = join(world.store, "v2/fds/0000/1.dat");
  Deno.truncateSync(content, 2 ** 30);
  const twin = world.path("twin");
  const forked = jsonOf(await world.run(["fork", "--keep", twin, "--format", "json"]));
  assertEquals(forked["copied_bytes"], 0);
  const shared = Deno.statSync(join(twin, "v2/fds/0000/1.dat"));
  assertEquals([shared.ino, shared.nlink], [Deno.statSync(content).ino, 2], "one file, two names");
});

/** A writable directory on another file system than the worlds', if the system has one. */
function elsewhere(world: World): string | undefined {
  for (const dir of ["/dev/shm", "/var/tmp"]) {
    try {
      const directory = Deno.makeTempDirSync({ dir, prefix: "fdtool-test-" });
      if (Deno.statSync(directory).dev !== Deno.statSync(world.dir).dev) return directory;
      Deno.removeSync(directory);
    } catch (thrown) {
      assert(thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.PermissionDenied);
    }
  }
  return undefined;
}

Deno.test("fork: on another file system content is copied, holes stay holes, and the answer says so", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  const directory = elsewhere(world);
  if (directory === undefined) return;
  try {
    const zeros = new Uint8Array(8 * 2 ** 20);
    zeros[zeros.length - 1] = 1;
    assertDone(
      await world.run(["capture", "--always", "--preview", "none", "--name", "zeros"], { stdin: zeros }),
    );
    const twin = join(directory, "twin");
    const ran = await world.run(["fork", "--keep", twin, "--format", "json", "--", "true"]);
    assertEquals(ran.code, 0);
    const reported = JSON.parse(ran.stderr);
    assertEquals([reported.copy_reason, reported.copied_bytes > zeros.length], ["EXDEV", true]);
    assertDone(await world.run(["verify"], inStore(twin)));
    const copied = await world.run(["read", "ref:zeros", "--all", "--format", "raw"], inStore(twin));
    assertBytes(copied.stdout, zeros);
    assert((Deno.statSync(join(twin, "v2/fds/0000/5.dat")).blocks ?? 0) * 512 < zeros.length);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

const AT_ONCE = 32;

Deno.test(`fork: ${AT_ONCE} at once, while fds come and go, each with a whole store`, async () => {
  const { world } = await forkedWorld();
  using _ = world;
  const forks = Array.from(
    { length: AT_ONCE },
    (_, n) =>
      world.run([
        "fork",
        "--",
        "fdtool",
        ...(n % 4 === 0 ? ["verify"] : ["read", "fd:2", "--format", "raw"]),
      ]),
  );
  const others = Array.from({ length: AT_ONCE / 4 }, async (_, n) => {
    const fd = await store(world, LONG.slice(n));
    assertEquals((await world.run(["rm", fd])).code, 0);
  });
  const [ended] = await Promise.all([Promise.all(forks), Promise.all(others)]);
  for (const [n, ran] of ended.entries()) {
    assertEquals(ran.code, 0, ran.stderr);
    assert(ran.stderr === "" || ran.stderr.includes("Still being written"), ran.stderr);
    if (n % 4 !== 0) assertEquals(ran.text, "short\n");
  }
  assertEquals((await listOf(world)).length, 3);
  assertEquals([...Deno.readDirSync(join(world.store, "v2/forks"))], []);
});

/** Waits until `isSo`, by asking again and again. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (thrown) {
    assert(thrown instanceof Deno.errors.NotFound);
    return "";
  }
}

Deno.test("kill -9 of fork: the command continues with its store, the parent loses nothing, gc cleans up", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  const forks = join(world.store, "v2/forks");
  const { child, finished } = world.start(
    ["fork", "--", "sh", "-c", "echo ready > ready; read line; fdtool read fd:2 --all --format raw > out"],
  );
  await until(async () => await textOf(world.path("ready")) === "ready\n");
  const [home] = [...Deno.readDirSync(forks)];
  // Both owners: fdtool, and the command.
  await until(async () => (await textOf(join(forks, home!.name, "owners"))).split("\n").length === 3);
  child.kill("SIGKILL");
  await child.status;
  assertDone(await world.run(["gc"]));
  assertEquals([...Deno.readDirSync(forks)].length, 1, "the command still runs, so its store stays");
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("go\n"));
  await writer.close();
  // The command holds stdout to its end.
  await finished;
  assertEquals(world.text("out"), "short\n");
  // What it held is closed a moment before it is gone, so gc may have to be asked again.
  await until(async () => {
    assertDone(await world.run(["gc"]));
    return [...Deno.readDirSync(forks)].length === 0;
  });
  assertDone(await world.run(["verify"]));
  assertEquals((await wholeOf(world, "fd:1")).length, LONG.length);
});

Deno.test("fork: a signal to fdtool is forwarded, and the command decides the exit code", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  for (const [line, code] of [["exec sleep 300", 143], ["while :; do sleep 0.01; done", 9]] as const) {
    const ready = world.path(`ready-${code}`);
    const trap = code === 9 ? "trap 'exit 9' TERM; " : "";
    const { child, finished } = world.start([
      "fork",
      "--",
      "sh",
      "-c",
      `${trap}echo ready > ${ready}; ${line}`,
    ], {
      stdin: "",
    });
    await until(async () => await textOf(ready) === "ready\n");
    child.kill("SIGTERM");
    assertEquals((await finished).code, code);
  }
  assertEquals([...Deno.readDirSync(join(world.store, "v2/forks"))], []);
});

Deno.test("kill -9 of fork at any moment: the parent is unchanged, and the fork is whole or litter", async () => {
  const { world } = await forkedWorld();
  using _ = world;
  const before = filesOf(world.store);
  for (let round = 0; round < 12; round++) {
    const twin = world.path(`twin-${round}`);
    const keep = round % 2 === 0 ? ["--keep", twin] : [];
    const started = world.start(["fork", ...keep, "--", "true"], { stdin: "" });
    await killAt(started, randomMoment(60));
    if (round % 2 !== 0 || (await world.shell(`test -d '${twin}/v2'`)).code !== 0) continue;
    assertDone(await world.run(["verify"], inStore(twin)));
    assertEquals(jsonOf(await world.run(["ls", "--format", "json"], inStore(twin)))["total"], 3);
  }
  assertEquals(filesOf(world.store), before);
  assertDone(await world.run(["verify"]));
});
