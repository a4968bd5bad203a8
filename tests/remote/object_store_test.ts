// Promise: the client of object stores does what its interface says on a real store, whatever the network does between.

import { assert, assertEquals, assertObjectMatch, assertRejects } from "@std/assert";
import { type ObjectStore, openObjectStore, parseStoreUrl, type StoreOptions } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import type { Fault, FaultProxy } from "./fault_proxy.ts";
import {
  AWS,
  aws,
  isMissing,
  type ObjectServer,
  serverTest,
  startVersitygw,
  storeUrl,
  VERSITYGW,
} from "./object_servers.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

function opened(server: ObjectServer, endpoint: string, options: Partial<StoreOptions> = {}): ObjectStore {
  const url = storeUrl(endpoint, "a/b");
  return openObjectStore(parseStoreUrl(url, "--store"), { env: server.env, ...options });
}

async function failureOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const { failure } = await assertRejects(() => call, FdError);
  return { ...failure };
}

/** A test with a server, a proxy before it, and a store opened through the proxy. */
function test(
  name: string,
  fn: (
    world: { server: ObjectServer; proxy: FaultProxy; store: ObjectStore },
  ) => Promise<void>,
) {
  serverTest(
    name,
    ({ server, proxy }) => fn({ server, proxy, store: opened(server, proxy.endpoint) }),
  );
}

/** Faults for the first requests that `isMeant` selects, in order. */
function inOrder(faults: (Fault | undefined)[], isMeant = (_method: string) => true) {
  return ({ method }: { method: string }) => isMeant(method) ? faults.shift() : undefined;
}

test("an object is created once, read whole and in ranges, replaced only as seen, and removed", async ({ store }) => {
  const made = await store.create("fd/1", encode("hello"));
  assert(made !== null);
  assertEquals(await store.create("fd/1", encode("other")), null);
  const read = await store.get("fd/1");
  assertEquals([decode(read?.bytes), read?.etag, read?.byteCount], ["hello", made.etag, 5]);
  assert(read!.serverNowMs - read!.modifiedAtMs < 60_000);
  for (
    const [from, byteCount, text] of [[0, 2, "he"], [3, 2, "lo"], [3, 99, "lo"], [5, 1, ""], [99, 1, ""], [
      2,
      0,
      "",
    ]] as const
  ) {
    const part = await store.get("fd/1", { from, byteCount });
    assertEquals([decode(part?.bytes), part?.byteCount, part?.etag], [text, 5, made.etag], `${from}`);
  }
  const replaced = await store.replace("fd/1", encode("newer"), made.etag);
  assert(replaced !== null && replaced.etag !== made.etag);
  assertEquals(await store.replace("fd/1", encode("stale"), made.etag), null);
  assertEquals((await store.head("fd/1"))?.etag, replaced.etag);
  assertEquals(decode((await store.get("fd/1"))?.bytes), "newer");
  await store.remove("fd/1");
  await store.remove("fd/1");
  assertEquals([await store.get("fd/1"), await store.head("fd/1")], [null, null]);
  assertEquals(await store.get("fd/1", { from: 0, byteCount: 9 }), null);
  assertEquals(await store.replace("fd/1", encode("gone"), replaced.etag), null);
  await store.put("empty", new Uint8Array());
  assertEquals((await store.get("empty", { from: 0, byteCount: 9 }))?.byteCount, 0);
  assertEquals((await store.get("empty"))?.bytes.length, 0);
});

test("a listing has the keys in order, after a key, and at most as many as asked for", async ({ store, server }) => {
  const keys = Array.from({ length: 7 }, (_, i) => `fd/${String(i * 5).padStart(12, "0")}`);
  for (const key of keys.toReversed()) await store.create(key, encode(key));
  await store.put("fd.x", encode("x"));
  await store.put("ref/n-1._A", encode("x"));
  const listed = async (...args: Parameters<ObjectStore["list"]>) => {
    const { objects, isCut } = await store.list(...args);
    return [objects.map(({ key }) => key), isCut];
  };
  assertEquals(await listed("fd/"), [keys, false]);
  assertEquals(await listed("fd/", keys[2]), [keys.slice(3), false]);
  assertEquals(await listed("fd/", "fd/000000000007", 2), [keys.slice(2, 4), true]);
  assertEquals(await listed("fd/", keys.at(-1)), [[], false]);
  assertEquals(await listed("none/"), [[], false]);
  assertEquals(await listed(""), [["fd.x", ...keys, "ref/n-1._A"], false]);
  const [first] = (await store.list("fd/")).objects;
  assertEquals([first?.byteCount, first?.etag], [15, (await store.head(keys[0]!))?.etag]);
  const other = openObjectStore(parseStoreUrl(storeUrl(server.endpoint), "--store"), { env: server.env });
  assertEquals((await other.list("a/b/fd/")).objects.length, 7, "the prefix is part of the key");
});

