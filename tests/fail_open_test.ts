/**
 * Law 6 (the output reaches the caller even when storing fails, and the failure is said) and law 9 (private by
 * default): unwritable stores, disks that fill up, no HOME, any umask.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { openStore } from "../fd/mod.ts";
import { FdError } from "../fd/system.ts";
import { repeatedTo } from "./contents.ts";
import { encode, jsonOf } from "./read_answer.ts";
import { assertBytes, listOf, store, wholeOf } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const BIG = repeatedTo(1_500_000, encode("a line of output 漢字\n"));

/** Stores that no user can create, not even root. */
function unwritableStores(world: World): string[] {
  const file = world.write("a-file", "not a directory");
  return [`${file}/store`, file, "/proc/fdtool-store", "/dev/null/store"];
}

Deno.test("fail open: if the store cannot be created, all bytes are forwarded, and stderr says why", async () => {
  using world = makeWorld();
  for (const unwritable of unwritableStores(world)) {
    for (const content of [encode("small"), BIG]) {
      for (const format of ["xml", "json"]) {
        const args = ["capture", "--store", unwritable, "--format", format];
        const finished = await world.run(args, { stdin: content });
        assertBytes(finished.stdout, content, unwritable);
        if (content === BIG) {
          assertStringIncludes(finished.stderr, "fd_error", `${unwritable}: never silent`);
          assert(!/\n\s+at .*[(:]\d/.test(finished.stderr), finished.stderr);
        } else {
          assertEquals([finished.code, finished.stderr], [0, ""], "pass-through needs no store");
        }
      }
    }
  }
  assertEquals(world.text("a-file"), "not a directory");
});

Deno.test("fail open: a wrapped command's output and exit code are unchanged if the store fails", async () => {
  using world = makeWorld();
  const [unwritable = ""] = unwritableStores(world);
  const script = "seq 1 20000; exit 7";
  const finished = await world.run(["run", "--store", unwritable, "--", "sh", "-c", script]);
  assertEquals(finished.code, 7);
  assertEquals(finished.text, Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join(""));
  assertStringIncludes(finished.stderr, "fd_error");
});

Deno.test("fail open: a disk that fills up half-way loses nothing", async () => {
  using world = makeWorld();
  Deno.writeFileSync(world.path("big"), BIG);
  const limited = (line: string) => world.shell(`trap '' XFSZ; ulimit -f 1024; ${line}`);
  const finished = await limited("cat big | fdtool capture");
  assertStringIncludes(finished.stderr, "fd_error");
  assertStringIncludes(finished.stderr, "storage_full");
  // Every byte reaches the caller: all of them on stdout, in order.
  const at = finished.stdout.length - BIG.length;
  assert(at >= 0, `stdout holds at least what came in: ${finished.stdout.length} of ${BIG.length} bytes`);
  assertBytes(finished.stdout.subarray(0, BIG.length), BIG, "the bytes come first, unchanged");

  for (const entry of await listOf(world)) {
    assertEquals(entry["state"], "incomplete", "what arrived is marked as what it is");
    const held = await wholeOf(world, String(entry["fd"]));
    assertEquals(held.length, entry["bytes"]);
    assertBytes(held, BIG.subarray(0, held.length), "and is a prefix of what was sent");
  }

  const wrapped = await limited("fdtool run -- sh -c 'cat big; exit 9'");
  assertEquals(wrapped.code, 9);
  assertBytes(wrapped.stdout.subarray(0, BIG.length), BIG, "run");
  assertEquals((await world.run(["verify"])).code, 0, "nothing about that is damage");
  assertEquals(await wholeOf(world, await store(world, "afterwards")), encode("afterwards"));
});

Deno.test("fail open: a store on a read-only disk still answers reads", async () => {
  using world = makeWorld();
  await store(world, BIG);
  if (Deno.uid() !== 0) {
    for (const path of [world.store]) new Deno.Command("chmod", { args: ["-R", "a-w", path] }).outputSync();
  } else {
    const bound = world.path("bound");
    Deno.mkdirSync(bound);
    const mounted = await world.shell(
      `mount --bind '${world.store}' '${bound}' && mount -o remount,bind,ro '${bound}'`,
    );
    if (mounted.code !== 0) return;
  }
  const readOnly = Deno.uid() === 0 ? world.path("bound") : world.store;
  try {
    const read = await world.run(["read", "fd:1", "--all", "--format", "raw", "--store", readOnly]);
    assertEquals([read.code, read.stderr], [0, ""]);
    assertBytes(read.stdout, BIG);
    for (
      const args of [["stat", "fd:1"], ["ls"], ["search", "fd:1", "漢", "--max-count", "1"], ["path", "fd:1"]]
    ) {
      const finished = await world.run([...args, "--store", readOnly]);
      assertEquals([finished.code, finished.stderr], [0, ""], args.join(" "));
    }
    const captured = await world.run(["capture", "--store", readOnly], { stdin: BIG });
    assertBytes(captured.stdout, BIG, "and captures fail open");
    assertStringIncludes(captured.stderr, `<next>fdtool doctor --store ${readOnly}</next>`);
    const absent = `${readOnly}/absent`;
    const ran = await world.run(["run", "--store", absent, "--", "seq", "3000"]);
    assertStringIncludes(ran.stderr, `<next>fdtool doctor --store ${absent}</next>`);
  } finally {
    if (Deno.uid() === 0) await world.shell(`umount '${world.path("bound")}'`);
  }
});

/** Every file and directory below `directory`, with its permission bits. */
function bitsBelow(directory: string): [string, string, string][] {
  const { mode, isDirectory } = Deno.lstatSync(directory);
  const self: [string, string, string] = [
    isDirectory ? "directory" : "file",
    ((mode ?? 0) & 0o7777).toString(8),
    directory,
  ];
  if (!isDirectory) return [self];
  return [
    self,
    ...Array.from(Deno.readDirSync(directory)).flatMap((e) => bitsBelow(`${directory}/${e.name}`)),
  ];
}

Deno.test("private: directories 0700 and files 0600, whatever the umask", async () => {
  for (const umask of ["000", "022", "077", "277"]) {
    using world = makeWorld();
    world.write("target", "old content\n");
    Deno.writeFileSync(world.path("big"), BIG);
    const line = [
      `umask ${umask}`,
      "seq 1 5000 | fdtool capture --name n",
      "fdtool run --always -- seq 1 5000",
      "cat big | fdtool capture",
      "fdtool read fd:1 --lines 2-3 --extract",
      "fdtool to-file fd:1 target",
      "fdtool name fd:1 another",
      "fdtool rm fd:2",
      "fdtool read ref:n",
      "fdtool stat fd:1",
      "fdtool ls",
      "fdtool gc",
      "fdtool verify",
    ].join(" && ");
    const finished = await world.shell(line);
    assertEquals([finished.code, finished.stderr], [0, ""], `umask ${umask}`);
    for (const [kind, bits, path] of bitsBelow(world.store)) {
      assertEquals(bits, kind === "directory" ? "700" : "600", `umask ${umask}: ${path}`);
    }
  }
});

Deno.test("private: created parents of the store are private, too", async () => {
  using world = makeWorld();
  const env = { FDTOOL_STORE: undefined, XDG_STATE_HOME: undefined };
  const finished = await world.shell("umask 000; echo x | fdtool capture --always", { env });
  assertEquals(finished.code, 0);
  for (const [kind, bits, path] of bitsBelow(`${world.home}/.local/state/fdtool`)) {
    assertEquals(bits, kind === "directory" ? "700" : "600", path);
  }
});

Deno.test("store: --store, then FDTOOL_STORE, then XDG_STATE_HOME, then HOME", async () => {
  using world = makeWorld();
  const env = {
    FDTOOL_STORE: undefined as string | undefined,
    XDG_STATE_HOME: undefined as string | undefined,
  };
  const captured = async (extra: Record<string, string>, args: string[] = []) => {
    const finished = await world.run(["capture", "--always", ...args], {
      stdin: "x",
      env: { ...env, ...extra },
    });
    assertEquals([finished.code, finished.stderr], [0, ""]);
  };
  const [a, b, c] = [world.path("a"), world.path("b"), world.path("c")];
  await captured({});
  assert(existsSync(`${world.home}/.local/state/fdtool`));
  await captured({ XDG_STATE_HOME: c });
  assert(existsSync(`${c}/fdtool`));
  await captured({ XDG_STATE_HOME: c, FDTOOL_STORE: b });
  assert(existsSync(b));
  await captured({ XDG_STATE_HOME: c, FDTOOL_STORE: b }, ["--store", a]);
  assert(existsSync(a));
  await captured({ XDG_STATE_HOME: "", FDTOOL_STORE: "" });
  const listed = jsonOf(await world.run(["ls", "--format", "json"], { env }));
  assertEquals((listed["fds"] as unknown[]).length, 2, "an empty variable is as good as none");
});

Deno.test("store: without HOME it is in TMPDIR, if that directory is private", async () => {
  using world = makeWorld();
  const tmp = world.path("tmp");
  Deno.mkdirSync(tmp);
  const env = { FDTOOL_STORE: undefined, XDG_STATE_HOME: undefined, HOME: undefined, TMPDIR: tmp };
  const capture = () => world.run(["capture", "--always", "--format", "json"], { stdin: "x", env });
  const first = jsonOf(await capture());
  assertEquals(first["fd"], "fd:1");
  const directory = `${tmp}/fdtool-${Deno.uid()}`;
  assertEquals(((Deno.statSync(directory).mode ?? 0) & 0o777).toString(8), "700");
  assertEquals((await world.run(["read", "fd:1", "--format", "raw"], { env })).text, "x");

  if (Deno.uid() === 0) {
    // Only root can play the stranger who was there first.
    Deno.removeSync(directory, { recursive: true });
    const elsewhere = world.path("elsewhere");
    Deno.mkdirSync(elsewhere, { mode: 0o700 });
    Deno.symlinkSync(elsewhere, directory);
    await world.shell(`chown -h 65534 '${directory}'`);
    const planted = await capture();
    assertEquals(planted.text, "x", "a link that somebody else planted is not ours: fail open");
    assertStringIncludes(planted.stderr, "fd_error");
    assertEquals(Array.from(Deno.readDirSync(elsewhere)), []);

    Deno.removeSync(directory);
    Deno.mkdirSync(directory, { mode: 0o700 });
    await world.shell(`chown 65534 '${directory}'`);
    const foreign = await capture();
    assertEquals(foreign.text, "x", "a directory of somebody else's is not ours: fail open");
    assertStringIncludes(foreign.stderr, "fd_error");
    assertEquals(Array.from(Deno.readDirSync(directory)), []);
  }

  Deno.removeSync(directory, { recursive: true });
  Deno.mkdirSync(directory);
  Deno.chmodSync(directory, 0o777);
  const open = await capture();
  assertEquals([open.code, open.stderr], [0, ""]);
  assertEquals(((Deno.statSync(directory).mode ?? 0) & 0o777).toString(8), "700", "closed, then used");
  assert(Array.from(Deno.readDirSync(directory)).length > 0, "and what was captured is in it");
});

Deno.test("store: it is created on first use, and reading a missing one creates nothing", async () => {
  using world = makeWorld();
  assertEquals(await listOf(world), []);
  const missing = await world.run(["read", "fd:1"]);
  assertEquals(missing.code, 1);
  assertMatch(missing.stderr, /not_found/);
});

Deno.test("fail open: with an invalid FDTOOL_FORMAT, input is captured and commands run", async () => {
  using world = makeWorld();
  const env = { FDTOOL_FORMAT: "yaml" };
  const said = 'Invalid FDTOOL_FORMAT "yaml": expected one of xml, json, raw, text';
  const small = await world.run(["capture"], { env, stdin: "kept\n" });
  assertEquals([small.code, small.text], [0, "kept\n"]);
  assertStringIncludes(small.stderr, said);
  const large = await world.run(["capture", "--always"], { env, stdin: "kept\n" });
  assertEquals([large.code, large.text.startsWith('<fd_result fd="fd:1"')], [0, true]);
  const ran = await world.run(["run", "--", "sh", "-c", "echo ran; exit 7"], { env });
  assertEquals([ran.code, ran.text], [7, "ran\n"]);
  assertStringIncludes(ran.stderr, said);
  const forked = await world.run(["fork", "--", "sh", "-c", "echo ran; exit 7"], { env });
  assertEquals([forked.code, forked.text], [7, "ran\n"]);
  // A harness reports exit code 2 of its hook to the model as a failure.
  const hooked = await world.run(["hook", "claude-code"], {
    env,
    stdin: JSON.stringify({ tool_name: "Bash", tool_input: { command: "echo hi" } }),
  });
  assertEquals(hooked.code, 0, hooked.stderr);
  const helped = await world.run(["help", "run"], { env });
  assertEquals(helped.code, 0);
  const refused = await world.run(["read", "fd:1"], { env });
  assertEquals([refused.code, refused.text], [2, ""]);
  assertStringIncludes(refused.stderr, said);
  const overruled = await world.run(["read", "fd:1", "--format", "raw"], { env });
  assertEquals([overruled.text, overruled.stderr], ["kept\n", ""]);
});

Deno.test("a URL as store is refused", async () => {
  using world = makeWorld();
  for (const url of ["http://bucket/x", "file:///tmp/x", "S3+x.y-z://b"]) {
    for (const how of [{ args: ["--store", url], env: {} }, { args: [], env: { FDTOOL_STORE: url } }]) {
      const { code, stderr } = await world.run([...how.args, "ls"], { env: how.env });
      assertEquals(code, 2, stderr);
      assert(stderr.includes('type="invalid_parameter"') && stderr.includes(url), stderr);
      // The output still reaches the caller.
      const content = "line\n".repeat(3000);
      const captured = await world.run([...how.args, "capture"], { stdin: content, env: how.env });
      assertEquals([captured.code, captured.text], [0, content]);
      assert(captured.stderr.includes("invalid_parameter"), captured.stderr);
      const ran = await world.run([...how.args, "run", "--", "sh", "-c", "seq 5000; exit 7"], {
        env: how.env,
      });
      assertEquals([ran.code, ran.text.split("\n").length], [7, 5001]);
      assert(ran.stderr.includes("invalid_parameter"), ran.stderr);
    }
    let kind;
    try {
      openStore(url);
    } catch (thrown) {
      kind = thrown instanceof FdError ? thrown.failure.kind : thrown;
    }
    assertEquals(kind, "invalid_parameter");
  }
  assertEquals([...Deno.readDirSync(world.dir)], []);
});
