/**
 * Promise: what is read is what was written (contract, Shared stores): an object that was put in place of another, an older
 * version of it, or one whose numbers were forged, is an error on every host, and costs a reader few requests.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { joinBytes } from "../../fd/bytes/utf8_bytes.ts";
import type { RecordLine } from "../../fd/records/record_line.ts";
import { encodeCheckedLine } from "../../fd/store/checked_log.ts";
import { addressObject, decodeObjectHeader, encodeObject, objectParts } from "../../fd/packs/object_form.ts";
import { decodeLog } from "../../fd/records/record_log.ts";
import { filesBelow, removeTree } from "../world.ts";
import { manyLines, type SharedHost, sharedTest, type SharedWorld } from "./shared_world.ts";

const pathOf = ({ server }: SharedWorld, id: number) =>
  `${server.directory}/team/ci/v1/fd/${String(id).padStart(12, "0")}`;

/** The object of fd:1, and what makes another in its place: who can write the bucket can make every sum right. */
function forger(world: SharedWorld) {
  const bytes = Deno.readFileSync(pathOf(world, 1));
  const header = decodeObjectHeader(bytes);
  assert(typeof header === "object");
  const { nonce, store } = header;
  const { record, index } = objectParts(bytes, header);
  const put = (lines: readonly RecordLine[], content?: Uint8Array) => {
    const object = encodeObject({
      nonce,
      record: joinBytes(lines.map((line) => encodeCheckedLine(line))),
      index,
      content,
    });
    Deno.writeFileSync(pathOf(world, 1), addressObject(object, 1, store));
  };
  return { bytes, log: decodeLog(record), put };
}

async function assertRefused(host: SharedHost, fd: string, what: RegExp): Promise<void> {
  const { code, stderr, stdout } = await host.run(["read", fd, "--fresh", "--all", "--format", "raw"]);
  assertEquals([code, stdout.length], [1, 0], stderr);
  assertMatch(stderr, what);
}

sharedTest("an object that was copied over another is an error on every host", async (world) => {
  const { a, b } = world;
  await a.capture("first\n");
  await b.capture("second\n");
  Deno.copyFileSync(pathOf(world, 2), pathOf(world, 1));
  for (const host of [a, b]) await assertRefused(host, "fd:1", /it is the object of fd:2/);
  assertEquals(await a.read("fd:2"), "second\n");
  const { code, text } = await a.run(["verify", "--remote"]);
  assertEquals(code, 1);
  assertMatch(text, /it is the object of fd:2/);
});

sharedTest(
  "another seal, and a removed fd that is there again, are errors where they were seen",
  async (world) => {
    const { a, b } = world;
    await a.capture("first\n");
    const { bytes: first, log: { claim, seal }, put } = forger(world);
    assertEquals(await b.read("fd:1"), "first\n");
    put([claim!, { ...seal!, at: seal!.at + 1 }], new TextEncoder().encode("other\n"));
    await assertRefused(b, "fd:1", /this host has seen it sealed with other content/);
    Deno.writeFileSync(pathOf(world, 1), first);
    assertEquals((await a.run(["rm", "fd:1"])).code, 0);
    await assertRefused(b, "fd:1", /removed/);
    Deno.writeFileSync(pathOf(world, 1), first);
    await assertRefused(b, "fd:1", /it was removed before/);
  },
);

sharedTest("an fd that lost its seal is an error, not one that is still written", async (world) => {
  const { a, b } = world;
  await a.capture("first\n");
  const { log: { claim, seal, stored }, put } = forger(world);
  put([claim!], new TextEncoder().encode("other\n"));
  for (const host of [a, b]) await assertRefused(host, "fd:1", /is damaged/);
  assertEquals([seal?.bytes, stored], [6, undefined]);
  put(
    [claim!, { event: "stored", data: "0123456789ab", segment_bytes: 2 ** 23, form: "plain", bytes: 0 }],
    new TextEncoder().encode("other\n"),
  );
  await assertRefused(a, "fd:1", /sealed with other content/);
});

sharedTest("forged numbers cost few requests", async (world) => {
  const { a, b, proxy } = world;
  await a.capture(manyLines(5 * 2 ** 20));
  const { log: { claim, seal, stored }, put } = forger(world);
  for (const forged of [{ segment_bytes: 1 }, { bytes: 2 ** 45 }, { segment_bytes: 2 ** 50 }]) {
    put([claim!, seal!, { ...stored!, ...forged }]);
    proxy.reset();
    await assertRefused(b, "fd:1", /is damaged/);
    assert(proxy.requests.length <= 3, `${proxy.requests.length} requests`);
  }
});

sharedTest("a segment that was emptied costs few requests", async (world) => {
  const { a, b, proxy, server } = world;
  await a.capture(manyLines(5 * 2 ** 20));
  for (const path of filesBelow(`${server.directory}/team/ci/v1/data`)) Deno.truncateSync(path, 0);
  proxy.reset();
  await assertRefused(b, "fd:1", /is damaged/);
  assert(proxy.requests.length <= 20, `${proxy.requests.length} requests`);
});

sharedTest(
  "a prefix that was emptied, or has another store, is noticed before anything is written",
  async (world) => {
    const { a, b, server } = world;
    await a.capture("first\n");
    const [cache] = [...Deno.readDirSync(a.world.path("cache"))].map(({ name }) => name);
    const directory = `${a.world.path("cache")}/${cache}/v2/shared`;
    /** A minute passes: the store may be another one, and is asked again. */
    const later = () => {
      Deno.utimeSync(`${directory}/identity`, 0, 0);
      removeTree(`${directory}/unreachable`);
    };
    Deno.removeSync(`${server.directory}/team`, { recursive: true });
    for (const isRemade of [false, true]) {
      if (isRemade) await b.capture("of another store\n");
      later();
      const kept = await a.answer(["capture", "--always", "--preview", "none"], { stdin: "kept\n" });
      assertEquals(kept["shared"], false);
      assertMatch(
        String(kept["message"]),
        isRemade ? /another store is there now/ : /that this host knows is gone/,
      );
      assertEquals(await a.read(String(kept["fd"])), "kept\n");
    }
  },
);
