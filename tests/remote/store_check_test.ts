// Promise: `store check` accepts a store that keeps its promises, also over a bad network, refuses one that does not by the
// promise's name, and leaves nothing behind.

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { openObjectStore, parseStoreUrl } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { openShared } from "../../fd/shared/store_object.ts";
import { failureOf, readJson } from "../read_answer.ts";
import { filesBelow, makeWorld, programUnderTest } from "../world.ts";
import { type Fault, startFaultProxy } from "./fault_proxy.ts";
import { startMemoryStore } from "./memory_store.ts";
import {
  AWS,
  aws,
  BUCKET,
  isMissing,
  type ObjectServer,
  RCLONE,
  startRclone,
  startVersitygw,
  storeUrl,
  VERSITYGW,
} from "./object_servers.ts";

async function check(endpoint: string, { env }: ObjectServer, ...options: string[]) {
  using world = makeWorld();
  const finished = await world.run([
    "store",
    "check",
    storeUrl(endpoint, "team/ci"),
    ...options,
    "--format",
    "json",
  ], {
    env: { ...env, AWS_EC2_METADATA_DISABLED: "true" },
  });
  return { ...finished, answer: finished.text === "" ? {} : readJson(finished.text) };
}

Deno.test({
  name: "store check: versitygw keeps all promises, and nothing is left in it",
  ignore: isMissing(VERSITYGW),
  async fn() {
    await using server = await startVersitygw();
    const { code, stderr, answer } = await check(server.endpoint, server);
    assertEquals([code, stderr, answer["ok"], answer["versioned"]], [0, "", true, undefined]);
    const promises = answer["promises"] as { promise: string; kept: boolean }[];
    assertEquals(promises.map(({ promise }) => promise), [
      "read_own_write",
      "create_once",
      "replace_seen",
      "ranges",
      "ordered_list",
    ]);
    assert(promises.every(({ kept }) => kept));
    assertEquals(answer["store"], `s3://${BUCKET}/team/ci?endpoint=${server.endpoint}`);
    assertEquals(filesBelow(server.directory), []);
  },
});

Deno.test({
  name: "store check: lost answers, 503 and 409 change nothing about the verdict",
  ignore: isMissing(VERSITYGW),
  async fn() {
    await using server = await startVersitygw();
    await using proxy = startFaultProxy(server);
    const faults: Fault[] = [
      { kind: "lost_after" },
      { kind: "lost_before" },
      { kind: "refused", status: 503, code: "SlowDown" },
      { kind: "refused", status: 409, code: "ConditionalRequestConflict" },
      { kind: "cut", byteCount: 3 },
    ];
    // Prime, so that over the rounds each kind of request gets each fault.
    proxy.fault = () =>
      proxy.requests.length % 7 === 0 ? faults[proxy.requests.length / 7 % faults.length] : undefined;
    const { code, stderr, answer } = await check(proxy.endpoint, server, "--thorough");
    assertEquals([code, stderr, answer["ok"]], [0, "", true], JSON.stringify(answer));
    assert(proxy.requests.length > 500);
    proxy.fault = () => undefined;
    proxy.reset();
    assertEquals((await check(proxy.endpoint, server)).code, 0);
    assert(proxy.requests.length <= 150, `${proxy.requests.length} requests`);
  },
});

Deno.test({
  name: "store check: a bucket that keeps versions is reported",
  ignore: isMissing(VERSITYGW) || isMissing(AWS),
  async fn() {
    await using server = await startVersitygw();
    const enabled = ["--versioning-configuration", "Status=Enabled"];
    await aws(server, "s3api", "put-bucket-versioning", "--bucket", BUCKET, ...enabled);
    const { code, answer } = await check(server.endpoint, server);
    assertEquals([code, answer["ok"], answer["versioned"]], [0, true, true]);
    assertStringIncludes(String(answer["message"]), "lifecycle rule");
  },
});

Deno.test({
  name: "store check: a store that ignores conditions is refused by the promises it breaks",
  ignore: isMissing(RCLONE),
  async fn() {
    await using server = await startRclone();
    const { code, answer } = await check(server.endpoint, server);
    assertEquals([code, answer["ok"]], [1, false]);
    const broken = (answer["promises"] as { promise: string; kept: boolean; found?: string }[])
      .filter(({ kept }) => !kept);
    assertEquals(broken.map(({ promise }) => promise).slice(0, 2), ["create_once", "replace_seen"]);
    assertMatch(broken[0]!.found!, /^(?:a late one of 9|\d of 8 parallel) /);
    assertMatch(String(answer["message"]), /create_once: (?:\d+ of 8|a late one)/);
  },
});

