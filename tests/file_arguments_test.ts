// Promise: where an fd is read, a file may be given: it is stored as an fd, once while it stays the same, and the answer
// names it; never where fdtool may run unasked (contract, The store and Agents).

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { jsonOf } from "./read_answer.ts";
import { type Finished, makeWorld, runsOf, type World } from "./world.ts";

const LINES = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join("");
const DUMP = '{"a": [1, 2]}\n';

type Json = Record<string, unknown>;

async function answerOf(world: World, words: readonly string[]): Promise<Json> {
  return jsonOf(await world.run([...words, "--format", "json"]));
}

function errorOf({ stderr }: Finished): Json {
  return JSON.parse(stderr) as Json;
}

async function listed(world: World): Promise<unknown[]> {
  return (await answerOf(world, ["ls"]))["fds"] as unknown[];
}

/** Every command that reads an fd, with a file in its place, and a tool that does the same. */
const READERS: readonly {
  words: (file: string) => string[];
  tool: string;
  request: (file: string) => Json;
  file: string;
  shows: RegExp;
}[] = [
  {
    words: (file) => ["read", file, "--lines", "7"],
    tool: "read_fd",
    request: (fd) => ({ fd, lines: "7" }),
    file: "build.log",
    shows: /"content":"line 7\\n"/,
  },
  {
    words: (file) => ["search", file, "line 2999"],
    tool: "search_fd",
    request: (fd) => ({ fd, pattern: "line 2999" }),
    file: "build.log",
    shows: /"line":2999/,
  },
  {
    words: (file) => ["query", file, ".a[1]"],
    tool: "query_fd",
    request: (fd) => ({ fd, filter: ".a[1]" }),
    file: "dump.json",
    shows: /"values":"2\\n"/,
  },
  {
    words: (file) => ["diff", file, "other.log"],
    tool: "diff_fds",
    request: (old_fd) => ({ old_fd, new_fd: "other.log" }),
    file: "build.log",
    shows: /\+line seven\\n/,
  },
  {
    words: (file) => ["count", file],
    tool: "count_lines",
    request: (path) => ({ path }),
    file: "build.log",
    shows: /"lines":3000/,
  },
];

function makeFiles(): World {
  const world = makeWorld();
  world.write("build.log", LINES);
  world.write("other.log", LINES.replace("line 7\n", "line seven\n"));
  world.write("dump.json", DUMP);
  return world;
}

for (const { words, tool, request, file, shows } of READERS) {
  const [name] = words("");
  Deno.test(`${name} takes a file, stores it once while it is the same, and names its fd`, async () => {
    using world = makeFiles();
    const ask = async (path: string) => (await world.run([...words(path), "--format", "json"])).text;
    const first = await ask(file);
    assertMatch(first, shows);
    assertStringIncludes(first, `${file} was stored as fd:1.`);
    assertEquals(first, await ask(file), "the same file is the same fd");
    assertStringIncludes(await ask(`./${file}`), `./${file} was stored as fd:1.`);
    const called = await world.run(["call", tool, "--format", "json"], {
      stdin: JSON.stringify(request(file)),
    });
    assertEquals(JSON.parse(called.text), JSON.parse(first), "the tool says the same");
    const count = (await listed(world)).length;
    assertEquals(await ask("1"), await ask("fd:1"));
    // As long as before, within the same tick of the clock, and with its old time.
    const { mtime } = Deno.statSync(world.path(file));
    world.write(file, world.text(file).replace("1", "4"));
    Deno.utimeSync(world.path(file), mtime!, mtime!);
    const changed = await ask(file);
    assertStringIncludes(changed, `${file} was stored as fd:${count + 1}.`);
    world.write(file, world.text(file));
    assertEquals(await ask(file), changed, "rewritten with the same content");
    assertEquals((await answerOf(world, ["stat", `fd:${count + 1}`]))["source"], file);
  });
}

Deno.test("search and query take the file last, too, and read the place of a line in a file", async () => {
  using world = makeFiles();
  for (const words of [["search", "line 29.9$", "build.log"], ["grep", "-n", "line 29.9$", "build.log"]]) {
    assertEquals((await answerOf(world, words))["total"], 10, words.join(" "));
  }
  assertEquals((await answerOf(world, ["jq", ".a", "dump.json"]))["values"], "[1,2]\n");
  assertEquals((await answerOf(world, ["read", "build.log:2000"]))["lines"], "1990-2010");
  assertStringIncludes(
    (await world.run(["tail", "-3", "build.log"])).text,
    "line 2998\nline 2999\nline 3000\n",
  );
  // With the pattern alone, all fds are searched.
  assertEquals((await answerOf(world, ["search", "line 7$"]))["searched"], 2);
});

