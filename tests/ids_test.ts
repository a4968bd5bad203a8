/**
 * Law 4 (ids are never reused) and what the store tells of itself: allocation by many processes at once,
 * removal and its tombstones, ls and stat.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { joined } from "./contents.ts";
import { model } from "./model.ts";
import { assertFailure, encode, failureOf, type JsonAnswer, jsonOf } from "./read_answer.ts";
import {
  assertBytes,
  contentFileOf,
  handleIn,
  handlesOf,
  listOf,
  sha256Of,
  statOf,
  store,
  storeAnswer,
  wholeOf,
} from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const numberOf = (fd: unknown) => Number(String(fd).replace("fd:", ""));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

Deno.test("ids: count up from fd:1 without gaps", async () => {
  using world = makeWorld();
  for (const number of upTo(5)) assertEquals(await store(world, `content ${number}`), `fd:${number}`);
  const other = makeWorld();
  using _other = other;
  assertEquals(await store(other, "x"), "fd:1", "each store counts for itself");
});

/** A storm of `scripts/soak` has twice as many, and kills some. */
const AT_ONCE = 32;

Deno.test(`ids: ${AT_ONCE} captures at once lose nothing, share nothing, leave no gap`, async () => {
  using world = makeWorld();
  const contents = upTo(AT_ONCE).map((n) => `capture ${n}\n`.repeat(n * 37));
  const handles = await Promise.all(contents.map((content) => store(world, content)));
  assertEquals(handles.map(numberOf).sort((a, b) => a - b), upTo(AT_ONCE));
  await Promise.all(handles.map(async (fd, i) => {
    assertBytes(await wholeOf(world, fd), encode(contents[i] ?? ""), fd);
  }));
  assertEquals(await handlesOf(world), upTo(AT_ONCE).map((n) => `fd:${n}`));
  assertEquals((await world.run(["verify"])).code, 0);
});

Deno.test("ids: extractions, backups and captures at once share one count", async () => {
  using world = makeWorld();
  const fd = await store(world, "a\nb\nc\n");
  const made = await Promise.all(
    upTo(24).map(async (n) => {
      if (n % 3 === 0) return await store(world, `capture ${n}`);
      const lines = `${n % 3}-${n % 3}`;
      const finished = await world.run(["read", fd, "--lines", lines, "--extract", "--format", "json"]);
      return handleIn(jsonOf(finished), "new_fd");
    }),
  );
  assertEquals(made.map(numberOf).sort((a, b) => a - b), upTo(25).slice(1));
  await Promise.all(made.map(async (handle, i) => {
    const n = i + 1;
    const want = n % 3 === 0 ? `capture ${n}` : n % 3 === 1 ? "a\n" : "b\n";
    assertBytes(await wholeOf(world, handle), encode(want), handle);
  }));
});

Deno.test("ids: are never reused, neither after removal nor without the store's hints", async () => {
  using world = makeWorld();
  for (const n of upTo(4)) await store(world, `content ${n}`);
  assertEquals((await world.run(["rm", "fd:4", "2"])).code, 0);
  assertEquals(await store(world, "after removal"), "fd:5");
  assertEquals((await world.run(["rm", "fd:1", "fd:3", "fd:5"])).code, 0);
  assertEquals(await store(world, "in an otherwise empty store"), "fd:6");

  const hint = `${world.store}/v2/next`;
  for (const wrong of ["1", "3", "not a number", ""]) {
    Deno.writeTextFileSync(hint, wrong);
    const fd = await store(world, `with the hint at '${wrong}'`);
    assertEquals(new TextDecoder().decode(await wholeOf(world, fd)), `with the hint at '${wrong}'`);
  }
  Deno.removeSync(hint);
  assertEquals(await store(world, "without a hint"), "fd:11");
  for (const removed of [1, 2, 3, 4, 5]) {
    assertFailure(await world.run(["read", `fd:${removed}`]), "removed");
  }
});

Deno.test("ids: a hint far behind or far ahead never duplicates an id", async () => {
  using world = makeWorld();
  for (const n of upTo(40)) await store(world, `content ${n}`);
  Deno.writeTextFileSync(`${world.store}/v2/next`, "2");
  const handles = await Promise.all(upTo(16).map((n) => store(world, `late ${n}`)));
  assertEquals(handles.map(numberOf).sort((a, b) => a - b), upTo(16).map((n) => 40 + n));
});

Deno.test("removal: the tombstone says what the fd was, and how to get it again", async () => {
  using world = makeWorld();
  const content = encode("gone\n".repeat(3000));
  const fd = await store(world, content, ["--source", "build <log>"]);
  const digest = await sha256Of(content);
  assertEquals((await world.run(["rm", fd])).code, 0);
  const calls = [["read", fd], ["stat", fd], ["to-file", fd, "f"], ["search", fd, "x"], ["path", fd]];
  for (const args of calls) {
    const finished = await world.run([...args, "--format", "json"]);
    const failure = assertFailure(finished, "removed");
    assertEquals(failure.fields["fd"], fd, args.join(" "));
    assertStringIncludes(finished.stderr, digest, "the tombstone keeps the sha-256");
    assertStringIncludes(finished.stderr, String(content.length), "and the size");
    assertStringIncludes(finished.stderr, "build <log>", "and the source");
  }
  assertEquals(await handlesOf(world), []);
  const again = await world.run(["rm", fd]);
  assertFailure(again, "removed");
});