Deno.test({
  name: "store connect: a store whose check of a condition is not atomic is refused each time",
  // Deno, which the source form runs on, cannot hold back the ends of requests.
  ignore: programUnderTest().length > 1,
  async fn() {
    await using racy = startMemoryStore(true);
    await using atomic = startMemoryStore(false);
    const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
    for (let turn = 0; turn < 20; turn++) {
      using world = makeWorld();
      const connect = (server: Deno.HttpServer<Deno.NetAddr>) =>
        world.run(["store", "connect", storeUrl(`http://127.0.0.1:${server.addr.port}`, `turn${turn}`)], {
          env: keys,
        });
      const refused = await connect(racy);
      assertEquals(refused.code, 1, refused.text);
      assertMatch(refused.text, /Not connected\. .*(?:create_once|replace_seen): \d of 8 parallel/);
      const connected = await connect(atomic);
      assertEquals([connected.code, connected.stderr], [0, ""], connected.text);
    }
  },
});

Deno.test("store check: no server, no credentials, and no URL are failures with a next command", async () => {
  using world = makeWorld();
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_EC2_METADATA_DISABLED: "true" };
  const url = storeUrl("http://127.0.0.1:9");
  const unreachable = await world.run(["store", "check", url], { env });
  assertEquals([unreachable.code, failureOf(unreachable).type], [1, "store_unreachable"]);
  assertMatch(unreachable.stderr, /Cannot read probe-\w+\/own in s3:.*ECONNREFUSED/);
  const none = { ...env, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
  const denied = await world.run(["store", "check", url], { env: none });
  assertEquals([denied.code, failureOf(denied).type], [1, "store_denied"]);
  assertStringIncludes(denied.stderr, "AWS_ACCESS_KEY_ID");
  for (const args of [["check"], ["check", "/dir"], ["check", "s3://k:secret@bucket"], ["clean"]]) {
    const refused = await world.run(["store", ...args], { env });
    assertEquals([refused.code, failureOf(refused).type], [2, "invalid_parameter"], args.join(" "));
    assert(!refused.stderr.includes("secret@"), refused.stderr);
  }
});

Deno.test({
  name: "store check: a certificate that no authority signed is refused, whatever the environment says",
  // Under Deno or Bun the source form obeys the runtime's variables.
  ignore: programUnderTest().length > 1,
  async fn() {
    using world = makeWorld();
    const made = await world.shell(
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 -subj /CN=localhost " +
        "-addext subjectAltName=DNS:localhost",
    );
    if (made.code !== 0) return;
    let requestCount = 0;
    const options = { hostname: "127.0.0.1", port: 0, cert: world.text("cert"), key: world.text("key") };
    await using server = Deno.serve({ ...options, onListen: () => {} }, () => {
      requestCount++;
      return new Response("", { status: 404, headers: { date: new Date().toUTCString() } });
    });
    const url = `s3://${BUCKET}?endpoint=https://localhost:${server.addr.port}`;
    const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
    for (const NODE_TLS_REJECT_UNAUTHORIZED of [undefined, "0"]) {
      const env = { ...keys, NODE_TLS_REJECT_UNAUTHORIZED };
      const refused = await world.run(["store", "check", url], { env });
      assertEquals([refused.code, failureOf(refused).type], [1, "store_unreachable"]);
    }
    assertEquals(requestCount, 0);
    await world.run(["store", "check", url], { env: { ...keys, NODE_EXTRA_CA_CERTS: world.path("cert") } });
    assert(requestCount > 0, "an authority of one's own can be named");
  },
});

Deno.test({
  name: "a shared store is made only where the promises are kept, and tried once",
  ignore: isMissing(VERSITYGW) || isMissing(RCLONE),
  async fn() {
    await using good = await startVersitygw();
    await using bad = await startRclone();
    await using proxy = startFaultProxy(good);
    const open = (server: ObjectServer, endpoint: string) => {
      const address = parseStoreUrl(storeUrl(endpoint), "--store");
      const objects = openObjectStore(address, { env: server.env });
      return openShared(objects, {
        id: "0123456789abcdef01234567",
        quotaBytes: 0,
        ttlMs: 0,
        place: address.place,
      });
    };
    const { failure } = await assertRejects(() => open(bad, bad.endpoint), FdError);
    assertEquals(failure.kind === "store_unfit" ? failure.promise : failure.kind, "create_once");
    assertEquals(filesBelow(bad.directory), []);
    await open(good, proxy.endpoint);
    assertEquals(filesBelow(good.directory).length, 1);
    proxy.reset();
    await open(good, proxy.endpoint);
    assertEquals(proxy.requests.length, 1);
  },
  // The runtimes keep connections open for later requests.
  sanitizeResources: false,
  sanitizeOps: false,
});
