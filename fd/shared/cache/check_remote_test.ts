// Promise: what forged objects of a shared store cost a check of it is bounded, whatever their size (docs/shared-store.md).

import { assert, assertEquals } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { labelledContent, sampleUpload } from "../../../scripts/fleet/sample_upload.ts";
import { nonceOf, SimulatedFleet } from "../../../scripts/fleet/simulated_fleet.ts";
import { joinBytes } from "../../bytes/utf8_bytes.ts";
import { sealedObject } from "../objects/fd_object.ts";
import { FD_PREFIX, fdKey, nameKey } from "../objects/shared_keys.ts";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import { openStore } from "../../store/open_store.ts";
import { checkRemote } from "./check_remote.ts";

const MIB = 2 ** 20;
const keepLine = (byteCount: number) => encodeCheckedLine({ event: "keep", nonce: "n".repeat(byteCount) });

/** Checks fds with `keep` lines of these lengths in their records, and after them, and names of so many bytes. */
async function check(fds: readonly { inRecord: number; after: number }[], names: readonly number[] = []) {
  const fleet = new SimulatedFleet({ seed: 1 });
  for (const [at, { inRecord, after }] of fds.entries()) {
    const source = sampleUpload(labelledContent(`content ${at}`));
    const record = joinBytes([source.record(), keepLine(inRecord)]);
    const object = sealedObject({ nonce: nonceOf(fleet.choices), record, content: source.read(0, 9) });
    fleet.server.damage(fdKey(at + 1), joinBytes([object, keepLine(after)]));
  }
  for (const [at, byteCount] of names.entries()) {
    fleet.server.damage(nameKey(`n${at}`), new Uint8Array(byteCount));
  }
  const host = fleet.host();
  const get = host.get.bind(host);
  let [running, most] = [0, 0];
  host.get = async (key, range) => {
    if (key.startsWith(FD_PREFIX)) most = Math.max(most, ++running);
    try {
      return await get(key, range);
    } finally {
      if (key.startsWith(FD_PREFIX)) running--;
    }
  };
  const directory = mkdtempSync(join(Deno.env.get("TMPDIR") ?? "/tmp", "fdtool-check-"));
  try {
    let problems: string[] = [];
    await fleet.time.run([async () => {
      const { findings } = await checkRemote(host, openStore(directory));
      // The seals of samples have the sum of a block.
      const real = findings.filter(({ problem }) => problem !== "content_damaged");
      problems = real.map(({ problem, detail }) => `${problem}: ${detail}`);
    }]);
    return { problems, mostAtOnce: most, receivedBytes: host.receivedBytes };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

Deno.test("objects with long records are checked one at a time, others three", async () => {
  const long = { inRecord: 3 * MIB, after: 10 };
  const { problems, mostAtOnce } = await check([long, long, long]);
  assertEquals([problems, mostAtOnce], [[], 1]);
  const usual = { inRecord: 10, after: 10 };
  assertEquals((await check([usual, usual, usual, usual])).mostAtOnce, 3);
});

Deno.test("more than 1 MiB of later lines is damage, and is not read to the end", async () => {
  const { problems, receivedBytes } = await check([{ inRecord: 10, after: 17 * MIB }]);
  assertEquals(problems.length, 1);
  assert(problems[0]!.startsWith("record_damaged: the object has"), problems[0]);
  assert(receivedBytes < 5 * MIB, `${receivedBytes} bytes`);
  assertEquals((await check([{ inRecord: 10, after: MIB - 100 }])).problems, []);
  assertEquals((await check([{ inRecord: 10, after: 2 * MIB }])).problems.length, 1);
});

Deno.test("of the object of a name only what a name has is read", async () => {
  const { problems, receivedBytes } = await check([], [8 * MIB, 0, 20]);
  assertEquals(problems.map((problem) => problem.split(":")[0]), new Array(3).fill("name_damaged"));
  assert(receivedBytes < 10_000, `${receivedBytes} bytes`);
});
