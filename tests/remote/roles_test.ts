// Promise: each command works with the rights that docs/shared-store.md has for it, on a server that checks them: a host may
// write without the right to delete, or only read, and hears what it lacks.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { addUser, AWS, aws, BUCKET, isMissing, storeUrl, VERSITYGW } from "./object_servers.ts";
import { emptyTest, manyLines, type SharedHost, type SharedWorld } from "./shared_world.ts";

/** The policy in the document, with users of this server. */
function policyOf(): string {
  const document = Deno.readTextFileSync(new URL("../../docs/shared-store.md", import.meta.url));
  const [, policy] = /```json\n(\{\n {2}"Version"[^`]*?"Principal"[^`]*)```/.exec(document) ?? [];
  assert(policy !== undefined, "the document has a policy with roles");
  return policy.replaceAll(/arn:aws:iam::\d+:role\//g, "").replaceAll("team-bucket", BUCKET)
    .replaceAll("ci/", "team/ci/");
}

async function hostsOf({ server, proxy, a, b }: SharedWorld) {
  const users: Record<string, Record<string, string>> = {};
  for (const name of ["writer", "reader", "cleaner"]) users[name] = await addUser(server, name);
  await aws(server, ["s3api", "put-bucket-policy", "--bucket", BUCKET, "--policy", policyOf()]);
  const as = (host: SharedHost, user: string) => (args: readonly string[], stdin?: string | Uint8Array) =>
    host.run(args, { env: users[user], ...stdin === undefined ? {} : { stdin } });
  const url = storeUrl(proxy.endpoint, "team/ci");
  return { url, writer: as(a, "writer"), reader: as(b, "reader"), cleaner: as(b, "cleaner") };
}

if (!isMissing(VERSITYGW) && !isMissing(AWS)) {
  emptyTest("a host writes without the right to delete, one reads without that to write", async (world) => {
    const { url, writer, reader, cleaner } = await hostsOf(world);
    // Who makes the store tries it, and removes what that left.
    assertEquals((await cleaner(["store", "connect", url])).code, 0);
    for (const run of [writer, reader]) assertEquals((await run(["store", "connect", url])).code, 0);
    const large = manyLines(3 * 2 ** 20);
    for (const [stdin, fd] of [["one\n", "fd:1"], [large, "fd:2"], ["three\n", "fd:3"]] as const) {
      const { text } = await writer(["capture", "--always", "--preview", "none"], stdin);
      assertMatch(text, new RegExp(`^<fd_result fd="${fd}"`));
      assert(!text.includes('shared="false"'), text);
    }
    const written = [["name", "fd:1", "x"], ["rm", "fd:3"], ["store", "limits", "--quota", "1G"], [
      "sync",
      "--wait",
    ]];
    for (const args of written) assertEquals((await writer(args)).code, 0, args.join(" "));
    const kept = await writer(["rm", "fd:2", "--force"]);
    assertMatch(kept.stderr, /type="store_denied".*Cannot remove v1\/data\//);
    assertEquals((await cleaner(["gc"])).code, 0);
    const reading = [
      ["read", "fd:1"],
      ["read", "ref:x"],
      ["search", "fd:1", "one"],
      ["stat", "fd:1"],
      ["ls", "--all"],
      ["refs"],
      ["gc", "--dry-run"],
      ["verify", "--remote"],
      ["store", "limits"],
      ["store", "stats", "--remote"],
    ];
    for (const args of reading) {
      const { code, stderr } = await reader(args);
      assertEquals([code, stderr], [0, ""], args.join(" "));
    }
    for (const args of [["name", "fd:1", "y"], ["rm", "fd:1"], ["gc"], ["store", "limits", "--quota", "1"]]) {
      assertMatch((await reader(args)).stderr, /type="store_denied"/, args.join(" "));
    }
    const stored = await reader(["capture", "--always", "--preview", "none"], "four\n");
    assertMatch(stored.text, /shared="false".*\n.*Not shared yet: 403 AccessDenied/);
    assertMatch(
      (await reader(["doctor"])).text,
      /let this host write: .*capture, run, name, rm, gc and sync need/,
    );
    const { code, text } = await writer(["doctor"]);
    assertEquals(code, 0, text);
    assertMatch(text, /state="note" what="[^"]* does not let this host remove/);
    const other = { env: await addUser(world.server, "stranger") };
    assertMatch((await world.b.run(["read", "fd:2", "--fresh"], other)).stderr, /type="store_denied"/);
  });
}