Deno.test("what is left out is read on from the fd, whatever becomes of the file", async () => {
  using world = makeFiles();
  const { next, fd } = await answerOf(world, ["read", "build.log", "--lines", "1-2"]);
  assertEquals([fd, next], ["fd:1", "fdtool read fd:1 --mode line --start 3 --count 2"]);
  Deno.removeSync(world.path("build.log"));
  assertEquals((await answerOf(world, ["read", "fd:1", "--lines", "3-4"]))["content"], "line 3\nline 4\n");
  const extracted = await answerOf(world, ["search", "other.log", "seven", "--extract", "--name", "seven"]);
  assertEquals([extracted["source_fd"], extracted["new_fd"]], ["fd:2", "fd:3"]);
  assertEquals((await answerOf(world, ["read", "ref:seven"]))["content"], "line seven\n");
});

Deno.test("a word that can be an fd is one, ./NAME is the file, and count takes a file first", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always", "--name", "errors"], { stdin: "of the fd\n" });
  for (const name of ["errors", "1"]) world.write(name, "of the file\n");
  const contentOf = async (word: string) => (await answerOf(world, ["read", word]))["content"];
  for (const word of ["errors", "ref:errors", "1", "fd:1"]) {
    assertEquals(await contentOf(word), "of the fd\n", word);
    assertEquals((await answerOf(world, ["search", word, "of the fd"]))["total"], 1, word);
    assertEquals((await answerOf(world, ["diff", word, "fd:1"]))["identical"], true, word);
  }
  assertEquals((await listed(world)).length, 1, "no file was stored");
  for (const path of ["./errors", "./1", world.path("errors")]) {
    assertEquals(await contentOf(path), "of the file\n");
  }
  assertEquals((await answerOf(world, ["count", "errors"]))["bytes"], 12);
  assertEquals((await world.run(["rm", "fd:1"])).code, 0);
  const gone = await world.run(["read", "errors", "--format", "json"]);
  assertEquals(errorOf(gone)["error"], "removed", "a name of a removed fd is no file");
});

Deno.test("in Claude Code read, search and diff take no file, say how to store it, and store nothing", async () => {
  using world = makeFiles();
  await world.run(["capture", "--always"], { stdin: "one\n" });
  const env = { CLAUDECODE: "1" };
  for (
    const words of [
      ["read", "dump.json"],
      ["read", "dump.json:1"],
      ["search", "dump.json", "a"],
      ["search", "a", "dump.json"],
      ["diff", "fd:1", "dump.json"],
      ["diff", "dump.json", "fd:1"],
    ]
  ) {
    const refused = await world.run([...words, "--format", "json"], { env });
    assertEquals([refused.code, refused.text], [2, ""], words.join(" "));
    const { error, message, next } = errorOf(refused);
    assertEquals([error, next], ["invalid_parameter", "fdtool capture --always dump.json"]);
    assertStringIncludes(String(message), `${words[0]} may run unasked here (CLAUDECODE is set)`);
  }
  const called = await world.run(["call", "read_fd", "--format", "json"], {
    env,
    stdin: '{"fd":"dump.json"}',
  });
  assertEquals(JSON.parse(called.text)["error"], "invalid_parameter");
  const near = await world.run(["read", "dump.jsn", "--format", "json"], { env });
  assertEquals([errorOf(near)["error"], errorOf(near)["nearest"]], ["not_found", undefined]);
  assertEquals((await listed(world)).length, 1);
  // Claude Code asks before these.
  for (const words of [["query", "dump.json", ".a"], ["count", "dump.json"]]) {
    assertEquals((await world.run(words, { env })).code, 0, words.join(" "));
  }
});

Deno.test("--root confines the files that are read, by links too, on the command line and in tools", async () => {
  using world = makeWorld();
  world.write("secret", "hunter2\n");
  world.write("root/f", "in the root\n");
  Deno.symlinkSync(world.path("secret"), world.path("root/link"));
  const cwd = world.path("root");
  for (const path of ["../secret", world.path("secret"), "link"]) {
    for (const words of [["read", path], ["search", path, "h"], ["query", path, "."], ["diff", path, "f"]]) {
      const refused = await world.run([...words, "--root", ".", "--format", "json"], { cwd });
      assertEquals([refused.text, errorOf(refused)["error"]], ["", "outside_root"], words.join(" "));
    }
    const stdin = JSON.stringify({ fd: path });
    const called = await world.run(["call", "read_fd", "--root", ".", "--format", "json"], { cwd, stdin });
    assertEquals(JSON.parse(called.text)["error"], "outside_root", path);
  }
  const read = await world.run(["read", "f", "--root", ".", "--format", "raw"], { cwd });
  assertEquals([read.text, read.stderr], ["in the root\n", ""]);
});

