// Promise: `store check` accepts a store that keeps its promises, also over a bad network, refuses one that does not by the
// promise's name, and leaves nothing behind.

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { openObjectStore, parseStoreUrl } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { openShared } from "../../fd/shared/objects/store_object.ts";
import { failureOf, readJson } from "../read_answer.ts";
import { filesBelow, makeWorld, programUnderTest, runsOf } from "../world.ts";
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
    // No request is met more often than it is repeated.
    const metCounts = new Map<string, number>();
    // Prime, so that over the rounds each kind of request gets each fault.
    proxy.fault = ({ method, path }) => {
      const metCount = metCounts.get(`${method} ${path}`) ?? 0;
      if (proxy.requests.length % 7 !== 0 || metCount === 3) return undefined;
      metCounts.set(`${method} ${path}`, metCount + 1);
      return faults[proxy.requests.length / 7 % faults.length];
    };
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
    await aws(server, ["s3api", "put-bucket-versioning", "--bucket", BUCKET, ...enabled]);
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
    const { code, answer, stderr } = await check(server.endpoint, server);
    assertEquals([code, answer["ok"]], [1, false], stderr);
    const broken = (answer["promises"] as { promise: string; kept: boolean; found?: string }[])
      .filter(({ kept }) => !kept);
    assertEquals(broken.map(({ promise }) => promise).slice(0, 2), ["create_once", "replace_seen"]);
    assertMatch(broken[0]!.found!, /^(?:a late one of 9|\d of 8 parallel) /);
    assertMatch(String(answer["message"]), /create_once: (?:\d+ of 8|a late one)/);
  },
});

