// Promise: `fork` and `spawn` on a shared store give the command a local store with whole fds under their ids, and no id
// of it means another fd of the shared store (contract, Shared stores).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertBytes } from "../store_calls.ts";
import { programUnderTest } from "../world.ts";
import { manyLines, sharedTest } from "./shared_world.ts";

sharedTest(
  "spawn fetches what is given whole; fork copies what the cache has whole",
  async ({ proxy, a, b }) => {
    const content = manyLines(3 * 2 ** 20);
    await a.capture(content);
    await a.capture("small\n");
    await a.capture("unread\n");
    await a.run(["name", "fd:2", "kept"]);
    await a.run(["name", "fd:3", "other"]);
    const keep = b.world.path("spawned");
    const child = 'case $FDTOOL_STORE in /*) ;; *) exit 9;; esac; exec "$@" read fd:1 --all --format raw';
    const spawned = await b.run(
      [
        "spawn",
        "--preload",
        "fd:1",
        "ref:kept",
        "--keep",
        keep,
        "--",
        "sh",
        "-c",
        child,
        "sh",
        ...programUnderTest(),
      ],
    );
    assertEquals([spawned.code, spawned.stdout.length], [0, content.length], spawned.stderr);
    assertBytes(spawned.stdout, content);
    const local = { env: { FDTOOL_STORE: keep } };
    assertEquals((await b.run(["read", "ref:kept", "--format", "raw"], local)).text, "small\n");
    assertEquals((await b.run(["verify"], local)).code, 0);
    assertEquals((await b.answer(["capture", "--always"], { ...local, stdin: "new\n" }))["fd"], "fd:4");

    proxy.fault = () => ({ kind: "refused", status: 503, code: "SlowDown" });
    const stored = await b.answer(["capture", "--always"], {
      stdin: "own\n",
      env: { FDTOOL_UPLOAD_WAIT: "100ms" },
    });
    const offline = String(stored["fd"]);
    assertMatch(offline, /^fd:[0-9]{14,15}$/);
    const cachedOnly = b.world.path("cached-only");
    const again = await b.answer(["spawn", "--preload", "fd:1", offline, "--keep", cachedOnly]);
    assertEquals(again["fd_count"], 2);
    assert(Number(String(again["next_fd"]).slice(3)) < 1000, "an offline id does not raise the floor");
    const refused = await b.run(["spawn", "--preload", "fd:3", "--", "echo", "started"]);
    assertEquals([refused.code, refused.text], [125, ""]);
    assertMatch(refused.stderr, /store_unreachable/);
    const dark = await b.answer(["fork", "--keep", b.world.path("dark")]);
    assertEquals([dark["fd_count"], dark["left_out"]], [3, undefined]);
    assertMatch(String(dark["message"]), /not reached/);
    const names = await b.run(["refs"]);
    assertEquals(names.code, 1);
    assertMatch(names.text, /<ref id="ref:kept"/, "those that this host knows");
    assertMatch(names.stderr, /store_unreachable/);

    proxy.fault = () => undefined;
    const forked = b.world.path("forked");
    const fork = await b.answer(["fork", "--keep", forked]);
    assertEquals([fork["fd_count"], fork["left_out"], fork["name_count"]], [3, 1, 1]);
    assert(Number(String(fork["next_fd"]).slice(3)) < 1000);
    const inFork = { env: { FDTOOL_STORE: forked } };
    assertEquals((await b.run(["verify"], inFork)).code, 0);
    assertEquals((await b.run(["read", offline, "--format", "raw"], inFork)).text, "own\n");
    assertEquals((await b.run(["read", "fd:3"], inFork)).code, 1);
    const fresh = await b.answer(["capture", "--always"], { ...inFork, stdin: "x\n" });
    assertEquals(fresh["fd"], fork["next_fd"]);
    const { text } = await b.run(["path", "fd:1", "--format", "raw"], inFork);
    assertEquals(Deno.statSync(text.trim()).nlink, 1, "parts are written into files of the cache");
  },
);

sharedTest("fork leaves out what is cached in part, removed or still written elsewhere", async ({ a, b }) => {
  const content = manyLines(10 * 2 ** 20);
  await a.capture(content);
  await a.capture("gone\n");
  await b.read("fd:1", "--lines", "2");
  await b.read("fd:2");
  await a.run(["rm", "fd:2"]);
  const live = await a.answer([
    "run",
    "--background",
    "--",
    "sh",
    "-c",
    "echo so far; while [ ! -e go ]; do sleep 0.05; done",
  ]);
  assertEquals((await b.answer(["stat", String(live["fd"])]))["state"], "live");
  const fork = await b.answer(["fork", "--keep", b.world.path("forked")]);
  assertEquals([fork["fd_count"], fork["copied_bytes"], fork["left_out"]], [0, 0, 2]);
  assertEquals(await b.read("fd:1", "--lines", "2"), await a.read("fd:1", "--lines", "2"));
  const keep = b.world.path("spawned");
  const spawned = await b.answer(["spawn", "--preload", String(live["fd"]), "--keep", keep]);
  assertEquals((spawned["snapshots"] as unknown[]).length, 1);
  assertEquals((await b.answer(["stat", String(live["fd"])]))["state"], "live", "the cache is as it was");
  a.world.write("go", "");
  assertEquals((await a.run(["wait", String(live["fd"]), "--timeout", "60s"])).code, 0);
  const local = { env: { FDTOOL_STORE: keep } };
  assertEquals((await b.run(["verify"], local)).code, 0);
  assertEquals((await b.answer(["stat", String(live["fd"])], local))["state"], "incomplete");
});
