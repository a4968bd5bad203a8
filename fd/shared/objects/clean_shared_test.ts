// Promise: cleaning removes what is too old or too much, and never an fd that a host has named; also if a host is
// killed or stands still.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { labelledContent, sampleObject, sampleUpload } from "../../../scripts/fleet/sample_upload.ts";
import { sharedContents } from "../../../scripts/fleet/shared_contents.ts";
import { nonceOf, SimulatedFleet } from "../../../scripts/fleet/simulated_fleet.ts";
import { Killed, type SimulatedHost } from "../../../scripts/fleet/simulated_host.ts";
import type { ServerRequest } from "../../../scripts/fleet/simulated_server.ts";
import { hexOf, utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { FdError } from "../../disk/errors.ts";
import { nameLine } from "../../store/bind_name.ts";
import { cleanShared } from "./clean_shared.ts";
import { DATA_PREFIX, dataOf, fdKey, listingKey, nameKey, NEXT_KEY, segmentKey } from "./shared_keys.ts";
import { bindSharedName, listSharedNames, readSharedName } from "./shared_names.ts";
import { liveObject } from "./fd_object.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MONTH = { quotaBytes: 0, ttlMs: 30 * DAY_MS };

/** A fleet whose store has `count` sealed fds, made one each second. */
function storeOf(count: number, seed = 1): SimulatedFleet {
  const fleet = new SimulatedFleet({ seed });
  for (let id = 1; id <= count; id++) addFd(fleet, id);
  return fleet;
}

function addFd(fleet: SimulatedFleet, id: number): void {
  fleet.server.damage(fdKey(id), sampleObject(nonceOf(fleet.choices), labelledContent(`content ${id}`, 100)));
  fleet.server.read(fdKey(id))!.modifiedAtMs += id * 1000;
}

function clean(fleet: SimulatedFleet, host: SimulatedHost, limits = MONTH) {
  return cleanShared(host, limits, {
    newNonce: () => hexOf(nonceOf(fleet.choices)),
    onUnreadable: ({ kind }) => {
      throw new Error(kind);
    },
  });
}

function bind(fleet: SimulatedFleet, host: SimulatedHost, name: string, id: number) {
  return bindSharedName(host, name, id, () => hexOf(nonceOf(fleet.choices)));
}

const left = (fleet: SimulatedFleet) => sharedContents(fleet.server).map(({ id }) => id);

Deno.test("cleaning removes what is older than the age limit, except named fds, and goes on where it ended", async () => {
  const fleet = storeOf(1200);
  await fleet.time.run([async () => {
    const host = fleet.host();
    await bind(fleet, host, "base", 3);
    assertEquals((await clean(fleet, host)).removed, []);
    await fleet.time.pause(31 * DAY_MS);
    addFd(fleet, 1201);
    const { removed, ended } = await clean(fleet, host);
    assertEquals([removed.length, removed[0]?.why, ended], [1199, "older than the age limit", "done"]);
    assertEquals(left(fleet), [3, 1201]);
    // The listings of what was removed are made again.
    await clean(fleet, host);
    const before = host.requestCount;
    assertEquals((await clean(fleet, host)).removed, []);
    assert(host.requestCount - before < 20, String(host.requestCount - before));
  }]);
});

Deno.test("a cleaning asks for what changed: new fds, groups with fds that became too old, and each group once a week", async () => {
  const fdCount = 4000;
  const groupCount = 5;
  const fleet = storeOf(fdCount);
  fleet.server.damage(NEXT_KEY, utf8Bytes(nameLine(NEXT_KEY, fdCount)));
  await fleet.time.run([async () => {
    const count = async (limits = { quotaBytes: 1e15, ttlMs: 30 * DAY_MS }) => {
      const host = fleet.host();
      assertEquals((await clean(fleet, host, limits)).ended, "done");
      return host.requestCount;
    };
    const most = async (counting: Promise<number>, limit: number) => {
      const requests = await counting;
      assert(requests <= limit, `${requests} requests`);
    };
    await most(count(), fdCount + 3 * groupCount + 30);
    for (let turn = 0; turn < 3; turn++) await most(count(), 20);
    for (let id = fdCount + 1; id <= fdCount + 50; id++) addFd(fleet, id);
    await most(count(), 50 + 20);
    await fleet.time.pause(8 * DAY_MS);
    await most(count(), 2 * groupCount + 20);
    await bind(fleet, fleet.host(), "kept", 2500);
    await fleet.time.pause(31 * DAY_MS);
    addFd(fleet, fdCount + 51);
    await count();
    await count();
    await most(count(), 20 + 2);
    assertEquals(left(fleet), [2500, fdCount + 51]);
  }]);
});

Deno.test("a cleaning that takes too long is cut, and the next one goes on with the others", async () => {
  const fleet = new SimulatedFleet({ seed: 1, latencyMs: 2000 });
  for (let id = 1; id <= 6000; id++) addFd(fleet, id);
  await fleet.time.run([async () => {
    for (const limits of [{ quotaBytes: 0, ttlMs: 30 * DAY_MS }, { quotaBytes: 1e15, ttlMs: 0 }]) {
      const ends: string[] = [];
      while (ends.at(-1) !== "done" && ends.length < 9) {
        ends.push((await clean(fleet, fleet.host(), limits)).ended);
      }
      assertEquals(ends, ["cut", "done"]);
      fleet.server.damage("v1/sum/000000", undefined);
      for (let group = 0; group < 7; group++) fleet.server.damage(listingKey(group), undefined);
    }
  }]);
});

Deno.test("cleaning removes the oldest fds until the store is within its quota", async () => {
  const fleet = storeOf(30);
  await fleet.time.run([async () => {
    const host = fleet.host();
    await bind(fleet, host, "first", 1);
    await fleet.time.pause(DAY_MS);
    const perFd = fleet.server.read(fdKey(10))!.bytes.length;
    const report = await clean(fleet, host, { quotaBytes: 10 * perFd + 50, ttlMs: 0 });
    // Tombstones are small, and do not count.
    assertEquals(left(fleet), [1, ...Array.from({ length: 9 }, (_, at) => 22 + at)]);
    assertEquals(report.removed.length, 20);
    assertEquals((await clean(fleet, host, { quotaBytes: 10 * perFd + 50, ttlMs: 0 })).removed, []);
  }]);
});

Deno.test("a live fd is not removed for the quota, until its writer counts as dead", async () => {
  const fleet = new SimulatedFleet({ seed: 1 });
  const nonce = nonceOf(fleet.choices);
  const stored = {
    event: "stored",
    data: dataOf(nonce),
    segment_bytes: 10,
    form: "plain",
    bytes: 0,
  } as const;
  const record = sampleUpload(labelledContent("live", 900), () => 500).record();
  fleet.server.damage(fdKey(1), liveObject(nonce, record, stored, new Uint8Array(500)));
  await fleet.time.run([async () => {
    const limits = { quotaBytes: 10, ttlMs: 0 };
    await fleet.time.pause(DAY_MS - 60_000);
    assertEquals((await clean(fleet, fleet.host(), limits)).removed, []);
    await fleet.time.pause(60_000);
    assertEquals((await clean(fleet, fleet.host(), limits)).removed.map(({ id }) => id), [1]);
  }]);
});

Deno.test("while one host cleans, another does not; a dead cleaner's work is finished by the next", async () => {
  const fleet = storeOf(10);
  await fleet.time.run([async () => {
    await fleet.time.pause(31 * DAY_MS);
    let tombs = 0;
    const dying = fleet.host((request) => {
      return request.verb === "put" && request.key.startsWith("v1/fd/") && ++tombs === 3
        ? "killed before"
        : "arrives";
    });
    await assertRejects(() => clean(fleet, dying), Killed);
    assertEquals((await clean(fleet, fleet.host())).ended, "busy");
    await fleet.time.pause(19 * 60 * 1000);
    assertEquals((await clean(fleet, fleet.host())).ended, "busy");
    await fleet.time.pause(2 * 60 * 1000);
    assertEquals((await clean(fleet, fleet.host())).ended, "done");
    assertEquals(left(fleet), []);
  }]);
});

Deno.test("a name that was bound while its fd was cleaned keeps it, or is refused: at every moment", async () => {
  let refused = 0;
  for (let startMs = 0; startMs < 600; startMs += 3) {
    const fleet = storeOf(4, startMs);
    let isBound = false;
    await fleet.time.run([
      async () => {
        await fleet.time.pause(31 * DAY_MS);
        await clean(fleet, fleet.host());
      },
      async () => {
        await fleet.time.pause(31 * DAY_MS + startMs);
        try {
          await bind(fleet, fleet.host(), "late", 2);
          isBound = true;
        } catch (thrown) {
          if (!(thrown instanceof FdError && thrown.failure.kind === "removed")) throw thrown;
          refused++;
        }
      },
    ]);
    assertEquals(left(fleet), isBound ? [2] : []);
    const names = { names: [] as string[] };
    await fleet.time.run([async () => {
      names.names = (await listSharedNames(fleet.host())).map(({ name }) => name);
    }]);
    assertEquals(names.names, isBound ? ["late"] : []);
  }
  assert(refused > 20 && refused < 180, String(refused));
});

Deno.test("a cleaner that stood still for an hour at any request removes nothing that was named meanwhile", async () => {
  for (const fate of ["frozen before", "frozen after"] as const) {
    for (let at = 0; at < 25; at++) {
      const fleet = storeOf(4, at);
      await fleet.time.run([
        async () => {
          await fleet.time.pause(31 * DAY_MS);
          await clean(fleet, fleet.host((_, turn) => turn === at ? fate : "arrives"));
        },
        async () => {
          await fleet.time.pause(31 * DAY_MS + 25 * 60 * 1000);
          const bound = await bind(fleet, fleet.host(), "kept", 2).then(() => true, () => false);
          await fleet.time.pause(1000);
          await clean(fleet, fleet.host());
          await fleet.time.pause(2 * 60 * 60 * 1000);
          assertEquals(left(fleet).includes(2), bound);
        },
      ]);
    }
  }
});

Deno.test("who takes a lease over finishes what was announced, also if it would remove less itself", async () => {
  const fleet = storeOf(4);
  const isTombOfTwo = (request: ServerRequest) => request.verb === "put" && request.key === fdKey(2);
  const frozen = fleet.host((request) => isTombOfTwo(request) ? "frozen before" : "arrives");
  await fleet.time.run([
    async () => {
      await fleet.time.pause(31 * DAY_MS);
      await clean(fleet, frozen);
    },
    async () => {
      await fleet.time.pause(31 * DAY_MS + 25 * 60 * 1000);
      await clean(fleet, fleet.host(), { quotaBytes: 0, ttlMs: 0 });
      await assertRejects(() => bind(fleet, fleet.host(), "late", 2), FdError, "removed");
    },
  ]);
  assertEquals(left(fleet), []);
});

Deno.test("binding to a removed or unknown fd puts the old binding back", async () => {
  const fleet = storeOf(2);
  await fleet.time.run([async () => {
    const host = fleet.host();
    assertEquals(await bind(fleet, host, "one", 1), undefined);
    assertEquals(await bind(fleet, host, "one", 2), 1);
    await assertRejects(() => bind(fleet, host, "one", 77), FdError, "not_found");
    assertEquals((await readSharedName(host, "one"))?.id, 2);
    await assertRejects(() => bind(fleet, host, "new", 77), FdError, "not_found");
    assertEquals(await readSharedName(host, "new"), undefined);
    assertEquals((await listSharedNames(host)).map(({ name, id }) => `${name}=${id}`), ["one=2"]);
  }]);
});

Deno.test("a damaged name stops cleaning, since it may protect any fd", async () => {
  const fleet = storeOf(3);
  await fleet.time.run([async () => {
    await fleet.time.pause(31 * DAY_MS);
    fleet.server.damage(nameKey("bad"), utf8Bytes("2 00000000\n"));
    await assertRejects(() => clean(fleet, fleet.host()), FdError, "store_corrupt");
    assertEquals(left(fleet), [1, 2, 3]);
  }]);
});

Deno.test("segments that no fd names are deleted after a day, and no others", async () => {
  const fleet = storeOf(2);
  const litter = nonceOf(fleet.choices);
  litter[0] = 0;
  fleet.server.damage(segmentKey(1, dataOf(litter), 0), new Uint8Array(9));
  fleet.server.damage(segmentKey(99, dataOf(litter), 0), new Uint8Array(9));
  await fleet.time.run([async () => {
    const host = fleet.host();
    assertEquals((await clean(fleet, host)).litterCount, 0);
    await fleet.time.pause(2 * DAY_MS);
    assertEquals((await clean(fleet, host)).litterCount, 2);
  }]);
  assertEquals([fleet.server.keys(DATA_PREFIX), left(fleet)], [[], [1, 2]]);
});
