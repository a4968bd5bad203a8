// Promise: fds on a shared store are read from any host, byte for byte; without the store, output and verdict stand
// (contract, Shared stores).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { filesBelow, quoteForShell } from "../world.ts";
import { assertBytes } from "../store_calls.ts";
import { startUi } from "../ui_server.ts";
import { emptyTest, hostOf, manyLines, sharedTest } from "./shared_world.ts";

const OFFLINE = /^fd:[0-9]{14,15}$/;

emptyTest(
  "a small fd takes one id of the store, and one request to read it from another host",
  async ({ proxy, a, b }) => {
    const stored = await a.capture("one\ntwo\n");
    assertEquals([stored["fd"], stored["shared"]], ["fd:1", undefined]);
    assertEquals((await b.capture("three\n"))["fd"], "fd:2");
    proxy.reset();
    assertEquals(await b.read("fd:1"), "one\ntwo\n");
    assertEquals(proxy.requests.map(({ method }) => method), ["GET"]);
    assertEquals(await b.read("fd:1", "--lines", "2"), "two\n");
    assertEquals(await a.read("fd:2"), "three\n");
    assertEquals(await b.read("fd:2"), "three\n");
    assertEquals(proxy.requests.length, 2, "what is in the cache is not asked for again");
  },
);

sharedTest(
  "a small capture is one request, however long ago the last one was; two beside other hosts",
  async ({ proxy, a, b }) => {
    await a.capture("first\n");
    const [cache] = [...Deno.readDirSync(a.world.path("cache"))].map(({ name }) => name);
    const directory = `${a.world.path("cache")}/${cache}/v2`;
    const requestsLater = async () => {
      Deno.utimeSync(`${directory}/next`, 0, 0);
      proxy.reset();
      const fd = (await a.capture("again\n"))["fd"];
      return [fd, ...proxy.requests.map(({ method }) => method)];
    };
    assertEquals(await requestsLater(), ["fd:2", "PUT"]);
    await b.capture("of another host\n");
    const [fd, ...lost] = await requestsLater();
    assertMatch(String(fd), /^fd:\d+$/);
    assertEquals(lost, ["PUT", "GET", "GET", "PUT"]);
    await b.capture("of another host\n");
    assertEquals((await requestsLater()).slice(1), ["GET", "PUT"]);
  },
);

sharedTest(
  "lines of a large fd are fetched, not the whole; all of it comes exactly",
  async ({ proxy, a, b }) => {
    const content = manyLines(20 * 2 ** 20);
    const stored = await a.capture(content);
    assertEquals(stored["fd"], "fd:1");
    const lines = new TextDecoder().decode(content).split("\n");
    const at = lines.length - 500;
    proxy.reset();
    assertEquals(
      await b.read("fd:1", "--lines", `${at}-${at + 4}`),
      lines.slice(at - 1, at + 4).map((line) => `${line}\n`).join(""),
    );
    assert(proxy.requests.length <= 5, `${proxy.requests.length} requests`);
    assert(proxy.receivedBytes <= 256_000, `${proxy.receivedBytes} bytes`);
    const { stdout } = await b.run(["read", "fd:1", "--all", "--format", "raw"]);
    assertBytes(stdout, content);
    const found = await b.answer(["search", "fd:1", `line ${at} `]);
    assertEquals([found["total"]], [1]);
  },
);

emptyTest("the first capture on a new store does not wait until that was tried", async ({ proxy, a, b }) => {
  const env = { FDTOOL_UPLOAD_WAIT: undefined };
  // All but one request is answered only once the capture has ended.
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  proxy.fault = () => proxy.requests.length > 1 ? ended : undefined;
  const first = await a.answer(["capture", "--always", "--preview", "none"], { stdin: "first\n", env });
  assertEquals(first["shared"], false);
  assertMatch(String(first["message"]), /it is new, and is tried first, by a process of its own/);
  end(undefined);
  assertEquals((await a.answer(["sync", "--wait"], { env }))["pending"], 0);
  assertEquals(await b.read(String(first["fd"])), "first\n");
  proxy.reset();
  const next = await a.answer(["capture", "--always", "--preview", "none"], { stdin: "next\n", env });
  assertEquals([next["fd"], next["shared"]], ["fd:1", undefined]);
});

