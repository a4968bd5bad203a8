// Promise: a store that a command line names is used only if the user connected this host to it; before that, no request
// leaves the host. In Claude Code, whose rules let the reading commands run unasked, that is so of directories, too
// (contract, Shared stores).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { UNASKED_COMMANDS } from "../src/calls/terms/command.ts";
import { failureOf, readJson } from "./read_answer.ts";
import { BUCKET, isMissing, startVersitygw, storeUrl, VERSITYGW } from "./remote/object_servers.ts";
import { makeWorld, type World } from "./world.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };

/** A server that refuses each request and counts them. */
function startCounter() {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(`${request.method} ${request.url}`);
    return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 });
  });
  return {
    seen,
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const CALLS = [
  ["read", "fd:1"],
  ["search", "fd:1", "x"],
  ["ls"],
  ["stat", "fd:1"],
  ["diff", "fd:1", "fd:2"],
  ["to-file", "fd:1", "out"],
  ["sync", "--wait"],
  ["gc"],
  ["verify", "--remote"],
  ["doctor"],
  ["store", "show"],
  ["install", "claude-code"],
];

Deno.test({
  name: "a URL on the command line is refused until this host is connected to it, and no request is sent",
  async fn() {
    using world = makeWorld();
    await using counter = startCounter();
    const url = storeUrl(counter.endpoint, "SECRET");
    for (const call of CALLS) {
      const refused = await world.run([...call, "--store", url], { env: KEYS });
      const { type, next } = failureOf(refused);
      assertEquals([call, refused.code, type, next], [
        call,
        1,
        "not_connected",
        `fdtool store connect '${url}'`,
      ]);
    }
    const { code, text, stderr } = await world.run(["capture", "--store", url], {
      env: KEYS,
      stdin: "kept\n",
    });
    assertEquals([code, text], [0, "kept\n"]);
    assertEquals(stderr, "", "small output needs no store");
    const large = await world.run(["capture", "--always", "--store", url], { env: KEYS, stdin: "kept\n" });
    assertEquals(large.text, "kept\n");
    assertMatch(large.stderr, /not_connected/);
    assertEquals(counter.seen, []);
  },
  sanitizeResources: false,
  sanitizeOps: false,
});

Deno.test({
  name:
    "a URL in FDTOOL_STORE connects by itself, also if --store repeats it; a store that breaks promises is not connected",
  async fn() {
    using world = makeWorld();
    await using counter = startCounter();
    const url = storeUrl(counter.endpoint, "ci");
    const env = { ...KEYS, FDTOOL_STORE: url };
    await world.run(["ls"], { env });
    assert(counter.seen.length > 0);
    counter.seen.length = 0;
    await world.run(["ls", "--store", `s3://${BUCKET}/ci/?endpoint=${counter.endpoint}`], { env });
    assert(counter.seen.length > 0);
    const other = await world.run(["ls", "--store", `${url}&region=secret`], { env });
    assertEquals(failureOf(other).type, "not_connected", "a host name is made of the region");
    const tried = await world.run(["store", "connect", url], { env: KEYS });
    assertEquals(tried.code, 1);
    assertEquals(await connectionsOf(world), []);
  },
  sanitizeResources: false,
  sanitizeOps: false,
});

async function connectionsOf(world: World): Promise<unknown[]> {
  const { text } = await world.run(["store", "list", "--format", "json"]);
  return (readJson(text)["connection"] as { store: unknown }[]).map(({ store }) => store);
}

Deno.test({
  name: "store connect tries a store once and remembers it, until store disconnect",
  ignore: isMissing(VERSITYGW),
  async fn() {
    using world = makeWorld();
    await using server = await startVersitygw();
    const { env } = server;
    const url = storeUrl(server.endpoint, "team");
    const connected = await world.run(["store", "connect", url], { env });
    assertEquals([connected.code, connected.stderr], [0, ""]);
    assertEquals(await connectionsOf(world), [url]);
    const stored = await world.run(["capture", "--always", "--store", url], { env, stdin: "shared\n" });
    assertMatch(stored.text, /fd="fd:1"/);
    const read = await world.run(["read", "fd:1", "--format", "raw", "--store", url], { env });
    assertEquals([read.text, read.stderr], ["shared\n", ""]);
    assertEquals((await world.run(["store", "disconnect", url])).code, 0);
    assertEquals((await world.run(["store", "disconnect", url])).code, 1);
    assertEquals(failureOf(await world.run(["ls", "--store", url], { env })).type, "not_connected");
  },
  sanitizeResources: false,
  sanitizeOps: false,
});

Deno.test("in Claude Code, a reading command takes no other directory than the usual store and connected ones", async () => {
  using world = makeWorld();
  const env = { CLAUDECODE: "1" };
  const other = world.path("other");
  for (const store of [other, world.store]) {
    await world.run(["capture", "--always", "--store", store], { env, stdin: "content\n" });
  }
  for (const name of UNASKED_COMMANDS) {
    const call = CALLS.find(([first]) => first === name)!;
    const refused = await world.run([...call, "--store", "other"], { env });
    const { type, next } = failureOf(refused);
    assertEquals([name, type, next], [name, "not_connected", "fdtool store connect other"]);
  }
  const read = (store: string, env = {}) =>
    world.run(["read", "fd:1", "--format", "raw", "--store", store], { env });
  assertEquals((await read("other")).text, "content\n", "a person may");
  assertEquals((await read(world.store, env)).text, "content\n");
  assertEquals((await world.run(["store", "connect", "other"], { env })).code, 0);
  assertEquals(await connectionsOf(world), [other]);
  assertEquals((await read(other, env)).text, "content\n");
  Deno.symlinkSync(other, world.path("link"));
  assertEquals((await read("link", env)).text, "content\n", "it is the same directory");
  assertEquals((await world.run(["store", "connect", "none"])).code, 1);
});

Deno.test("in Claude Code, diff reads no file, and says how to store it", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\n" });
  world.write("secret.txt", "two\n");
  const refused = await world.run(["diff", "fd:1", "secret.txt"], { env: { CLAUDECODE: "1" } });
  assertEquals([refused.text, failureOf(refused).next], ["", "fdtool capture --always secret.txt"]);
  assertMatch((await world.run(["diff", "fd:1", "secret.txt"])).text, /two/);
});

Deno.test("installing with --store connects it, so that the answers of its hook can be followed", async () => {
  using world = makeWorld();
  await world.run(["install", "claude-code", "--store", "other", "--dry-run"]);
  assertEquals(await connectionsOf(world), []);
  await world.run(["install", "claude-code", "--store", "other"]);
  assertEquals(await connectionsOf(world), [world.path("other")]);
});

Deno.test({
  name: "connections that another user could have written count for nothing",
  ignore: Deno.build.os === "windows",
  async fn() {
    using world = makeWorld();
    Deno.mkdirSync(world.path("other"));
    await world.run(["store", "connect", "other"]);
    Deno.chmodSync(`${world.home}/.local/state/fdtool/connected`, 0o777);
    const env = { CLAUDECODE: "1" };
    assertEquals(failureOf(await world.run(["ls", "--store", "other"], { env })).type, "not_connected");
  },
});

Deno.test("a URL is never the path of a directory, however its scheme is written", async () => {
  using world = makeWorld();
  for (const url of ["S3://b", "ftp://host/store"]) {
    const refused = await world.run(["ls"], { env: { FDTOOL_STORE: url, FDTOOL_FORMAT: "json" } });
    assertEquals(failureOf(refused).type, "invalid_parameter");
  }
  assertEquals([...Deno.readDirSync(world.dir)], []);
});
