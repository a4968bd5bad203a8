// Promise: a listing shows every fd as it is, takes few requests, and never believes an old or damaged cache.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { labelledContent, sampleObject } from "../../../scripts/fleet/sample_upload.ts";
import { nonceOf, SimulatedFleet } from "../../../scripts/fleet/simulated_fleet.ts";
import type { SimulatedHost } from "../../../scripts/fleet/simulated_host.ts";
import { hexOf, utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { FdError } from "../../disk/errors.ts";
import { claimSharedId } from "./claim_shared_id.ts";
import { cleanShared } from "./clean_shared.ts";
import { stateOf } from "./fd_object.ts";
import { listAllShared, listNewestShared } from "./list_shared.ts";
import { removeShared } from "./remove_shared.ts";
import { nameLine } from "../../store/bind_name.ts";
import { fdKey, listingKey, NEXT_KEY } from "./shared_keys.ts";

const REFUSE = ({ kind }: { kind: string }): never => {
  throw new Error(kind);
};

function storeOf(count: number, firstId = 1): SimulatedFleet {
  const fleet = new SimulatedFleet({ seed: 1, latencyMs: 12.5 });
  for (let id = firstId; id < firstId + count; id++) addFd(fleet, id);
  return fleet;
}

function addFd(fleet: SimulatedFleet, id: number): void {
  fleet.server.damage(fdKey(id), sampleObject(nonceOf(fleet.choices), labelledContent(`content ${id}`, 100)));
}

Deno.test("10,000 fds are listed with few requests once their listings are there", async () => {
  const fleet = storeOf(10_000);
  fleet.server.damage(NEXT_KEY, utf8Bytes(nameLine(NEXT_KEY, 9984)));
  await fleet.time.run([async () => {
    const first = await listAllShared(fleet.host(), REFUSE);
    assertEquals(first.length, 10_000);
    const host = fleet.host();
    const startMs = fleet.time.nowMs;
    const again = await listAllShared(host, REFUSE);
    assertEquals(
      again.map(({ id, etag, log }) => [id, etag, log.seal?.bytes]),
      first.map(({ id, etag, log }) => [id, etag, log.seal?.bytes]),
    );
    assert(host.requestCount <= 30, `${host.requestCount} requests`);
    assert(fleet.time.nowMs - startMs < 1000, `${fleet.time.nowMs - startMs} simulated ms`);
  }]);
});

Deno.test("the newest 100 of 10,000 fds without a listing take at most 25 requests, and are as they are now", async () => {
  const fleet = storeOf(9871);
  await fleet.time.run([async () => {
    const writers = [fleet.host(), fleet.host(), fleet.host()];
    for (let id = 9872; id <= 9999; id++) {
      const nonce = nonceOf(fleet.choices);
      const bytes = sampleObject(nonce, labelledContent(`content ${id}`, 100));
      const known = { id: id - 1, isFresh: true };
      const claimed = await claimSharedId(writers[id % 3]!, { bytes, nonce, known, onTry: () => undefined });
      assertEquals(claimed.id, id);
    }
    await removeShared(writers[0]!, 9950, "test");
    const host = fleet.host();
    const newest = await listNewestShared(host, 100, REFUSE);
    assert(host.requestCount <= 25, `${host.requestCount} requests`);
    const wanted = (await listAllShared(fleet.host(), REFUSE)).filter((fd) => stateOf(fd) !== "removed");
    const factsOf = ({ id, etag, log }: typeof wanted[number]) => [id, etag, log.seal?.bytes];
    assertEquals(newest.map(factsOf), wanted.slice(-100).map(factsOf));
  }]);
});

Deno.test("a list that found many entries missing leaves them for the next one, unless it may not write", async () => {
  const fleet = storeOf(200);
  await fleet.time.run([async () => {
    const requestsOf = async (host = fleet.host()) => {
      assertEquals((await listNewestShared(host, 100, REFUSE)).length, 100);
      return host.requestCount;
    };
    const denied = new FdError({ kind: "store_denied", store: "s", action: "create", reason: "403" });
    const reader = fleet.host();
    reader.create = reader.replace = () => Promise.reject(denied);
    assert(await requestsOf(reader) > 100);
    assert(await requestsOf() > 100);
    assert(await requestsOf() <= 10);
  }]);
});

Deno.test("a listing shows what changed after it was written, also if it is damaged", async () => {
  const fleet = storeOf(60);
  await fleet.time.run([async () => {
    const host = fleet.host();
    const states = async () => (await listAllShared(host, REFUSE)).map(stateOf).join();
    await states();
    await removeShared(host, 7, "test");
    addFd(fleet, 61);
    const wanted = Array.from({ length: 61 }, (_, at) => at === 6 ? "removed" : "sealed").join();
    assertEquals(await states(), wanted);
    for (const damaged of ["", "no gzip", "\x1f\x8b\x08"]) {
      fleet.server.damage(listingKey(0), utf8Bytes(damaged));
      assertEquals(await states(), wanted);
      assertEquals(await states(), wanted);
    }
  }]);
});

Deno.test("the newest fds are listed without those removed, across thousands and gaps, with those of off/", async () => {
  const fleet = storeOf(30, 1990);
  addFd(fleet, 3500);
  await fleet.time.run([async () => {
    const host = fleet.host();
    await removeShared(host, 2010, "test");
    await fleet.time.pause(5000);
    addFd(fleet, 2 ** 46 + 9);
    const ids = async (most: number) => (await listNewestShared(host, most, REFUSE)).map(({ id }) => id);
    assertEquals(await ids(3), [2019, 3500, 2 ** 46 + 9]);
    const all = await ids(100);
    assertEquals([all.length, all[0], all.includes(2010)], [31, 1990, false]);
  }]);
});

Deno.test("a damaged fd is reported and left out", async () => {
  const fleet = storeOf(3);
  fleet.server.damage(fdKey(2), utf8Bytes("damaged"));
  await fleet.time.run([async () => {
    const reported: string[] = [];
    const fds = await listAllShared(fleet.host(), ({ kind }) => {
      reported.push(kind);
    });
    assertEquals([fds.map(({ id }) => id), reported], [[1, 3], ["store_corrupt"]]);
  }]);
});

Deno.test("an object far above all others, which any writer of the bucket can put there, is not walked to", async () => {
  const fleet = storeOf(2500);
  for (const id of [3_000_000, 999_999_999_999]) addFd(fleet, id);
  await fleet.time.run([async () => {
    const count = async (run: (host: SimulatedHost) => Promise<{ length: number }>, most: number) => {
      const host = fleet.host();
      const { length } = await run(host);
      assert(host.requestCount <= most, `${host.requestCount} requests`);
      return length;
    };
    assertEquals(await count((host) => listAllShared(host, REFUSE), 2700), 2502);
    assertEquals(await count((host) => listNewestShared(host, 100, REFUSE), 250), 100);
    const removeAll = { quotaBytes: 1, ttlMs: 0 };
    const options = { newNonce: () => hexOf(nonceOf(fleet.choices)), onUnreadable: REFUSE };
    const cleaned = async (host: SimulatedHost) => (await cleanShared(host, removeAll, options)).removed;
    assertEquals(await count(cleaned, 12_000), 2502);
    await assertRejects(
      async () => {
        const nonce = nonceOf(fleet.choices);
        await claimSharedId(fleet.host(), { bytes: new Uint8Array(128), nonce, onTry: () => undefined });
      },
      FdError,
      "store_corrupt",
    );
  }]);
});
