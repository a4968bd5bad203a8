// Promise: an id is given once, whatever is lost on the way, and an fd gets one id.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { labelledContent, sampleObject } from "../../../scripts/fleet/sample_upload.ts";
import { type FaultRates, nonceOf, SimulatedFleet } from "../../../scripts/fleet/simulated_fleet.ts";
import { Killed } from "../../../scripts/fleet/simulated_host.ts";
import { choicesOf } from "../../../scripts/soaking/random_choices.ts";
import { utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { FdError } from "../../disk/errors.ts";
import { encodeObject } from "../../packs/object_form.ts";
import { type ClaimedId, claimSharedId, closeTriedId, highestShared } from "./claim_shared_id.ts";
import { FD_PREFIX, fdKey, NEXT_KEY } from "./shared_keys.ts";

const LOSSES: FaultRates = { "request lost": 0.05, "request late": 0.05, "answer lost": 0.25 };

/** A claim's object, and its nonce. */
function sample(random: ReturnType<typeof choicesOf>) {
  const nonce = nonceOf(random);
  return { nonce, bytes: encodeObject({ nonce, record: utf8Bytes("line\n") }) };
}

/** Claims `each` ids on each of `hosts` hosts, trying again after failures as a pending upload does. */
async function claimMany(
  { seed, hosts, each, faults }: { seed: number; hosts: number; each: number; faults: FaultRates },
) {
  const fleet = new SimulatedFleet({ seed, faults });
  const claims: { id: number; nonce: string }[] = [];
  const clients = Array.from({ length: hosts }, () => fleet.host());
  const tasks = clients.map((host, number) => async () => {
    const choices = choicesOf(seed * 1000 + number);
    let known: { id: number; atMs: number } | undefined;
    for (let turn = 0; turn < each; turn++) {
      const object = sample(choices);
      let triedId: number | undefined;
      let claimed: ClaimedId | undefined;
      while (claimed === undefined) {
        try {
          claimed = await claimSharedId(host, {
            ...object,
            known: known && { id: known.id, isFresh: fleet.time.nowMs - known.atMs < 2000 },
            triedId,
            onTry: (id) => triedId = id,
            random: () => choices.fraction(),
          });
        } catch (thrown) {
          if (!(thrown instanceof FdError)) throw thrown;
        }
      }
      known = { id: claimed.id, atMs: fleet.time.nowMs };
      claims.push({ id: claimed.id, nonce: object.nonce.join() });
    }
  });
  await fleet.time.run(tasks);
  const requests = clients.reduce((sum, { requestCount }) => sum + requestCount, 0);
  return { fleet, claims, requests };
}

/** The nonce in the object of each id that exists. */
function holders({ server }: SimulatedFleet): Map<number, string> {
  return new Map(
    server.keys(FD_PREFIX).map((key) => {
      return [Number(key.slice(FD_PREFIX.length)), server.read(key)!.bytes.slice(40, 56).join()];
    }),
  );
}

Deno.test("64 hosts that claim at the same time get ids of their own", async () => {
  const { fleet, claims, requests } = await claimMany({ seed: 1, hosts: 64, each: 20, faults: {} });
  assertEquals(new Set(claims.map(({ id }) => id)).size, 64 * 20);
  assertEquals(holders(fleet), new Map(claims.map(({ id, nonce }) => [id, nonce])));
  assert(requests < 64 * 20 * 8, `${requests} requests`);
});

Deno.test("no id is given twice, and no fd gets two, whatever is lost or late", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 12 }), async (seed, hosts) => {
      const { fleet, claims } = await claimMany({ seed, hosts, each: 6, faults: LOSSES });
      // Requests that are still under way.
      await fleet.time.run([() => fleet.time.pause(2 * 60 * 60 * 1000)]);
      assertEquals(holders(fleet), new Map(claims.map(({ id, nonce }) => [id, nonce])));
      assertEquals(claims.length, hosts * 6);
    }),
    { numRuns: 25 },
  );
});

