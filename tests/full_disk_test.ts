/**
 * A full disk (law 5): if the disk fills up during a write, the file is unchanged, no litter stays, and the answer is
 * `storage_full`. Tried on a real file system of 64 KiB, if one can be mounted, and under a limit of file sizes, which
 * every system has.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertFailure } from "./read_answer.ts";
import { assertBytes, store } from "./store_calls.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

/** A file system of that size at `tiny`, for the processes of one line only. */
const MOUNT = "mount -t tmpfs -o size=64k,mode=755 tmpfs tiny";

function whyNoMount(): string | undefined {
  const dir = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${dir}/tiny`);
    const { success, stderr } = new Deno.Command("unshare", {
      args: ["-rm", "/bin/sh", "-c", MOUNT],
      cwd: dir,
    }).outputSync();
    return success ? undefined : new TextDecoder().decode(stderr).trim().split("\n")[0];
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return "there is no unshare";
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

const WHY_NOT = whyNoMount();
const OLD = `first line\n${"old line\n".repeat(1000)}`;
const NEW_LINES = 200_000;
const NEW = "a new line\n".repeat(NEW_LINES);
const ACKNOWLEDGEMENT = "I confirm this is the complete file content with no omissions or placeholders";

/** Lines that write more than the disk holds to `f`, which is there, or to `g`, which is not. `fd:1` is what they write. */
const WRITES: Readonly<Record<string, string>> = {
  rewrite:
    `fdtool rewrite f --from fd:1 --expected-line-count ${NEW_LINES} --acknowledgement '${ACKNOWLEDGEMENT}'`,
  "rewrite of a new file":
    `fdtool rewrite g --create-if-missing --from fd:1 --expected-line-count ${NEW_LINES} --acknowledgement '${ACKNOWLEDGEMENT}'`,
  edit: "fdtool edit f --old 'first line' --new-from fd:1",
  "edit that sets the whole": "fdtool edit f --old '' --new-from fd:1 --yes",
  "create of a new file":
    "fdtool create g >/dev/null; test $? = 3 && fdtool answer inq:1 --content-from fd:1",
  "create over a file":
    "fdtool create f >/dev/null; test $? = 3 && fdtool answer inq:1 --content-from fd:1 --overwrite",
  "to-file": "fdtool to-file fd:1 f",
  "to-file append": "fdtool to-file fd:1 f --mode append",
  "a plan of two files, of which the first fits": `fdtool plan apply <<'END'
{"intent": "x", "plans": [
  {"target_file": "g", "operations": [{"type": "create", "content_block": "small\\n"}]},
  {"target_file": "f", "operations": [{"type": "append", "content_fd": "fd:1"}]}
]}
END`,
};

/** Runs `line` beside `f` where the disk is small; answers what was left. */
async function onSmallDisk(world: World, line: string, how: "tmpfs" | "limit") {
  world.write("before", OLD);
  Deno.mkdirSync(world.path("tiny"));
  const [mount, limit] = how === "tmpfs" ? [`${MOUNT} || exit 99`, ""] : ["", "trap '' XFSZ; ulimit -f 512;"];
  const script = [
    mount,
    "cp before tiny/f",
    `(cd tiny; ${limit} ${line}\n)`,
    "code=$?",
    "ls -A tiny >names",
    "cp tiny/f after",
    "exit $code",
  ].filter((each) => each !== "").join("\n");
  const wrapped = how === "tmpfs" ? `exec unshare -rm /bin/sh -c ${quoteForShell(script)}` : script;
  const finished = await world.shell(wrapped, { env: { FDTOOL_FORMAT: "json" } });
  return { finished, names: world.text("names").trim().split("\n"), after: world.bytes("after") };
}

for (const how of ["limit", "tmpfs"] as const) {
  const whyNot = how === "tmpfs" ? WHY_NOT : undefined;
  for (const [name, line] of Object.entries(WRITES)) {
    Deno.test({
      name: `full disk (${how}${whyNot === undefined ? "" : `, skipped: ${whyNot}`}): ${name}`,
      ignore: whyNot !== undefined,
      async fn() {
        using world = makeWorld();
        assertEquals(await store(world, NEW), "fd:1");
        const { finished, names, after } = await onSmallDisk(world, line, how);
        assertFailure(finished, "storage_full");
        assertBytes(after, new TextEncoder().encode(OLD), "the old file, whole");
        assertEquals(names, ["f"], "no litter");
        const recovered = await world.run(["recover"]);
        assertEquals(recovered.code, 0, recovered.stderr);
        assertStringIncludes(recovered.text, "Nothing", "no transaction is left open");
      },
    });
  }
}

Deno.test({
  name: `full disk: where the backup has no room, the file is not touched${
    WHY_NOT === undefined ? "" : ` (skipped: ${WHY_NOT})`
  }`,
  ignore: WHY_NOT !== undefined,
  async fn() {
    using world = makeWorld();
    const old = "old line\n".repeat(20_000);
    world.write("f", old);
    Deno.mkdirSync(world.path("tiny"));
    const script = `${MOUNT} || exit 99
      FDTOOL_STORE=$PWD/tiny/store fdtool edit f --old '' --new x --yes --format json`;
    const finished = await world.shell(`exec unshare -rm /bin/sh -c ${quoteForShell(script)}`);
    const { next } = assertFailure(finished, "storage_full");
    assertEquals(world.text("f"), old);
    assertEquals(Array.from(Deno.readDirSync(world.dir), ({ name }) => name).sort(), ["f", "tiny"]);
    assertEquals(next, "fdtool doctor", "the store's own disk is full, and cleaning may free nothing");
  },
});

for (const sizeMib of [3, 4, 5]) {
  Deno.test({
    name: `full disk beyond a cap: every byte is handed on or counted as missing, on ${sizeMib} MiB${
      WHY_NOT === undefined ? "" : ` (skipped: ${WHY_NOT})`
    }`,
    ignore: WHY_NOT !== undefined,
    async fn() {
      using world = makeWorld();
      const input = Array.from({ length: 900_000 }, (_, line) => `${line}\n`).join("");
      world.write("input", input);
      Deno.mkdirSync(world.path("tiny"));
      const script = `mount -t tmpfs -o size=${sizeMib}m,mode=755 tmpfs tiny || exit 99
        FDTOOL_STORE=$PWD/tiny/store fdtool capture --max-bytes 2000000 <input >output`;
      const finished = await world.shell(`exec unshare -rm /bin/sh -c ${quoteForShell(script)}`);
      assertStringIncludes(finished.stderr, 'type="storage_full"');
      const output = world.text("output");
      const missing = Number(/without (\d+) bytes/.exec(finished.stderr)?.[1] ?? 0);
      assertEquals(output.length + missing, input.length, finished.stderr);
      assertEquals(finished.code, missing === 0 ? 0 : 1, "it is a failure only where bytes are missing");
      let same = 0;
      while (same < output.length && output[same] === input[same]) same++;
      assert(output.slice(same) === input.slice(same + missing), "what is missing is missing in one place");
    },
  });
}

Deno.test("full disk behind stdout: reported as such, never as the store's", async () => {
  using world = makeWorld();
  world.write("large.txt", NEW);
  const lines = ["capture <large.txt", "capture --tee <large.txt", "capture --threshold 9999999 <large.txt"];
  for (const line of lines) {
    const finished = await world.shell(`exec fdtool ${line} >/dev/full`);
    assertEquals(finished.code, 1, line);
    assertStringIncludes(finished.stderr, "Cannot write standard output", line);
    assert(!finished.stderr.includes("storage_full") && !finished.stderr.includes("fdtool gc"), line);
  }
});

Deno.test({
  name: `full disk: doctor names it as a problem${WHY_NOT === undefined ? "" : ` (skipped: ${WHY_NOT})`}`,
  ignore: WHY_NOT !== undefined,
  async fn() {
    using world = makeWorld();
    const { finished } = await onSmallDisk(world, "fdtool doctor --store new", "tmpfs");
    assertEquals(finished.code, 1);
    assertStringIncludes(finished.text, "the disk of the store has ");
  },
});

Deno.test({
  name: `full disk: what cannot be stored is passed through, and said so${
    WHY_NOT === undefined ? "" : ` (skipped: ${WHY_NOT})`
  }`,
  ignore: WHY_NOT !== undefined,
  async fn() {
    using world = makeWorld();
    Deno.mkdirSync(world.path("tiny"));
    for (const line of ["fdtool run -- seq 1 20000", "seq 1 20000 | fdtool capture"]) {
      const script = `${MOUNT} || exit 99
        head -c 50000 /dev/zero >tiny/others; export FDTOOL_STORE=$PWD/tiny/store
        ${line}; fdtool doctor --format text >doctor`;
      const { text, stderr } = await world.shell(`exec unshare -rm /bin/sh -c ${quoteForShell(script)}`);
      assertEquals(text, Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(""), line);
      assertStringIncludes(stderr, "All of the output was passed through.", line);
      assertStringIncludes(stderr, "<next>fdtool doctor</next>", line);
      const advice = world.text("doctor");
      assertStringIncludes(advice, "free space on that disk", line);
      assert(!advice.includes("fdtool gc") || !advice.includes("(0 B)"), advice);
    }
  },
});