Deno.test("store connect: moto, whose check of a condition is seldom seen to fail, is refused by its name", async () => {
  await using moto = startMemoryStore(false, "Werkzeug/3.1.9 Python/3.11.7, amazon.com");
  using world = makeWorld();
  const refused = await world.run(["store", "connect", storeUrl(`http://127.0.0.1:${moto.addr.port}`)], {
    env: { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" },
  });
  assertEquals(refused.code, 1, refused.text);
  assertMatch(refused.text, /Not connected\. .*replace_seen: servers like Werkzeug/);
});

Deno.test({
  name: "store connect: a store whose check of a condition is not atomic is refused each time",
  // Deno, which the source form runs on, cannot hold back the ends of requests.
  ignore: programUnderTest().length > 1,
  async fn() {
    await using racy = startMemoryStore(true);
    await using atomic = startMemoryStore(false);
    const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
    for (let turn = 0; turn < runsOf(10); turn++) {
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

Deno.test("store check, ls, refs: no server, no credentials, and no URL are failures with a next command", async () => {
  using world = makeWorld();
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_EC2_METADATA_DISABLED: "true" };
  const url = storeUrl("http://127.0.0.1:9");
  const unreachable = await world.run(["store", "check", url], { env });
  assertEquals([unreachable.code, failureOf(unreachable).type], [1, "store_unreachable"]);
  assertMatch(unreachable.stderr, /Cannot read probe-\w+\/own in s3:.*ECONNREFUSED/);
  for (const command of ["ls", "refs"]) {
    const listed = await world.run([command], { env: { ...env, FDTOOL_STORE: url } });
    assertEquals(listed.code, 1, command);
    assertStringIncludes(listed.stderr, 'type="store_unreachable"');
    assert(!listed.text.includes("is empty"), listed.text);
  }
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
  name: "store check: certificates are checked, by the authorities that the variables name",
  // Under Deno or Bun the source form obeys the runtime's variables, and Deno takes no certificates of a request's own.
  ignore: programUnderTest().length > 1,
  async fn() {
    using world = makeWorld();
    const made = await world.shell(
      "EC='ec -pkeyopt ec_paramgen_curve:prime256v1' && openssl req -x509 -newkey $EC -nodes -keyout ca.key -out ca.pem -days 2 -subj '/CN=Test CA' && " +
        "openssl req -newkey $EC -nodes -keyout key -out request -subj /CN=localhost && " +
        "echo subjectAltName=DNS:localhost >names && " +
        "openssl x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert && " +
        "mkdir hashed && cp ca.pem hashed/$(openssl x509 -hash -noout -in ca.pem).0 && echo no >text",
    );
    if (made.code !== 0) return;
    let requestCount = 0;
    const options = { hostname: "127.0.0.1", port: 0, cert: world.text("cert"), key: world.text("key") };
    await using server = Deno.serve({ ...options, onListen: () => {} }, () => {
      requestCount++;
      return new Response("", { status: 404, headers: { date: new Date().toUTCString() } });
    });
    const url = storeUrl(`https://localhost:${server.addr.port}`);
    const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", HOME: world.path(".") };
    const none = Object.fromEntries(
      ["AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"].map((
        name,
      ) => [name, undefined]),
    );
    const check = (env: Record<string, string>) =>
      world.run(["store", "check", url], { env: { ...keys, ...none, ...env } });
    const inert = {
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      NODE_OPTIONS: "--use-system-ca",
      SSLKEYLOGFILE: "secrets",
    };
    for (const env of [{}, inert]) {
      const refused = await check(env);
      assertEquals([refused.code, failureOf(refused).type], [1, "store_unreachable"]);
    }
    assertEquals([requestCount, existsSync(world.path("secrets"))], [0, false]);
    const ca = world.path("ca.pem");
    for (
      const env of [{ AWS_CA_BUNDLE: ca }, { NODE_EXTRA_CA_CERTS: ca }, { SSL_CERT_FILE: ca }, {
        SSL_CERT_DIR: world.path("hashed"),
      }]
    ) {
      requestCount = 0;
      await check(env);
      assert(requestCount > 0, JSON.stringify(env));
    }
    for (const path of ["text", "absent"]) {
      const refused = await check({ AWS_CA_BUNDLE: world.path(path) });
      assertEquals([refused.code, failureOf(refused).type], [2, "invalid_parameter"], refused.stderr);
      assertStringIncludes(refused.stderr, "expected a file of certificates (PEM)");
    }
  },
});

Deno.test({
  name:
    "store check: the variables of proxies count for https only, since plain http stays in a private network",
  ignore: programUnderTest().length > 1,
  async fn() {
    using world = makeWorld();
    const lines: string[] = [];
    await using proxy = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      ({ method, url }) => {
        lines.push(`${method} ${url}`);
        return new Response("", { status: 502 });
      },
    );
    await using plain = startMemoryStore(false);
    const address = `http://127.0.0.1:${proxy.addr.port}`;
    const check = async (endpoint: string, variables: Record<string, string>) => {
      lines.length = 0;
      const proxies = [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "NO_PROXY",
        "no_proxy",
      ];
      const env = {
        AWS_ACCESS_KEY_ID: "a",
        AWS_SECRET_ACCESS_KEY: "b",
        ...Object.fromEntries(proxies.map((name) => [name, undefined])),
        ...variables,
      };
      return (await world.run(["store", "check", storeUrl(endpoint)], { env })).code;
    };
    const all = { HTTP_PROXY: address, http_proxy: address, HTTPS_PROXY: address, ALL_PROXY: address };
    assertEquals([await check(`http://127.0.0.1:${plain.addr.port}`, all), lines], [0, []]);
    for (const name of ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"]) {
      assertEquals(await check("https://localhost:9", { [name]: address }), 1);
      assert(lines.length > 0, name);
    }
    for (const variables of [{ HTTP_PROXY: address }, { HTTPS_PROXY: address, NO_PROXY: "localhost" }]) {
      assertEquals([await check("https://localhost:9", variables), lines], [1, []]);
    }
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
      const create = { id: "0123456789abcdef01234567", quotaBytes: 0, ttlMs: 0 };
      return openShared(objects, create, address.place);
    };
    const { failure } = await assertRejects(() => open(bad, bad.endpoint), FdError);
    assertEquals(failure.kind === "store_unfit" ? failure.promise : failure.kind, "create_once");
    // A server that writes late may bring back what the probe has removed.
    assertEquals(filesBelow(bad.directory).filter((path) => !path.includes("/probe-")), []);
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