test("of many parallel creates and replacements one wins", async ({ store }) => {
  for (let round = 0; round < 4; round++) {
    const writers = Array.from({ length: 16 }, (_, i) => encode(`writer ${i}`));
    const created = await Promise.all(writers.map((bytes) => store.create(`r${round}`, bytes)));
    const winner = created.findIndex((made) => made !== null);
    assertEquals(created.filter((made) => made !== null).length, 1);
    assertEquals(decode((await store.get(`r${round}`))?.bytes), `writer ${winner}`);
    const replaced = await Promise.all(
      writers.map((bytes) => store.replace(`r${round}`, bytes.slice(3), created[winner]!.etag)),
    );
    assertEquals(replaced.filter((made) => made !== null).length, 1);
  }
});

for (const kind of ["lost_before", "lost_after"] as const) {
  test(`answers ${kind.replace("_", " ")} the server has seen the request change no outcome`, async ({ proxy, store }) => {
    const big = new Uint8Array(200_000).fill(7);
    for (const bytes of [encode("mine"), big]) {
      const key = `own-${bytes.length}`;
      proxy.fault = inOrder([{ kind }, { kind }], (method) => method === "PUT");
      const made = await store.create(key, bytes);
      assertEquals((await store.head(key))?.etag, made?.etag, "it was created by this call");
      proxy.fault = inOrder([{ kind }], (method) => method === "PUT");
      const next = bytes.slice(1);
      const replaced = await store.replace(key, next, made!.etag);
      assertEquals((await store.head(key))?.etag, replaced?.etag, "it was replaced by this call");
      assertEquals((await store.get(key))?.bytes, next);
      proxy.fault = inOrder([{ kind }], (method) => method === "PUT");
      assertEquals(await store.create(key, encode("other")), null, "it is another writer's");
      proxy.fault = inOrder([{ kind }], (method) => method === "PUT");
      assertEquals(await store.replace(key, encode("other"), made!.etag), null);
      proxy.fault = inOrder([{ kind }], (method) => method === "GET");
      assertEquals((await store.get(key))?.bytes, next);
      proxy.fault = inOrder([{ kind }], (method) => method === "DELETE");
      await store.remove(key);
      assertEquals(await store.head(key), null);
    }
  });
}

test("a create whose answer was lost is recognized after another writer has replaced it", async ({ server, proxy, store }) => {
  const direct = opened(server, server.endpoint);
  let puts = 0;
  proxy.fault = async ({ method }) => {
    if (method !== "PUT") return undefined;
    puts++;
    if (puts === 1) return { kind: "lost_after" };
    // The other writer comes between the lost answer and the repetition.
    const facts = await direct.head("k");
    await direct.replace("k", encode("nonce-1, kept"), facts!.etag);
    return undefined;
  };
  const isOwn = (start: Uint8Array) => decode(start).startsWith("nonce-1");
  assert(await store.create("k", encode("nonce-1"), isOwn) !== null);
  assertEquals(decode((await store.get("k"))?.bytes), "nonce-1, kept");
  proxy.fault = () => undefined;
  assertEquals(
    await store.create("k", encode("nonce-2"), (start) => decode(start).startsWith("nonce-2")),
    null,
  );
});

test("storms of 503, 429 and 409 and cut answers are waited out; a lasting one is store_unreachable", async ({ proxy, store }) => {
  for (
    const [status, code] of [[503, "SlowDown"], [500, "InternalError"], [429, "TooMany"], [
      409,
      "ConditionalRequestConflict",
    ]] as const
  ) {
    proxy.fault = inOrder(Array.from({ length: 2 }, () => ({ kind: "refused", status, code })));
    assert(await store.create(`k${status}`, encode("x")) !== null);
  }
  proxy.reset();
  proxy.fault = () => ({ kind: "refused", status: 503, code: "SlowDown" });
  const failure = await failureOf(store.get("k503"));
  assertEquals([failure["kind"], failure["reason"]], ["store_unreachable", "503 SlowDown"]);
  assertEquals(proxy.requests.length, 5, "the first request and four more");
  proxy.fault = () => undefined;
  const big = new Uint8Array(300_000).fill(1);
  await store.put("big", big);
  proxy.fault = inOrder([{ kind: "cut", byteCount: 0 }, { kind: "cut", byteCount: 100_000 }]);
  assertEquals((await store.get("big"))?.bytes, big);
  proxy.fault = inOrder([{ kind: "cut", byteCount: 50 }]);
  assertEquals((await store.list("big")).objects.length, 1);
});

test("a store that does not answer is given up after the patience that was given", async ({ server, proxy }) => {
  const store = opened(server, proxy.endpoint, { patienceMs: 50 });
  proxy.fault = () => ({ kind: "stalled" });
  assertEquals((await failureOf(store.get("k")))["kind"], "store_unreachable");
  const closed = openObjectStore(parseStoreUrl(storeUrl("http://127.0.0.1:9"), "--store"), {
    env: server.env,
    patienceMs: 50,
  });
  assertEquals((await failureOf(closed.create("k", encode("x"))))["kind"], "store_unreachable");
});