sharedTest(
  "without the store, output and verdict stand; the fd keeps its id and is shared later",
  async ({ proxy, a, b }) => {
    await a.capture("first\n");
    proxy.fault = () => ({ kind: "refused", status: 503, code: "SlowDown" });
    const env = { FDTOOL_UPLOAD_WAIT: "100ms" };
    const { code, text } = await a.run(
      ["run", "--always", "--format", "json", "--", "sh", "-c", "echo kept; exit 7"],
      { env },
    );
    assertEquals(code, 7);
    const answer = JSON.parse(text);
    const fd = String(answer["fd"]);
    assertMatch(fd, OFFLINE);
    assertEquals(answer["shared"], false);
    assertEquals(await a.read(fd), "kept\n");
    assertEquals((await a.run(["ls"], { env })).code, 1, "the list says that the store was not asked");
    proxy.fault = () => undefined;
    const synced = await a.answer(["sync", "--wait"]);
    assertEquals([synced["pending"]], [0]);
    assertEquals(await b.read(fd), "kept\n");
    assertMatch(
      String((await a.capture("next\n"))["fd"]),
      /^fd:[23]$/,
      "an id that was tried may be left out",
    );
  },
);

sharedTest("a file that is read is shared once, and other hosts read its fd", async ({ a, b }) => {
  const file = a.world.write("build.log", manyLines(2 ** 20));
  const ask = async () => await a.answer(["search", file, "line 7777 "]);
  const first = await ask();
  assertEquals([first["fd"], first["total"]], ["fd:1", 1]);
  assertEquals(await ask(), first);
  assertEquals((await b.answer(["search", "fd:1", "line 7777 "]))["matches"], first["matches"]);
  a.world.write("build.log", "another\n");
  assertEquals((await a.answer(["read", file]))["fd"], "fd:2");
});

sharedTest(
  "a bare name is found wherever an fd may be given, on a host that never saw it",
  async ({ a, b, server, proxy }) => {
    await a.capture("one\ntwo\n", "--name", "notes");
    const b2 = () => hostOf(server, proxy, "team/ci");
    assertEquals((await b.answer(["count", "notes"]))["lines"], 2);
    for (
      const args of [
        ["search", "two", "notes"],
        ["read", "notes"],
        ["create", "new.txt", "--content", "notes"],
        ["spawn", "--preload", "notes", "--", "true"],
        ["export", "notes", "--output", "x.tar"],
      ]
    ) {
      using host = b2();
      const { code, stderr } = await host.run(args);
      assertEquals([args[0], code, stderr], [args[0], 0, ""]);
    }
  },
);

sharedTest("capture passes everything through if the URL is refused", async ({ a }) => {
  const { code, text, stderr } = await a.run(["capture", "--always"], {
    stdin: "all of it\n",
    env: { FDTOOL_STORE: "s3://bucket/x?secret=1" },
  });
  assertEquals([code, text], [0, "all of it\n"]);
  assertMatch(stderr, /invalid_parameter/);
});

sharedTest("names, removals and lists are those of all hosts", async ({ a, b }) => {
  await a.capture("one\n", "--name", "log");
  await a.capture("two\n");
  assertEquals(await b.read("ref:log"), "one\n");
  assertEquals((await b.answer(["name", "fd:2", "log"]))["previous_fd"], "fd:1");
  assertEquals(await a.read("ref:log"), "two\n");
  await b.run(["rm", "fd:1"]);
  const list = await a.answer(["ls"]);
  assertEquals((list["fds"] as { fd: string }[]).map(({ fd }) => fd), ["fd:2"]);
  const { code, stderr } = await b.run(["read", "fd:1"]);
  assertEquals(code, 1);
  assertMatch(stderr, /type="removed"/);
});

sharedTest("backups stay on their host", async ({ proxy, a, b }) => {
  const path = a.world.write("file.txt", "before\n");
  proxy.reset();
  await a.run(["edit", path, "--old", "before", "--new", "after"]);
  assertEquals(proxy.requests, []);
  assertEquals((await a.run(["undo", "tx:1"])).code, 0);
  assertEquals(a.world.text("file.txt"), "before\n");
  assertEquals(((await b.answer(["ls"]))["fds"] as unknown[]).length, 0);
});

sharedTest(
  "a background command is read from another host while it runs, and stopped only on its own",
  async ({ a, b }) => {
    const script = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two";
    const started = await a.answer(["run", "--background", "--", "sh", "-c", script]);
    assertEquals(started["fd"], "fd:1");
    const live = await b.answer(["read", "fd:1"]);
    assertEquals([live["state"], typeof live["as_of"]], ["live", "string"]);
    const refused = await b.run(["stop", "fd:1"]);
    assertEquals(refused.code, 2);
    assertMatch(refused.stderr, /stop it there/);
    a.world.write("go", "");
    assertEquals((await b.run(["wait", "fd:1", "--timeout", "60s"])).code, 0);
    assertEquals(await b.read("fd:1"), "one\ntwo\n");
  },
);

