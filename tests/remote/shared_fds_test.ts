// Promise: on a real object store, ids are given once to any number of processes, a killed upload is finished by the
// next process, and cleaning goes by the server's dates and leaves what is named.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { openObjectStore, parseStoreUrl } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { cleanShared } from "../../fd/shared/objects/clean_shared.ts";
import { readShared, readWholeObject, stateOf } from "../../fd/shared/objects/fd_object.ts";
import { listAllShared } from "../../fd/shared/objects/list_shared.ts";
import { removeShared } from "../../fd/shared/objects/remove_shared.ts";
import { DATA_PREFIX, FD_PREFIX, fdKey, segmentKey } from "../../fd/shared/objects/shared_keys.ts";
import { bindSharedName, listSharedNames } from "../../fd/shared/objects/shared_names.ts";
import { choicesOf } from "../../scripts/soaking/random_choices.ts";
import type { FaultProxy } from "./fault_proxy.ts";
import { type ObjectServer, serverTest, storeUrl } from "./object_servers.ts";
import { removeTree } from "../world.ts";

const PROCESS = new URL("../../scripts/fleet/publish_many.ts", import.meta.url).pathname;
const DAY_MS = 24 * 60 * 60 * 1000;

interface World {
  server: ObjectServer;
  proxy: FaultProxy;
  directory: string;
}

function test(name: string, fn: (world: World) => Promise<void>) {
  serverTest(name, async ({ server, proxy }) => {
    const directory = Deno.makeTempDirSync({ prefix: "fdtool-shared-" });
    try {
      await fn({ server, proxy, directory });
    } finally {
      removeTree(directory);
    }
  });
}

function storeOf({ server, proxy }: World) {
  return openObjectStore(parseStoreUrl(storeUrl(proxy.endpoint), "--store"), { env: server.env });
}

/** Starts a process that publishes `count` fds of `byteCount` bytes. */
function publisher({ server, proxy, directory }: World, label: string, count: number, byteCount: number) {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", PROCESS, storeUrl(proxy.endpoint), `${directory}/${label}`],
      ...[label, String(count), String(byteCount)],
    ],
    env: { ...server.env },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

async function idsOf(process: Deno.ChildProcess): Promise<[label: string, id: number][]> {
  const { stdout, success } = await process.output();
  assert(success);
  return new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
    const [label, id] = line.split(" ");
    return [label!, Number(id)];
  });
}

/** Ids that processes of several hosts get; each object is the one that its process published. */
async function claimFrom(world: World, processes: number, each: number): Promise<void> {
  const running = Array.from({ length: processes }, (_, n) => publisher(world, `p${n}`, each, 60));
  const claims = (await Promise.all(running.map(idsOf))).flat();
  world.proxy.fault = () => undefined;
  assertEquals(new Set(claims.map(([, id]) => id)).size, processes * each);
  const objects = storeOf(world);
  const listed = await objects.list(FD_PREFIX);
  assertEquals(listed.objects.length, processes * each);
  for (const [label, id] of claims) {
    const { bytes } = (await readWholeObject(objects, id))!;
    assert(new TextDecoder().decode(bytes).includes(label), `fd:${id} has ${label}`);
  }
}

test("processes that publish at the same time get ids of their own", async (world) => {
  await claimFrom(world, 6, 12);
});

test("they do so if requests and answers are lost", async (world) => {
  const { fraction } = choicesOf(5);
  world.proxy.fault = () => {
    const drawn = fraction();
    return drawn < 0.05 ? { kind: "lost_before" } : drawn < 0.2 ? { kind: "lost_after" } : undefined;
  };
  await claimFrom(world, 4, 10);
});

test("an upload whose process is killed is finished by the next, under the same id", async (world) => {
  const byteCount = 30 * 2 ** 20;
  let puts = 0;
  // Killed before its third segment.
  const reached = new Promise<void>((resolve) => {
    world.proxy.fault = ({ method, path }) => {
      if (method === "PUT" && path.includes("/data/") && ++puts === 3) resolve();
      return puts >= 3 ? { kind: "stalled" } : undefined;
    };
  });
  const first = publisher(world, "big", 1, byteCount);
  await reached;
  first.kill("SIGKILL");
  await first.output();
  world.proxy.fault = () => undefined;
  const objects = storeOf(world);
  assertEquals(stateOf((await readShared(objects, 1))!), "live");
  world.proxy.reset();
  assertEquals(await idsOf(publisher(world, "big", 1, byteCount)), [["big-1;", 1]]);
  const segmentPuts = world.proxy.requests.filter(({ method, path }) =>
    method === "PUT" && path.includes("/data/")
  );
  assert(segmentPuts.length <= 3, "segments that were there are not sent again");
  const fd = (await readShared(objects, 1))!;
  assertEquals([stateOf(fd), fd.log.seal?.bytes, fd.log.stored?.bytes], ["sealed", byteCount, byteCount]);
  const { data, segment_bytes } = fd.log.stored!;
  let bytes = 0;
  for (let segment = 0; bytes < byteCount; segment++) {
    bytes += (await objects.head(segmentKey(1, data, segment)))!.byteCount;
    assertEquals(bytes, Math.min(byteCount, (segment + 1) * segment_bytes));
  }
  await removeShared(objects, 1, "test");
  assertEquals((await objects.list(DATA_PREFIX)).objects, []);
});

test("cleaning goes by the server's dates, and leaves what is named", async (world) => {
  await idsOf(publisher(world, "p", 5, 60));
  const objects = storeOf(world);
  const newNonce = () => crypto.randomUUID();
  assertEquals(await bindSharedName(objects, "base", 2, newNonce), undefined);
  const clean = () =>
    cleanShared(objects, { ttlMs: 30 * DAY_MS, quotaBytes: 0 }, { newNonce, onUnreadable: () => undefined });
  assertEquals((await clean()).removed, []);
  // The server dates objects by their files.
  const longAgo = new Date(Date.now() - 31 * DAY_MS);
  for (let id = 1; id <= 5; id++) {
    Deno.utimeSync(join(world.server.directory, fdKey(id)), longAgo, longAgo);
  }
  assertEquals((await clean()).removed.map(({ id }) => id), [1, 3, 4, 5]);
  const fds = await listAllShared(objects, () => undefined);
  assertEquals(fds.filter(({ log }) => log.tomb === undefined).map(({ id }) => id), [2]);
  assertEquals((await listSharedNames(objects)).map(({ name, id }) => `${name}=${id}`), ["base=2"]);
  await assertRejects(() => bindSharedName(objects, "gone", 3, newNonce), FdError, "removed");
});
