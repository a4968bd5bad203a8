// Promise: what a host publishes is on the object store once and whole, wherever its process was killed or stood still.

import { assert, assertEquals } from "@std/assert";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { labelledContent, sampleUpload } from "../../../scripts/fleet/sample_upload.ts";
import { sharedContents } from "../../../scripts/fleet/shared_contents.ts";
import { nonceOf, SimulatedFleet } from "../../../scripts/fleet/simulated_fleet.ts";
import { Killed, type RequestFate } from "../../../scripts/fleet/simulated_host.ts";
import { choicesOf } from "../../../scripts/soaking/random_choices.ts";
import { readShared, stateOf } from "./fd_object.ts";
import { listPending, type PendingUpload, readPending, startPending } from "./pending_upload.ts";
import { publishFd, type UploadSource } from "./publish_fd.ts";
import { removeShared } from "./remove_shared.ts";
import { DATA_PREFIX, FD_PREFIX, fdKey } from "./shared_keys.ts";

const SIZES = { mostInsideBytes: 100, segmentBytes: 250 };

/** Runs `test` with a directory for pending uploads. */
async function withPending(test: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(Deno.env.get("TMPDIR") ?? "/tmp", "fdtool-pending-"));
  try {
    await test(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Publishes through a new host of `fleet`; returns undefined if the host was killed. */
async function publish(
  fleet: SimulatedFleet,
  source: UploadSource,
  pending: PendingUpload,
  fate?: (turn: number) => RequestFate,
) {
  try {
    const host = fleet.host(fate && ((_, turn) => fate(turn)));
    return await publishFd(host, source, pending, {
      ...fleet.uploader(choicesOf(1)),
      newNonce: () => nonceOf(fleet.choices),
      sizes: SIZES,
    });
  } catch (thrown) {
    if (!(thrown instanceof Killed)) throw thrown;
    return undefined;
  }
}

const SMALL = labelledContent("small", 80);
const LARGE = labelledContent("large", 1130);

for (const [kind, content] of [["small", SMALL], ["large", LARGE]] as const) {
  for (
    const fate of ["killed before", "killed after", "frozen before", "frozen after", "answer lost"] as const
  ) {
    Deno.test(`a ${kind} fd is shared once and whole: ${fate} at every request`, async () => {
      await withPending(async (directory) => {
        for (let at = 0, isAfter = false; !isAfter; at++) {
          const fleet = new SimulatedFleet({ seed: at });
          const pending = startPending(directory, nonceOf(fleet.choices), { localId: 7 });
          await fleet.time.run([async () => {
            const first = await publish(
              fleet,
              sampleUpload(content),
              pending,
              (turn) => turn === at ? fate : "arrives",
            );
            // Another process goes on from the note.
            const [name] = listPending(directory);
            assertEquals(first === undefined, name !== undefined);
            if (name !== undefined) {
              await publish(fleet, sampleUpload(content), readPending(directory, name)!);
            }
          }]);
          assertEquals(sharedContents(fleet.server), [{ id: 1, content, state: "sealed" }]);
          assertEquals(readdirSync(directory), []);
          isAfter = at > 12;
        }
      });
    });
  }
}

for (const [kind, content] of [["small", SMALL], ["large", LARGE]] as const) {
  Deno.test(`a ${kind} fd whose credentials end at any request is shared once they are renewed`, async () => {
    await withPending(async (directory) => {
      let deniedAt = 0;
      for (let isDenied = true; isDenied; deniedAt++) {
        const fleet = new SimulatedFleet({ seed: deniedAt });
        const pending = startPending(directory, nonceOf(fleet.choices), { localId: 7 });
        await fleet.time.run([async () => {
          const upload = (fate?: (turn: number) => RequestFate) =>
            publish(fleet, sampleUpload(content), readPending(directory, pending.name)!, fate);
          isDenied = await upload((turn) => turn >= deniedAt ? "denied" : "arrives").then(
            () => false,
            (thrown) => {
              assertEquals(thrown.failure?.kind, "store_denied");
              return true;
            },
          );
          if (!isDenied) return;
          const { claimedId, triedIds } = readPending(directory, pending.name)!;
          // Still refused: the note stays as it is.
          await upload(() => "denied").catch(() => undefined);
          assertEquals(readPending(directory, pending.name)?.claimedId, claimedId);
          assertEquals((await upload())?.id, claimedId ?? triedIds.at(-1) ?? 1);
        }]);
        assertEquals(sharedContents(fleet.server), [{ id: 1, content, state: "sealed" }]);
        assertEquals(readdirSync(directory), []);
      }
      assert(deniedAt > (content === SMALL ? 2 : 8));
    });
  });
}

/** Kills an upload at request `turn`, copies its notes, and lets the copy go on with `second`, then the first with `first`. */
async function publishCopied(turn: number, first: Uint8Array, second: Uint8Array) {
  let result: { ids: number[]; contents: Uint8Array[] } | undefined;
  await withPending(async (directory) => {
    await withPending(async (copy) => {
      const fleet = new SimulatedFleet({ seed: turn });
      const { name } = startPending(directory, nonceOf(fleet.choices), { localId: 7 });
      await fleet.time.run([async () => {
        const fate = (now: number) => now === turn ? "killed after" : "arrives";
        await publish(fleet, sampleUpload(first), readPending(directory, name)!, fate);
        cpSync(directory, copy, { recursive: true });
        const ids: number[] = [];
        for (const [at, content] of [[copy, second], [directory, first]] as const) {
          ids.push((await publish(fleet, sampleUpload(content), readPending(at, name)!))!.id);
        }
        const contents = ids.map((id) => sharedContents(fleet.server).find((fd) => fd.id === id)!.content);
        result = { ids, contents };
      }]);
    });
  });
  return result!;
}

Deno.test("two hosts with a copied note share the content once, after it has its id", async () => {
  for (const content of [SMALL, LARGE]) {
    for (let turn = 2; turn <= (content === SMALL ? 2 : 8); turn++) {
      assertEquals(await publishCopied(turn, content, content), {
        ids: [1, 1],
        contents: [content, content],
      });
    }
    // Nothing says yet that both are the same fd.
    const early = await publishCopied(0, content, content);
    assertEquals(early, { ids: [1, 2], contents: [content, content] });
  }
});

Deno.test("two hosts with a copied note whose contents differ share each under its own id", async () => {
  const other = LARGE.map((byte, at) => at < 600 ? byte : 0x2b);
  for (const second of [other, LARGE.slice(0, 600), LARGE.slice(0, 80)]) {
    for (let turn = 2; turn <= 8; turn++) {
      const { ids, contents } = await publishCopied(turn, LARGE, second);
      assertEquals([new Set(ids).size, ...contents], [2, second, LARGE]);
    }
  }
});

Deno.test("a live fd is readable elsewhere while it grows, and whole at its end", async () => {
  await withPending(async (directory) => {
    const fleet = new SimulatedFleet({ seed: 1 });
    const arrived = () => Math.floor(fleet.time.nowMs / 1000) * 10;
    const pending = startPending(directory, nonceOf(fleet.choices), { localId: 1 });
    const seen: number[] = [];
    await fleet.time.run([
      async () => {
        await publish(fleet, sampleUpload(LARGE, arrived), pending);
      },
      async () => {
        for (let look = 0; look < 10; look++) {
          await fleet.time.pause(11_000);
          const [fd] = sharedContents(fleet.server);
          assertEquals(fd!.content, LARGE.subarray(0, fd!.content.length));
          assertEquals(fd!.state, "live");
          seen.push(arrived() - fd!.content.length);
        }
      },
    ]);
    // At most ten seconds late, or what does not fit into the object.
    assert(
      seen.every((lateBytes) => lateBytes <= 100 + SIZES.segmentBytes - SIZES.mostInsideBytes),
      seen.join(),
    );
    assertEquals(sharedContents(fleet.server), [{ id: 1, content: LARGE, state: "sealed" }]);
  });
});

Deno.test("a live fd that shows no life for a day counts as incomplete; a silent one with a writer does not", async () => {
  await withPending(async (directory) => {
    const fleet = new SimulatedFleet({ seed: 1 });
    const dayMs = 24 * 60 * 60 * 1000;
    const silent = sampleUpload(LARGE, () => fleet.time.nowMs > 1.2 * dayMs ? LARGE.length : 20);
    const dead = sampleUpload(LARGE, () => 20);
    const notes = [1, 2].map((localId) => startPending(directory, nonceOf(fleet.choices), { localId }));
    const reader = fleet.host(() => "arrives");
    await fleet.time.run([
      async () => {
        await publish(fleet, silent, notes[0]!);
      },
      async () => {
        await fleet.time.pause(1000);
        await publish(fleet, dead, notes[1]!, (turn) => turn === 3 ? "killed before" : "arrives");
      },
      async () => {
        for (const [afterMs, states] of [[20_000, "live,live"], [1.1 * dayMs, "live,incomplete"]] as const) {
          await fleet.time.pause(afterMs);
          const found = [await readShared(reader, 1), await readShared(reader, 2)];
          assertEquals(found.map((fd) => stateOf(fd!)).join(), states);
        }
      },
    ]);
  });
});

Deno.test("a writer whose fd was removed meanwhile publishes its content as a new fd", async () => {
  await withPending(async (directory) => {
    const fleet = new SimulatedFleet({ seed: 1 });
    const pending = startPending(directory, nonceOf(fleet.choices), { localId: 1 });
    const dayMs = 24 * 60 * 60 * 1000;
    const frozen = fleet.host((_, turn) => turn === 4 ? "frozen before" : "arrives");
    let published: { id: number } | undefined;
    await fleet.time.run([
      async () => {
        published = await publishFd(frozen, sampleUpload(LARGE), pending, {
          ...fleet.uploader(fleet.choices),
          sizes: SIZES,
        });
      },
      async () => {
        await fleet.time.pause(60_000);
        // As if it had been still for a day.
        const object = fleet.server.read(fdKey(1))!;
        object.modifiedAtMs -= dayMs;
        await removeShared(fleet.host(), 1, "test");
      },
    ]);
    assertEquals(published?.id, 2);
    assertEquals(sharedContents(fleet.server), [{ id: 2, content: LARGE, state: "sealed" }]);
  });
});

Deno.test("an fd that was removed after its upload, before its host heard of the end, is not published again", async () => {
  for (const content of [SMALL, LARGE]) {
    await withPending(async (directory) => {
      const fleet = new SimulatedFleet({ seed: 1 });
      const pending = startPending(directory, nonceOf(fleet.choices), { localId: 1 });
      const sealing = content === SMALL ? 2 : 8;
      await fleet.time.run([async () => {
        await publish(
          fleet,
          sampleUpload(content),
          pending,
          (turn) => turn === sealing ? "killed after" : "arrives",
        );
        await removeShared(fleet.host(), 1, "removed by rm");
        const resumed = readPending(directory, pending.name)!;
        assertEquals((await publish(fleet, sampleUpload(content), resumed))?.id, 1);
      }]);
      assertEquals([sharedContents(fleet.server), readdirSync(directory)], [[], []]);
    });
  }
});

Deno.test("an fd of off/ that is lost gets an id of the store", async () => {
  await withPending(async (directory) => {
    const fleet = new SimulatedFleet({ seed: 1 });
    const offlineId = 2 ** 46 + 5;
    const pending = startPending(directory, nonceOf(fleet.choices), { localId: 1, offlineId });
    await fleet.time.run([async () => {
      await publish(fleet, sampleUpload(LARGE), pending, (turn) => turn === 3 ? "killed before" : "arrives");
      await fleet.time.pause(25 * 60 * 60 * 1000);
      await removeShared(fleet.host(), offlineId, "test");
      assertEquals((await publish(fleet, sampleUpload(LARGE), readPending(directory, pending.name)!))?.id, 1);
    }]);
    assertEquals(sharedContents(fleet.server), [{ id: 1, content: LARGE, state: "sealed" }]);
  });
});

Deno.test("an fd whose object was deleted in the bucket while it was uploaded gets it back under its id", async () => {
  await withPending(async (directory) => {
    const fleet = new SimulatedFleet({ seed: 1 });
    const pending = startPending(directory, nonceOf(fleet.choices), { localId: 1 });
    const upload = publish(
      fleet,
      sampleUpload(LARGE),
      pending,
      (turn) => turn === 4 ? "frozen before" : "arrives",
    );
    await fleet.time.run([
      async () => {
        assertEquals((await upload)?.id, 1);
      },
      async () => {
        await fleet.time.pause(60_000);
        fleet.server.damage(fdKey(1), undefined);
      },
    ]);
    assertEquals(sharedContents(fleet.server), [{ id: 1, content: LARGE, state: "sealed" }]);
  });
});

Deno.test("an fd with an id of off/ closes the ids that it tried before", async () => {
  for (const fate of ["request lost", "request late", "answer lost"] as const) {
    await withPending(async (directory) => {
      const fleet = new SimulatedFleet({ seed: 1 });
      const offlineId = 2 ** 46 + 5;
      const pending = startPending(directory, nonceOf(fleet.choices), { localId: offlineId });
      await fleet.time.run([async () => {
        // The server is not reached: all repetitions fail.
        await publish(fleet, sampleUpload(SMALL), pending, (turn) => turn < 2 ? "arrives" : fate).catch(() =>
          undefined
        );
        assertEquals(pending.triedIds.at(-1), 1);
        pending.goOffline(offlineId);
        assertEquals((await publish(fleet, sampleUpload(SMALL), pending))?.id, offlineId);
        await fleet.time.pause(2 * 60 * 60 * 1000);
      }]);
      assertEquals(sharedContents(fleet.server), [{ id: offlineId, content: SMALL, state: "sealed" }]);
      assertEquals(fleet.server.keys(FD_PREFIX), [fdKey(1)]);
    });
  }
});

Deno.test("removing a large fd leaves its tombstone and no segment", async () => {
  await withPending(async (directory) => {
    const fleet = new SimulatedFleet({ seed: 1 });
    const pending = startPending(directory, nonceOf(fleet.choices), { localId: 1 });
    await fleet.time.run([async () => {
      await publish(fleet, sampleUpload(LARGE), pending);
      assertEquals(fleet.server.keys(DATA_PREFIX).length, 5);
      const removal = await removeShared(fleet.host(), 1, "removed by rm");
      assertEquals([removal.byteCount, removal.source], [LARGE.length, "stdin"]);
      assertEquals(stateOf((await readShared(fleet.host(), 1))!), "removed");
    }]);
    assertEquals(fleet.server.keys(DATA_PREFIX), []);
  });
});