/** Calls that only read; their output is the same on a host that has everything and on one that has nothing. */
const READS: readonly (readonly string[])[] = [
  ["read", "fd:2", "--lines", "70000-70003"],
  ["read", "fd:2", "--tail", "3", "--mode", "line"],
  ["read", "fd:2", "--all", "--format", "raw"],
  ["search", "fd:2", "line 7777[0-9] "],
  ["search", "line 99999 ", "--all-fds"],
  ["diff", "fd:4", "fd:5"],
  ["stat", "fd:2"],
  ["ls"],
  ["refs"],
  ["query", "fd:3", ".a"],
];

sharedTest(
  "each reading command answers on a host without a cache as where the fds were made",
  async ({ a, b }) => {
    const content = manyLines(3 * 2 ** 20);
    await a.capture(content.subarray(0, 2 * 2 ** 20), "--name", "first");
    await a.capture(content);
    await a.capture('{"a": 17}\n');
    for (const text of ["one\ntwo\n", "one\nthree\n"]) await a.capture(text);
    for (const args of READS) {
      const here = await a.run(args);
      const there = await b.run(args);
      assertEquals([there.code, there.stderr], [here.code, here.stderr], args.join(" "));
      assert(there.text === here.text, args.join(" "));
      // The next command finds nothing either.
      Deno.removeSync(b.world.path("cache"), { recursive: true });
    }
    const { text } = await b.run(["path", "fd:2"]);
    assertEquals(Deno.readFileSync(text.trim()), content);
  },
);

sharedTest("a bounded cache drops what was read long ago, and fetches it again", async ({ proxy, a, b }) => {
  const content = manyLines(5 * 2 ** 20);
  for (const name of ["one", "two"]) await a.capture(content, "--name", name);
  const env = { FDTOOL_CACHE_SIZE: "6M" };
  await b.run(["read", "fd:1", "--all", "--format", "raw"], { env });
  const measured = [...Deno.readDirSync(b.world.path("cache"))]
    .map(({ name }) => `${b.world.path("cache")}/${name}/v2/shared/measured`);
  // As if a minute had passed.
  for (const path of measured) if (exists(path)) Deno.removeSync(path);
  await b.run(["read", "fd:2", "--all", "--format", "raw"], { env });
  const shown = await b.answer(["store", "show"], { env });
  assert(Number(shown["cached_bytes"]) <= 6 * 2 ** 20, JSON.stringify(shown));
  proxy.reset();
  assertEquals((await b.run(["read", "fd:1", "--all", "--format", "raw"], { env })).stdout, content);
  assert(proxy.receivedBytes >= content.length);
});

sharedTest(
  "damage in a cache is fetched again; damage in the store is an error",
  async ({ server, a, b }) => {
    const content = manyLines(2 * 2 ** 20);
    await a.capture(content);
    const { text } = await b.run(["path", "fd:1"]);
    const file = Deno.openSync(text.trim(), { write: true });
    file.seekSync(1_000_000, Deno.SeekMode.Start);
    file.writeSync(new TextEncoder().encode("damage"));
    file.close();
    assertEquals((await b.run(["read", "fd:1", "--all", "--format", "raw"])).stdout, content);
    for (const path of filesBelow(`${server.directory}/team/ci/v1/data`)) {
      const bytes = Deno.readFileSync(path);
      bytes[1_000_000]! ^= 1;
      Deno.writeFileSync(path, bytes);
    }
    Deno.removeSync(b.world.path("cache"), { recursive: true });
    const { code, stderr } = await b.run(["read", "fd:1", "--all", "--format", "raw"]);
    assertEquals(code, 1);
    assertMatch(stderr, /is damaged: block 30/);
  },
);