Deno.test({
  name: "a pipe, a directory and a device are refused, and what says it is empty is read to its end",
  ignore: Deno.build.os === "windows",
  async fn() {
    using world = makeWorld();
    await new Deno.Command("mkfifo", { args: [world.path("pipe")] }).output();
    for (
      const [path, what] of [["pipe", "a pipe"], [".", "a directory"], ["/dev/null", "a device"]] as const
    ) {
      for (
        const words of [["read", path], ["search", path, "x"], ["query", path, "."], ["diff", path, path]]
      ) {
        const refused = await world.run([...words, "--format", "json"]);
        assertEquals([refused.code, errorOf(refused)["error"]], [1, "read_error"], words.join(" "));
        assertEquals(errorOf(refused)["what"], what);
      }
    }
    world.write("empty", "");
    const empty = await answerOf(world, ["read", "empty"]);
    assertEquals([empty["fd"], empty["content"], empty["total_lines"]], ["fd:1", "", 0]);
    if (Deno.build.os !== "linux") return;
    assertEquals((await answerOf(world, ["read", "/proc/version"]))["total_lines"], 1);
    const uuid = "/proc/sys/kernel/random/uuid";
    const twice = [await answerOf(world, ["read", uuid]), await answerOf(world, ["read", uuid])];
    assertEquals(twice[0]!["content"] === twice[1]!["content"], false, "never a stale answer");
  },
});

Deno.test("a missing file names the nearest one, as a call; a word that is near nothing leads to the list", async () => {
  using world = makeFiles();
  const near = await world.run(["search", "biuld.log", "line 7$", "-i", "--format", "json"]);
  assertEquals([near.code, errorOf(near)["error"], errorOf(near)["nearest"]], [1, "not_found", "build.log"]);
  assertEquals(errorOf(near)["next"], "fdtool search build.log 'line 7$' --ignore-case");
  const { next } = errorOf(near);
  assertStringIncludes((await world.shell(String(next))).text, "7:line 7\n");
  world.write("logs/app.log", "x\n");
  const deep = await world.run(["read", "logs/ap.log", "--format", "json"]);
  assertEquals(errorOf(deep)["next"], "fdtool read logs/app.log");
  const far = await world.run(["read", "nowhere/at/all", "--format", "json"]);
  assertEquals([errorOf(far)["error"], errorOf(far)["next"]], ["not_found", "fdtool ls"]);
  assertEquals(errorOf(await world.run(["read", "fd:99", "--format", "json"]))["error"], "not_found");
});

Deno.test("a link that leads nowhere or to itself is named with what is wrong, never as the nearest file", async () => {
  using world = makeWorld();
  for (
    const [target, name, error] of [["gone", "latest", "file_not_found"], ["loop", "loop", "read_error"]]
  ) {
    Deno.symlinkSync(target!, world.path(name!));
    const failed = errorOf(await world.run(["read", name!, "--format", "json"]));
    assertEquals([failed["error"], failed["path"], failed["next"]], [error, name, undefined]);
  }
});

Deno.test("a file is stored whole and exact, whatever its bytes and size", async () => {
  using world = makeWorld();
  const bytes = new Uint8Array(3_000_000);
  for (let at = 0; at < bytes.length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, bytes.length)));
  }
  world.write("large.bin", bytes);
  const env = { FDTOOL_MAX_BYTES: "1M" };
  assertEquals((await world.run(["search", "large.bin", "x", "--count"], { env })).code, 0);
  const { sha256 } = await answerOf(world, ["count", "large.bin"]);
  const stat = await answerOf(world, ["stat", "fd:1"]);
  assertEquals([stat["bytes"], stat["sha256"], stat["dropped_bytes"]], [bytes.length, sha256, undefined]);
  const own = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  assertEquals(sha256, own);
  assertEquals((await listed(world)).length, 1);
});

Deno.test("a search of a file gives what a search of its fd gives", async () => {
  using world = makeWorld();
  const line = fc.string({ unit: fc.constantFrom("a", "b", "é", "\t", "\r", "\x1b[1m", " "), maxLength: 12 });
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 40 }),
      fc.constantFrom("a", "b+", "^$", "é.", "[ab]{2}", "zz"),
      fc.constantFrom([], ["--count"], ["-C", "1"], ["--only-matching"], ["--invert"], ["--exact"]),
      async (lines, pattern, options) => {
        const file = `file-${++made}`;
        world.write(file, lines.join("\n"));
        const words = (word: string) => ["search", word, pattern, ...options, "--format", "json"];
        const ofFile = await world.run(words(file));
        const { message, ...answer } = JSON.parse(ofFile.text) as Json;
        const sentence = `${file} was stored as ${answer["fd"]}.`;
        assertStringIncludes(String(message), sentence);
        const ofFd = await world.run(words(String(answer["fd"])));
        const { message: other = "", ...expected } = JSON.parse(ofFd.text) as Json;
        assertEquals([ofFile.code, answer], [ofFd.code, expected]);
        assertEquals(String(message), `${sentence} ${other}`.trim());
      },
    ),
    { numRuns: runsOf(15) },
  );
});