Deno.test("removal: the tombstone of a command's output says the command to run again", async () => {
  using world = makeWorld();
  const command = ["seq", "1", "4000"];
  const finished = await world.run(["run", "--format", "json", "--", ...command]);
  assertEquals([finished.code, finished.stderr], [0, ""]);
  const fd = handleIn(jsonOf(finished));
  assertEquals((await world.run(["rm", fd])).code, 0);
  const failure = assertFailure(await world.run(["read", fd]), "removed");
  assertStringIncludes([failure.message, failure.next].join(" "), "seq 1 4000");
});

Deno.test("removal: the command to run again includes --cwd and --split", async () => {
  using world = makeWorld();
  world.write("elsewhere/here", "");
  const there = world.path("elsewhere");
  const again = async (fd: string, ...options: string[]) => {
    await world.run(["run", "--always", "--cwd", "elsewhere", ...options, "--", "ls"]);
    assertEquals((await world.run(["rm", fd])).code, 0);
    return assertFailure(await world.run(["read", fd]), "removed").next;
  };
  const next = await again("fd:1");
  assertEquals(next, `fdtool run --cwd ${there} -- ls`);
  assertEquals((await world.shell(String(next))).text, "here\n");
  assertEquals(await again("fd:3", "--split"), `fdtool run --cwd ${there} --split -- ls`);
});

Deno.test("removal: deletes the content of that fd only", async () => {
  using world = makeWorld();
  const marker = "unmistakable-content-marker";
  const fd = await store(world, marker.repeat(5000));
  const kept = await store(world, "kept");
  const path = await contentFileOf(world, fd);
  assertEquals(Deno.statSync(path).size, marker.length * 5000);
  assertEquals((await world.run(["rm", fd])).code, 0);
  assertEquals((await world.shell(`grep -rl ${marker} '${world.store}' | wc -l`)).text.trim(), "0");
  assertBytes(await wholeOf(world, kept), encode("kept"));
});

Deno.test("removal: of several, reports the one that is missing", async () => {
  using world = makeWorld();
  for (const n of upTo(3)) await store(world, `content ${n}`);
  const finished = await world.run(["rm", "fd:1", "fd:77", "fd:3"]);
  assertEquals(finished.code, 1);
  assertStringIncludes(finished.text + finished.stderr, "fd:77");
  for (const entry of await listOf(world)) {
    assertEquals(
      (await world.run(["read", String(entry["fd"])])).code,
      0,
      "what is listed can be read",
    );
  }
});

/** Asserts the types of an entry of `ls`. */
function assertSummary(entry: JsonAnswer): void {
  const reported = JSON.stringify(entry);
  assertMatch(String(entry["fd"]), /^fd:[1-9][0-9]*$/, reported);
  assert(["sealed", "live", "incomplete"].includes(String(entry["state"])), reported);
  assertEquals(typeof entry["source"], "string", reported);
  for (const count of ["bytes", "chars", "total_lines", "pages"]) {
    assert(Number.isInteger(entry[count]), `${count}: ${reported}`);
  }
  assert(!Number.isNaN(Date.parse(String(entry["created"]))), reported);
  assert(Array.isArray(entry["names"]), reported);
}

Deno.test("ls: every fd with the contract's fields, newest last", async () => {
  using world = makeWorld();
  assertEquals(await listOf(world), [], "an empty store has an empty list");
  const contents = ["", "one line\n", "漢字\nno end", "x".repeat(9000)];
  for (const [i, content] of contents.entries()) {
    await store(world, content, ["--source", `source ${i}`, ...(i === 1 ? ["--name", "first"] : [])]);
  }
  const listed = await listOf(world);
  listed.forEach(assertSummary);
  assertEquals(
    listed.map((
      e,
    ) => [e["fd"], e["source"], e["bytes"], e["chars"], e["total_lines"], e["pages"], e["names"]]),
    contents.map((content, i) => {
      const m = model(encode(content));
      const names = i === 1 ? ["first"] : [];
      return [
        `fd:${i + 1}`,
        `source ${i}`,
        m.content.length,
        m.charCount,
        m.lines.length,
        m.pages.length,
        names,
      ];
    }),
  );
  assertEquals(listed.map((e) => e["state"]), ["sealed", "sealed", "sealed", "sealed"]);
});

Deno.test("ls: the default format names every fd", async () => {
  using world = makeWorld();
  for (const n of upTo(3)) await store(world, `content ${n}`);
  const finished = await world.run(["ls"]);
  assertEquals(finished.code, 0);
  assertMatch(finished.text, /^<fd_list[ >]/);
  const places = upTo(3).map((n) => finished.text.indexOf(`"fd:${n}"`));
  assert(places.every((place) => place > 0), finished.text);
  assertEquals(places.toSorted((a, b) => a - b), places, "newest last");
});