sharedTest(
  "an upload that is killed is finished by sync, under the id that was given",
  async ({ proxy, a, b }) => {
    const content = manyLines(20 * 2 ** 20);
    // No segment arrives.
    proxy.fault = ({ method, path }) =>
      method === "PUT" && path.includes("/data/") ? { kind: "stalled" } : undefined;
    const stored = await a.answer(["capture", "--preview", "none"], {
      stdin: content,
      env: { FDTOOL_UPLOAD_WAIT: "3s" },
    });
    assertEquals(stored["shared"], false);
    const fd = String(stored["fd"]);
    proxy.fault = () => undefined;
    const [cache] = [...Deno.readDirSync(a.world.path("cache"))].map(({ name }) => name);
    const pending = `${a.world.path("cache")}/${cache}/v2/shared/pending`;
    // The call that has answered was an owner, too.
    const owner = () =>
      [...Deno.readDirSync(pending)].filter(({ name }) => name.includes("."))
        .map(({ name }) => Number(/"pid":(\d+)/.exec(Deno.readTextFileSync(`${pending}/${name}`))?.[1]))
        .find((pid) => exists(`/proc/${pid}`));
    // The uploader may only just have been started.
    while (owner() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    Deno.kill(owner()!, "SIGKILL");
    const synced = await a.answer(["sync", "--wait"]);
    assertEquals(synced["pending"], 0);
    assertBytes((await b.run(["read", fd, "--all", "--format", "raw"])).stdout, content);
  },
);

sharedTest(
  "content goes up while more comes; what a limit drops is dropped everywhere",
  async ({ proxy, a, b }) => {
    await a.capture("first\n");
    const content = manyLines(40 * 2 ** 20);
    const half = content.subarray(0, 20 * 2 ** 20);
    const stdin = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(half);
        // The rest comes only once a part of the first half is in the store.
        while (!proxy.requests.some(({ path }) => path.includes("/data/"))) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        controller.enqueue(content.subarray(half.length));
        controller.close();
      },
    });
    const stored = await a.answer(["capture", "--preview", "none"], {
      stdin,
      env: { FDTOOL_MAX_BYTES: "24M" },
    });
    assertEquals([stored["fd"], stored["shared"]], ["fd:2", undefined]);
    const here = await a.run(["read", "fd:2", "--all", "--format", "raw"]);
    const there = await b.run(["read", "fd:2", "--all", "--format", "raw"]);
    assertEquals(there.stdout.length, 24 * 2 ** 20);
    assertBytes(here.stdout, there.stdout);
  },
);

sharedTest(
  "an fd that was packed before it was shared is read from another host, byte for byte",
  async ({ server, proxy, a, b }) => {
    // Its frames take several segments.
    const large = noiseAndLines(20 * 2 ** 20);
    // Its frames take less than an fd object may hold.
    const small = manyLines(2 * 2 ** 20);
    proxy.fault = () => ({ kind: "refused", status: 503, code: "SlowDown" });
    const env = { FDTOOL_UPLOAD_WAIT: "100ms" };
    const fds: string[] = [];
    for (const stdin of [large, small]) {
      const stored = await a.answer(["capture", "--preview", "none"], { stdin, env });
      assertEquals(stored["shared"], false);
      fds.push(String(stored["fd"]));
    }
    const [cache] = [...Deno.readDirSync(a.world.path("cache"))].map(({ name }) => name);
    const local = { env: { FDTOOL_STORE: `${a.world.path("cache")}/${cache}`, FDTOOL_TTL: "0" } };
    const packed = await a.world.run(["gc", "--pack"], local);
    assertEquals(packed.code, 0, packed.stderr);
    const packs = filesBelow(local.env.FDTOOL_STORE).filter((path) => /\/[0-9]+\.pack$/.test(path));
    assertEquals(packs.length, 2);
    proxy.fault = () => undefined;
    assertEquals((await a.answer(["sync", "--wait"]))["pending"], 0);
    const segments = filesBelow(`${server.directory}/team/ci/v1/data`);
    const sharedBytes = segments.reduce((sum, path) => sum + Deno.statSync(path).size, 0);
    assertEquals(sharedBytes, sizeOfPacks(local.env.FDTOOL_STORE));

    const [fd, other] = fds as [string, string];
    const lines = new TextDecoder().decode(large).split("\n");
    const at = lines.length - 500;
    proxy.reset();
    assertEquals(await b.read(fd, "--lines", `${at}`), `${lines[at - 1]}\n`);
    assert(proxy.receivedBytes <= 400_000, `${proxy.receivedBytes} bytes`);
    const calls = [
      ["search", fd, "777[0-9]{3}"],
      ["query", other, "--raw-input", "--slurp", "length"],
      ["read", other, "--all", "--format", "raw"],
      ["read", fd, "--all", "--format", "raw"],
    ];
    for (const args of calls) {
      const [here, there] = [await a.run(args), await b.run(args)];
      assertEquals([there.code, there.stderr], [here.code, here.stderr], args.join(" "));
      assert(there.text === here.text, args.join(" "));
    }
    assertBytes((await b.run(["read", other, "--all", "--format", "raw"])).stdout, small);
    for (const [name, content] of [[fd, large], [other, small]] as const) {
      const { text } = await b.run(["path", name]);
      assertBytes(Deno.readFileSync(text.trim()), content, name);
    }
    const again = await a.run(["read", fd, "--all", "--format", "raw", "--fresh"]);
    assertBytes(again.stdout, large);
    assert(
      !filesBelow(local.env.FDTOOL_STORE).some((path) => path.endsWith(`/${fd.slice(3)}.dat`)),
      "the host that packed it goes on reading what it packed",
    );
    for (const args of [["verify"], ["verify", "--remote"]]) {
      const { code, text, stderr } = await b.run(args);
      assertEquals(code, 0, text + stderr);
    }

    for (const path of segments) {
      const bytes = Deno.readFileSync(path);
      bytes[300_000]! ^= 1;
      Deno.writeFileSync(path, bytes);
    }
    Deno.removeSync(b.world.path("cache"), { recursive: true });
    const { code, stderr } = await b.run(["read", fd, "--all", "--format", "raw"]);
    assertEquals(code, 1);
    assertMatch(stderr, /is damaged: block/);
    assertEquals((await b.run(["verify", "--remote"])).code, 1);
  },
);