Deno.test("a claim that is killed at any request goes on with the same id", async () => {
  for (let kill = 0; kill < 6; kill++) {
    for (const fate of ["killed before", "killed after"] as const) {
      const fleet = new SimulatedFleet({ seed: kill });
      for (let id = 1; id < 16; id++) fleet.server.damage(fdKey(id), sample(choicesOf(id)).bytes);
      const object = sample(fleet.choices);
      let triedId: number | undefined;
      const claim = (host = fleet.host()) =>
        claimSharedId(host, { ...object, triedId, onTry: (id) => triedId = id });
      let wasKilled = false;
      await fleet.time.run([async () => {
        try {
          await claim(fleet.host((_, turn) => turn === kill ? fate : "arrives"));
        } catch (thrown) {
          if (!(thrown instanceof Killed)) throw thrown;
          wasKilled = true;
        }
        assertEquals((await claim()).id, 16);
      }]);
      assertEquals([...holders(fleet).keys()], Array.from({ length: 16 }, (_, at) => at + 1));
      if (kill < 3) assert(wasKilled);
    }
  }
});

Deno.test("an id whose newest objects were deleted in the bucket is not given again below the hint", async () => {
  const { fleet, claims } = await claimMany({ seed: 3, hosts: 1, each: 40, faults: {} });
  assertEquals(claims.at(-1)?.id, 40);
  for (let id = 20; id <= 40; id++) fleet.server.damage(fdKey(id), undefined);
  await fleet.time.run([async () => {
    const claimed = await claimSharedId(fleet.host(), { ...sample(choicesOf(9)), onTry: () => undefined });
    assertEquals(claimed.id, 33);
  }]);
});

Deno.test("the hint is raised only, also by a host that was frozen", async () => {
  const fleet = new SimulatedFleet({ seed: 5 });
  const claim = async (host = fleet.host()) =>
    (await claimSharedId(host, { ...sample(fleet.choices), onTry: () => undefined })).id;
  const hint = () => new TextDecoder().decode(fleet.server.read(NEXT_KEY)?.bytes).split(" ")[0];
  const slow = fleet.host((request) =>
    request.verb === "put" && request.key === NEXT_KEY ? "frozen before" : "arrives"
  );
  await fleet.time.run([async () => {
    for (let turn = 1; turn < 16; turn++) await claim();
    const frozen = claim(slow);
    await fleet.time.pause(10_000);
    for (let turn = 17; turn <= 40; turn++) await claim();
    assertEquals(hint(), "32");
    assertEquals(await frozen, 16);
    assertEquals(hint(), "32");
  }]);
});

Deno.test("an id that was tried and given up keeps what a host with a copy of the note sealed there", async () => {
  const fleet = new SimulatedFleet({ seed: 6 });
  const nonce = nonceOf(fleet.choices);
  const [own, copied] = ["own", "copied"].map((label) => sampleObject(nonce, labelledContent(label, 50)));
  const host = fleet.host();
  await fleet.time.run([async () => {
    await host.create(fdKey(1), copied!);
    await closeTriedId(host, 1, { bytes: own!, nonce }, "test");
  }]);
  assertEquals(fleet.server.read(fdKey(1))!.bytes, copied);
});

Deno.test("an id that was tried and given up stays unused when the late request arrives", async () => {
  const fleet = new SimulatedFleet({ seed: 6 });
  const object = sample(fleet.choices);
  const other = sample(fleet.choices);
  const host = fleet.host();
  await fleet.time.run([async () => {
    // Before the request arrives, after it arrived, and at an id of another claim.
    await closeTriedId(host, 1, object, "test");
    assertEquals(await host.create(fdKey(1), object.bytes), null);
    await host.create(fdKey(2), object.bytes);
    await closeTriedId(host, 2, object, "test");
    await closeTriedId(host, 2, object, "test");
    await host.create(fdKey(3), other.bytes);
    await closeTriedId(host, 3, object, "test");
    assertEquals(await highestShared(host), 3);
  }]);
  for (const id of [1, 2]) {
    assert(new TextDecoder().decode(fleet.server.read(fdKey(id))!.bytes).includes('"tomb"'));
  }
  assertEquals(fleet.server.read(fdKey(3))!.bytes, other.bytes);
});