Deno.test("stat: all that is known of a capture", async () => {
  using world = makeWorld();
  const content = encode("a\n漢\n");
  const before = Date.now();
  await store(world, content, ["--page-size", "3", "--source", "a b", "--name", "n1"]);
  const stat = await statOf(world, "fd:1");
  assertSummary(stat);
  const facts = {
    type: "fd_stat",
    fd: "fd:1",
    state: "sealed",
    source: "a b",
    bytes: content.length,
    chars: 4,
    total_lines: 2,
    pages: 2,
    page_size: 3,
    sha256: await sha256Of(content),
    cwd: world.dir,
    names: ["n1"],
  };
  for (const [name, value] of Object.entries(facts)) assertEquals(stat[name], value, name);
  const created = Date.parse(String(stat["created"]));
  assert(created >= before - 1000 && created <= Date.now() + 1000, "created is now");
  assertEquals(await statOf(world, "ref:n1"), stat, "an fd is the same by any of its names");
  assertEquals(await statOf(world, "1"), stat);
});

Deno.test("stat: a command's run is recorded with it", async () => {
  using world = makeWorld();
  const command = ["sh", "-c", "seq 1 5000; exit 3"];
  const finished = await world.run(["run", "--format", "json", "--", ...command]);
  assertEquals(finished.code, 3);
  const stat = await statOf(world, "fd:1");
  assertEquals([stat["command"], stat["exit_code"], stat["cwd"]], [command, 3, world.dir]);
  assert(typeof stat["duration_ms"] === "number" && stat["duration_ms"] >= 0);
});

Deno.test("path: is the file with the content", async () => {
  using world = makeWorld();
  const content = encode("for other tools\n\0");
  const fd = await store(world, content);
  const path = await contentFileOf(world, fd);
  assertBytes(Deno.readFileSync(path), content);
  assert(path.startsWith(world.store), "a path that works from anywhere");
  const counted = await world.shell(`wc -c < "$(fdtool path ${fd})"`, { cwd: "/" });
  assertEquals(Number(counted.text), content.length);
});

/** Starts a capture, feeds it `first`, and waits until `ls` shows its fd. */
async function liveCapture(world: World, first: Uint8Array<ArrayBuffer>) {
  const { child, finished } = world.start(["capture", "--always", "--format", "json"]);
  const writer = child.stdin.getWriter();
  await writer.write(first);
  while ((await listOf(world)).length === 0) {
    // Asking again is the wait: `ls` shows the fd as soon as its capture has claimed the id.
  }
  return { writer, finished };
}

Deno.test("states: a capture that is still growing is live, and sealed when it ends", async () => {
  using world = makeWorld();
  const first = encode("first part\n".repeat(20_000));
  const second = encode("second part\n".repeat(20_000));
  const { writer, finished } = await liveCapture(world, first);
  const live = await statOf(world, "fd:1");
  assertEquals(live["state"], "live");
  const read = await world.run(["read", "fd:1", "--lines", "1-3", "--format", "raw"]);
  if (read.code === 0) assertEquals(read.text, "first part\n".repeat(3), "what can be read is right");
  else failureOf(read);
  await writer.write(second);
  await writer.close();
  assertEquals(handleIn(jsonOf(await finished)), "fd:1");
  const sealed = await statOf(world, "fd:1");
  assertEquals(
    [sealed["state"], sealed["bytes"], sealed["sha256"]],
    ["sealed", first.length + second.length, await sha256Of(joined([first, second]))],
    "nothing that was said of it while it grew sticks to it",
  );
  assertEquals((await world.run(["verify"])).code, 0);
});

Deno.test("states: reading an id between its creation and its claim records nothing", async () => {
  using world = makeWorld();
  await store(world, "first");
  // An id is taken by creating its record; the first line follows a moment later (fd/FORMAT.md).
  const record = `${world.store}/v2/fds/0000/2.rec`;
  Deno.writeTextFileSync(record, "", { mode: 0o600 });
  for (const args of [["stat", "fd:2"], ["ls"], ["read", "fd:2"], ["search", "fd:2", "x"]]) {
    await world.run(args);
  }
  assert(
    !Deno.readTextFileSync(record).includes("digest"),
    "its writer may be about to write: nothing is known yet",
  );
});

Deno.test("states: removing a live fd does not stop its capture from forwarding or storing the bytes", async () => {
  using world = makeWorld();
  const first = encode("live\n".repeat(4000));
  const { writer, finished } = await liveCapture(world, first);
  const removal = await world.run(["rm", "fd:1"]);
  await writer.close();
  const ended = await finished;
  const after = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
  if (removal.code === 0) assertFailure(after, "removed");
  else {
    failureOf(removal);
    assertEquals(ended.code, 0);
    assertBytes(after.stdout, first);
  }
});

Deno.test("stat: two reads of an unchanged fd are the same", async () => {
  using world = makeWorld();
  await storeAnswer(world, "same\n".repeat(100_000));
  const [a, b] = [await statOf(world, "fd:1"), await statOf(world, "fd:1")];
  assertEquals(a, b);
});
