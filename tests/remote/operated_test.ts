// Promise: who operates a shared store sees it in numbers and bounds what is shared, and nothing is lost at a bound; an fd that
// another host writes is live in every answer, and never passes for empty (contract, Shared stores).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { manyLines, type SharedHost, sharedTest } from "./shared_world.ts";

interface Stats {
  requests: { kind: string; count: number; bytes: number }[];
  errors: { kind: string; count: number }[];
  [fact: string]: unknown;
}

async function statsOf(host: SharedHost, ...options: string[]): Promise<Stats> {
  return await host.answer(["store", "stats", ...options]) as unknown as Stats;
}

function countOf({ requests, errors }: Stats, kind: string): number {
  return [...requests, ...errors].find((each) => each.kind === kind)!.count;
}

sharedTest(
  "store stats counts this host's requests by kind, without one of its own",
  async ({ proxy, a, b }) => {
    await a.capture("one\n");
    proxy.reset();
    await a.capture(manyLines(2 * 2 ** 20));
    await a.capture("three\n");
    await b.read("fd:1");
    const seen = proxy.requests.filter(({ method }) => method === "PUT").length;
    const before = await statsOf(a);
    proxy.reset();
    const after = await statsOf(a);
    assertEquals([proxy.requests.length, countOf(after, "put")], [0, countOf(before, "put")]);
    // The first capture is counted too.
    assert(countOf(after, "put") >= seen, JSON.stringify(after));
    assertEquals([after["shared_fds"], after["pending"], after["highest_id"]], [3, 0, 3]);
    assertMatch(String(after["last_share"]), /^20\d\d-/);
    assertEquals([countOf(await statsOf(b), "put"), countOf(await statsOf(b), "get") > 0], [0, true]);
    const remote = await statsOf(b, "--remote");
    assertEquals(remote["fds"], 3);
    assert(Number(remote["objects"]) >= 4 && Number(remote["bytes"]) > 2 * 2 ** 20, JSON.stringify(remote));
    proxy.fault = () => ({ kind: "refused", status: 403, code: "AccessDenied" });
    assertEquals((await a.capture("four\n"))["shared"], false);
    const denied = await statsOf(a);
    assertEquals([countOf(denied, "denied") > 0, denied["pending"], denied["shared_fds"]], [true, 1, 3]);
  },
);