const NO_MOUNT = !new Deno.Command("unshare", { args: ["-rm", "true"] }).outputSync().success;

if (!NO_MOUNT) {
  sharedTest("a host whose disk is full reads without caching, and leaves nothing", async ({ a, b }) => {
    const content = manyLines(3 * 2 ** 20);
    await a.capture(content, "--name", "log");
    const env = { ...b.env, FDTOOL_CACHE: "tiny/cache" };
    const reads = [
      "read fd:1 --lines 70000-70001 --format raw",
      "read ref:log --all --format raw",
      "search fd:1 'line 7777[0-9] '",
      "stat fd:1",
    ];
    for (const isFull of [true, false]) {
      // On a disk that is nearly full, the whole fd fails in the middle.
      for (const read of isFull ? reads : reads.filter((each) => !each.includes("--all"))) {
        const script = [
          "mkdir -p tiny",
          "mount -t tmpfs -o size=64k,mode=755 tmpfs tiny || exit 99",
          "mount -t tmpfs -o size=64m tmpfs /dev/shm || exit 99",
          isFull ? "cat /dev/zero >tiny/full 2>/dev/null" : "",
          "trap 'ls -A /dev/shm >left' EXIT",
          `fdtool ${read}`,
        ].join("\n");
        const line = `exec unshare -rm /bin/sh -c ${quoteForShell(script)}`;
        const { code, text, stderr } = await b.world.shell(line, { env });
        assertEquals(code, 0, `${read}: ${stderr}`);
        const here = await a.world.shell(`fdtool ${read}`, { env: a.env });
        assert(text === here.text, read);
        assertEquals(b.world.text("left"), "", "nothing is left in memory");
      }
    }
  });
}

sharedTest("the page names the host of what another host stored, and searches it", async ({ a, b }) => {
  // A namespace of its own gives a process another host's name; without the right to one, names are alike.
  const other = "unshare --uts sh -c 'hostname other-host; fdtool capture --always'";
  const { code } = await a.world.shell(`echo 'a needle' | ${other}`, { env: a.env });
  if (code !== 0) return;
  await b.capture("hay\n");
  await using ui = await startUi(b.world, [], b.env);
  const { fds } = await ui.ask("fds?show=all");
  assertEquals(fds.map(({ fd, host }: { fd: string; host?: string }) => [fd, host]), [
    ["fd:2", undefined],
    ["fd:1", "other-host"],
  ]);
  const news = await (await fetch(`${ui.url}api/search?pattern=needle`)).text();
  // A slow search also writes how far it is.
  const found = news.trim().split("\n").map((line) => JSON.parse(line)).find(({ row }) => row !== undefined);
  assertEquals([found.row.host, found.lines], ["other-host", [{ n: 1, t: "a needle", m: [[2, 8]] }]]);
});

sharedTest("the page opens what another host stored at its decisive line", async ({ a, b }) => {
  await a.capture(`${"fine\n".repeat(3000)}src/x.ts:3: error: boom\n${"fine\n".repeat(3000)}`);
  await using ui = await startUi(b.world, [], b.env);
  assertEquals((await ui.ask("findings?fd=fd:1")).decisive, 3001);
});

function sizeOfPacks(directory: string): number {
  return filesBelow(directory).filter((path) => /\/[0-9]+\.pack$/.test(path))
    .reduce((sum, path) => sum + Deno.statSync(path).size, 0);
}

/** Lines of which half is noise, so that they pack to more than a third. */
function noiseAndLines(byteCount: number): Uint8Array {
  const bytes = manyLines(byteCount);
  let state = 1;
  for (let at = 0; at < bytes.length; at += 2) {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    if (bytes[at] !== 10) bytes[at] = 48 + (state >>> 26);
  }
  return bytes;
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