test("an aborted signal ends requests with its reason", async ({ server, proxy }) => {
  const abort = new AbortController();
  const store = opened(server, proxy.endpoint, { signal: abort.signal });
  proxy.fault = () => {
    abort.abort(new Error("cancelled"));
    return { kind: "stalled" };
  };
  await assertRejects(() => store.get("k"), Error, "cancelled");
});

test("a clock that is hours off is corrected by the server's", async ({ server, proxy }) => {
  const { now } = Date;
  for (const hours of [-5, 5]) {
    Date.now = () => now() + hours * 3_600_000;
    try {
      const store = opened(server, proxy.endpoint);
      proxy.reset();
      assert(await store.create(`k${hours}`, encode("x")) !== null);
      const { serverNowMs } = (await store.head(`k${hours}`))!;
      assert(Math.abs(serverNowMs - now()) < 60_000);
      assertEquals(proxy.requests.map(({ method }) => method), ["PUT", "PUT", "HEAD"], "corrected once");
      assertEquals(await opened(server, proxy.endpoint).head("none"), null, "without an error code, too");
    } finally {
      Date.now = now;
    }
  }
});

test("wrong credentials, none, and a missing bucket are store_denied at once", async ({ server, proxy }) => {
  const env = { ...server.env, AWS_SECRET_ACCESS_KEY: "wrong" };
  const denied = await failureOf(opened(server, proxy.endpoint, { env }).get("k"));
  assertEquals([denied["kind"], denied["reason"], denied["action"]], [
    "store_denied",
    "403 SignatureDoesNotMatch",
    "read k",
  ]);
  assertEquals(proxy.requests.length, 1);
  const none = { HOME: server.directory, AWS_EC2_METADATA_DISABLED: "true" };
  const missing = await failureOf(opened(server, proxy.endpoint, { env: none }).get("k"));
  assertEquals(missing["kind"], "store_denied");
  const other = parseStoreUrl(storeUrl(server.endpoint).replace("bucket", "absent"), "--store");
  const absent = await failureOf(openObjectStore(other, { env: server.env }).create("k", encode("x")));
  assertEquals([absent["kind"], absent["reason"]], ["store_denied", "404 NoSuchBucket"]);
});

test("a store that takes etags only without quotes is understood", async ({ proxy, store }) => {
  const made = await store.create("k", encode("1"));
  // Ceph's gateway answers 412 to etags in quotes.
  proxy.fault = ({ headers }) =>
    headers.get("if-match")?.startsWith('"') === true
      ? { kind: "refused", status: 412, code: "PreconditionFailed" }
      : undefined;
  const replaced = await store.replace("k", encode("2"), made!.etag);
  assertEquals(decode((await store.get("k"))?.bytes), "2");
  proxy.reset();
  assert(await store.replace("k", encode("3"), replaced!.etag) !== null);
  assertEquals(proxy.requests.length, 1, "learned");
  assertEquals(await store.replace("k", encode("4"), made!.etag), null);
});

test("requests the server cannot carry out break the promise they are for", async ({ proxy, store }) => {
  const promises: [string, number, () => Promise<unknown>][] = [
    ["create_once", 501, () => store.create("k", encode("x"))],
    ["replace_seen", 501, () => store.replace("k", encode("x"), "e")],
    ["ranges", 400, () => store.get("k", { from: 0, byteCount: 1 })],
    ["ordered_list", 501, () => store.list("")],
  ];
  for (const [promise, status, call] of promises) {
    proxy.fault = () => ({ kind: "refused", status, code: "NotImplemented" });
    const failure = await failureOf(call());
    assertEquals([failure["kind"], failure["promise"]], ["store_unfit", promise]);
  }
});

Deno.test({
  name: "another client, that of AWS, reads, lists and replaces what this one wrote",
  ignore: isMissing(VERSITYGW) || isMissing(AWS),
  async fn() {
    await using server = await startVersitygw();
    const store = opened(server, server.endpoint);
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251);
    const made = await store.create("data/x", bytes);
    const directory = await Deno.makeTempDir();
    const [got, next] = [`${directory}/got`, `${directory}/next`];
    Deno.writeTextFileSync(next, "from aws");
    const place = ["--bucket", "bucket", "--key", "a/b/data/x"];
    const printed = await aws(
      server,
      ["s3api", "get-object", ...place, got],
      ["s3", "ls", "s3://bucket/a/b/data/"],
      ["s3api", "put-object", ...place, "--body", next, "--if-match", `"${made!.etag}"`],
    );
    assertEquals(Deno.readFileSync(got), bytes);
    const [, read = "", listed = ""] = /^(\{[^]*?\n\})\n(.*)\n/.exec(printed) ?? [];
    assertObjectMatch(JSON.parse(read), { ETag: `"${made!.etag}"`, ContentLength: 100_000 });
    assertEquals(listed.trim().split(/\s+/).slice(2), ["100000", "x"]);
    assertEquals(decode((await store.get("data/x"))?.bytes), "from aws");
    assertEquals(await store.replace("data/x", encode("stale"), made!.etag), null);
    Deno.removeSync(directory, { recursive: true });
  },
  sanitizeResources: false,
  sanitizeOps: false,
});