sharedTest("store stats --format prometheus is what a textfile collector takes", async ({ a }) => {
  await a.capture("one\n");
  const { code, text } = await a.run(["store", "stats", "--remote", "--format", "prometheus"]);
  assertEquals([code, text.endsWith("\n")], [0, true]);
  const typed = new Map<string, string>();
  const samples = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const [, name, type] = /^# TYPE (fdtool_[a-z_]+) (counter|gauge)$/.exec(line) ?? [];
    if (name !== undefined) {
      assert(!typed.has(name), `${name} twice`);
      typed.set(name, type!);
    } else if (!line.startsWith("# HELP ")) {
      const [, metric, labels] =
        /^(fdtool_[a-z_]+)\{((?:[a-z]+="[^"\\\n]*",?)+)\} \d+(?:\.\d+)?$/.exec(line) ?? [];
      assert(metric !== undefined && typed.has(metric), line);
      assertEquals(typed.get(metric) === "counter", metric.endsWith("_total"), line);
      assert(!samples.has(`${metric} ${labels}`), `${line} twice`);
      samples.add(`${metric} ${labels}`);
    }
  }
  assertMatch(text, /^fdtool_shared_fds_total\{store="s3:[^"]*"\} 1$/m);
  assertMatch(text, /^fdtool_requests_total\{store="[^"]*",kind="put"\} [1-9]/m);
  const other = await a.run(["ls", "--format", "prometheus"]);
  assertEquals(other.code, 2);
});

sharedTest(
  "at the quota of a host fds stay there, with the reason, and are shared later",
  async ({ a, b }) => {
    assertEquals((await a.capture("one\n"))["shared"], undefined);
    const env = { FDTOOL_SHARE_QUOTA: "4" };
    const large = manyLines(2 * 2 ** 20);
    const kept: string[] = [];
    for (const stdin of ["two\n", large]) {
      const answer = await a.answer(["capture", "--always", "--preview", "none"], { stdin, env });
      assertEquals([answer["shared"], answer["unshared"]], [false, "over_quota"]);
      assertMatch(String(answer["message"]), /shared 4 of its 4 bytes today \(FDTOOL_SHARE_QUOTA\)/);
      kept.push(String(answer["fd"]));
    }
    assertEquals(await a.read(kept[0]!), "two\n");
    const refused = await a.run(["sync", "--wait"], { env });
    assertEquals(refused.code, 1);
    assertMatch(refused.stderr, /type="over_quota"/);
    const invalid = await a.run(["sync"], { env: { FDTOOL_SHARE_QUOTA: "much" } });
    assertMatch(invalid.stderr, /Invalid FDTOOL_SHARE_QUOTA "much": expected bytes a day/);
    assertEquals((await a.run(["sync", "--wait"])).code, 0);
    assertEquals(await b.read(kept[0]!), "two\n");
    assertEquals(await b.read(kept[1]!, "--all"), new TextDecoder().decode(large));
  },
);

sharedTest(
  "a store that gc cannot bring below its quota takes nothing more until it can",
  async ({ a, b }) => {
    await a.capture(`${"a".repeat(5000)}\n`, "--name", "kept");
    const limits = await a.answer(["store", "limits", "--quota", "1K"]);
    assertEquals([limits["quota"], limits["full"]], [1024, false]);
    assertEquals((await b.run(["gc"])).code, 0);
    assertEquals((await b.answer(["store", "limits"]))["full"], true);
    const [cache] = [...Deno.readDirSync(a.world.path("cache"))];
    const shared = `${a.world.path("cache")}/${cache!.name}/v2/shared`;
    // As if a minute had passed since this host looked at the store's own object.
    const passMinute = () => {
      const long = new Date(Date.now() - 120_000);
      for (const name of ["identity", "full"]) {
        Deno.utimeSync(`${shared}/${name}`, long, long);
      }
    };
    Deno.writeTextFileSync(`${shared}/full`, "");
    passMinute();
    const answer = await a.capture("two\n");
    assertEquals([answer["shared"], answer["unshared"]], [false, "over_quota"]);
    assertMatch(String(answer["message"]), /the store is over its quota/);
    assertEquals(await a.read(String(answer["fd"])), "two\n");
    assertEquals((await b.answer(["store", "limits", "--quota", "1G"]))["quota"], 2 ** 30);
    assertEquals((await b.run(["gc"])).code, 0);
    passMinute();
    assertEquals((await a.run(["sync", "--wait"])).code, 0);
    assertEquals(await b.read(String(answer["fd"])), "two\n");
  },
);

/** Calls that read a live fd, the exit code of each, and what says that the fd goes on. */
const LIVE_READS: readonly (readonly [readonly string[], number, RegExp])[] = [
  [["read", "fd:1"], 0, /state="live"/],
  [["read", "fd:1", "--tail", "3"], 0, /state="live"/],
  [["read", "fd:1", "--all", "--format", "raw"], 0, /fd:1 is still live/],
  [["search", "fd:1", "one"], 1, /state="live"/],
  [["query", "fd:1", "."], 0, /state="live"/],
  [["count", "fd:1"], 0, /fd:1 is still live: 0 bytes so far/],
  [["stat", "fd:1"], 0, /state="live"/],
  [["ls"], 0, /fd="fd:1" state="live"/],
  [["diff", "fd:1", "fd:1"], 0, /fd:1 is still live/],
  [["path", "fd:1"], 0, /fd:1 is still live: 0 bytes so far/],
  [["to-file", "fd:1", "copy"], 0, /state="live"/],
  [["export", "fd:1", "--output", "archive"], 2, /expected an fd that is not being written/],
  [["wait", "fd:1", "--timeout", "0s"], 124, /state="live"/],
];

sharedTest(
  "an fd that another host writes is live in each answer, and has its exit code at the end",
  async ({ a, b }) => {
    const script = "while [ ! -e go ]; do sleep 0.05; done; echo one; exit 3";
    assertEquals((await a.answer(["run", "--background", "--", "sh", "-c", script]))["fd"], "fd:1");
    for (const [args, code, said] of LIVE_READS) {
      const answered = await b.run(args);
      assertMatch(answered.text + answered.stderr, said, args.join(" "));
      assertEquals(answered.code, code, args.join(" "));
    }
    a.world.write("go", "");
    const ended = await b.run(["wait", "fd:1", "--timeout", "60s"]);
    assertEquals(ended.code, 3);
    assertMatch(ended.text, /exit_code="3"/);
    assertMatch((await b.run(["stat", "fd:1"])).text, /state="sealed".* exit_code="3"/);
    assertEquals(await b.read("fd:1"), "one\n");
  },
);
