/**
 * Promise: with FDTOOL_SHARED_KEY the bucket holds nothing that its owner can read or change unseen, names included; hosts with
 * the key read what was written, and others learn why they cannot (contract, Shared stores).
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { filesBelow } from "../world.ts";
import { emptyTest, manyLines, type SharedHost, sharedTest } from "./shared_world.ts";

const KEY = "0123456789abcdef".repeat(4);
const OTHER_KEY = "fedcba9876543210".repeat(4);
const withKey = { env: { FDTOOL_SHARED_KEY: KEY } };

const keyedTest = (...[name, fn]: Parameters<typeof sharedTest>) => sharedTest(name, fn, withKey.env);

async function stored(host: SharedHost, content: string | Uint8Array, ...more: string[]): Promise<string> {
  const args = ["capture", "--always", "--preview", "none", ...more];
  const answer = await host.answer(args, { stdin: content, ...withKey });
  assertEquals(answer["shared"], undefined, JSON.stringify(answer));
  return String(answer["fd"]);
}

async function read(host: SharedHost, fd: string, ...more: string[]): Promise<Uint8Array> {
  const { code, stdout, stderr } = await host.run(["read", fd, "--format", "raw", ...more], withKey);
  assertEquals(code, 0, stderr);
  return stdout;
}

emptyTest(
  "another host reads exactly what was stored; the bucket has none of it",
  async ({ server, proxy, a, b }) => {
    const secret = "secret-of-the-small-fd\n";
    const large = manyLines(10 * 2 ** 20);
    const small = await stored(a, secret, "--name", "secret-name");
    const big = await stored(a, large);
    assertEquals([small, big], ["fd:1", "fd:2"]);
    assertEquals(new TextDecoder().decode(await read(b, "ref:secret-name", "--all")), secret);
    proxy.reset();
    const lines = new TextDecoder().decode(large).split("\n");
    const at = lines.length - 500;
    assertEquals(new TextDecoder().decode(await read(b, big, "--lines", `${at}`)), `${lines[at - 1]}\n`);
    assert(proxy.receivedBytes <= 350_000, `${proxy.receivedBytes} bytes`);
    assertEquals(await read(b, big, "--all"), large);
    assertMatch((await b.run(["refs"], withKey)).text, /secret-name/);
    for (const path of filesBelow(server.directory)) {
      const text = `${path}\n${new TextDecoder("latin1").decode(Deno.readFileSync(path))}`;
      for (const word of ["secret", "line 1 ", "stdin", "claim"]) {
        assert(
          !text.includes(word),
          `${word} in ${path}`,
        );
      }
    }
    const { code, text } = await b.run(["verify", "--remote"], withKey);
    assertEquals(code, 0, text);
    assertEquals((await a.run(["rm", small], withKey)).code, 0);
    assertMatch((await b.run(["read", small, "--fresh"], withKey)).stderr, /removed/);
  },
);

keyedTest("without the key, or with another one, a host is told so; nothing is lost", async ({ a, b }) => {
  const fd = await stored(a, "content\n");
  const without = await b.run(["read", fd]);
  assertEquals(without.code, 1);
  assertMatch(without.stderr, /encrypted with the key [0-9a-f]{16}, which this host does not have/);
  const other = { env: { FDTOOL_SHARED_KEY: OTHER_KEY } };
  assertMatch((await b.run(["read", fd], other)).stderr, /which this host does not have/);
  const kept = await b.answer(["capture", "--always", "--preview", "none"], { stdin: "kept\n" });
  assertEquals(kept["shared"], false);
  assertEquals((await b.run(["sync", "--wait"], withKey)).code, 0);
  assertEquals(new TextDecoder().decode(await read(a, String(kept["fd"]))), "kept\n");
  for (const wrong of ["short", `${KEY}0`, "zz".repeat(32)]) {
    const { code, stderr } = await b.run(["read", fd], { env: { FDTOOL_SHARED_KEY: wrong } });
    assertEquals(code, 2);
    assertMatch(stderr, /FDTOOL_SHARED_KEY[^]*64 hex digits/);
    assert(!stderr.includes(wrong), "a key is not repeated");
  }
});

sharedTest("a store that is not encrypted takes no key", async ({ a, b }) => {
  await a.capture("plain\n");
  assertMatch((await b.run(["read", "fd:1"], withKey)).stderr, /the store is not encrypted/);
});

keyedTest("keys are changed by a new first line; the old one still reads", async ({ a, b }) => {
  const fd = await stored(a, "old\n", "--name", "old");
  const file = a.world.write("keys", `${OTHER_KEY}\n${KEY}\n`);
  const both = { env: { FDTOOL_SHARED_KEY_FILE: file } };
  const next = await a.answer(["capture", "--always", "--preview", "none"], { stdin: "new\n", ...both });
  assertEquals((await b.run(["read", String(next["fd"]), "--format", "raw"], both)).text, "new\n");
  assertEquals((await b.run(["read", "ref:old", "--format", "raw"], both)).text, "old\n");
  assertEquals((await a.run(["read", fd, "--fresh", "--format", "raw"], both)).text, "old\n");
  assertMatch(
    (await b.run(["read", String(next["fd"]), "--fresh"], withKey)).stderr,
    /which this host does not have/,
  );
});

keyedTest(
  "whatever is swapped, changed, cut or restored in the bucket is an error",
  async ({ server, a, b }) => {
    await stored(a, "first\n");
    await stored(a, "second\n");
    await stored(a, manyLines(3 * 2 ** 20));
    const directory = `${server.directory}/team/ci/v1`;
    const fds = [1, 2, 3].map((id) => `${directory}/fd/${String(id).padStart(12, "0")}`);
    const [segment] = filesBelow(`${directory}/data`);
    const refused = async (fd: string) => {
      const { code, stdout, stderr } = await b.run(
        ["read", fd, "--fresh", "--all", "--format", "raw"],
        withKey,
      );
      assertEquals([code, stdout.length === 0 || fd === "fd:3"], [1, true]);
      assertMatch(stderr, /damaged/);
    };
    const first = Deno.readFileSync(fds[0]!);
    Deno.copyFileSync(fds[1]!, fds[0]!);
    await refused("fd:1");
    for (const at of [0, 10, 30, first.length - 1]) {
      const changed = first.slice();
      changed[at]! ^= 1;
      Deno.writeFileSync(fds[0]!, changed);
      const { code, stdout } = await b.run(["read", "fd:1", "--fresh", "--format", "raw"], withKey);
      assertEquals([code, stdout.length], [1, 0], String(at));
    }
    Deno.writeFileSync(fds[0]!, first.subarray(0, first.length - 1));
    await refused("fd:1");
    Deno.writeFileSync(fds[0]!, first);
    assertEquals(new TextDecoder().decode(await read(b, "fd:1", "--fresh")), "first\n");
    const bytes = Deno.readFileSync(segment!);
    bytes[1_000_000]! ^= 1;
    Deno.writeFileSync(segment!, bytes);
    await refused("fd:3");
  },
);
