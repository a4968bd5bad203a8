/**
 * Names (`ref:NAME`; contract, The store): the last binding wins, the previous one is reported, and a name is never a path.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertFailure, failureOf, type JsonAnswer, jsonOf } from "./read_answer.ts";
import { handleIn, listOf, statOf, store } from "./store_calls.ts";
import { filesBelow, makeWorld, type World } from "./world.ts";

async function refsOf(world: World): Promise<JsonAnswer[]> {
  const answer = jsonOf(await world.run(["refs", "--format", "json"]));
  assertEquals(answer["type"], "ref_list");
  return answer["refs"] as JsonAnswer[];
}

const LINES_OF_100_KB = "a line of text\n".repeat(7000);

const readText = async (world: World, fd: string) =>
  (await world.run(["read", fd, "--all", "--format", "raw"])).text;

Deno.test("names: bound by name, capture and extract, read by ref:NAME", async () => {
  using world = makeWorld();
  await store(world, "one");
  await store(world, "two\nlines\n", ["--name", "by.capture"]);
  assertEquals((await world.run(["name", "fd:1", "by-name"])).code, 0);
  const extracted = await world.run([
    ...["read", "ref:by.capture", "--lines", "2-2", "--extract", "--name", "by_extract", "--format", "json"],
  ]);
  assertEquals(handleIn(jsonOf(extracted), "new_fd"), "fd:3");
  assertEquals(await readText(world, "ref:by-name"), "one");
  assertEquals(await readText(world, "ref:by.capture"), "two\nlines\n");
  assertEquals(await readText(world, "ref:by_extract"), "lines\n");
  const refs = await refsOf(world);
  assertEquals(
    refs.map((ref) => [ref["id"], ref["fd"], ref["lines"], ref["chars"]]).toSorted(),
    [["ref:by-name", "fd:1", 1, 3], ["ref:by.capture", "fd:2", 2, 10], ["ref:by_extract", "fd:3", 1, 6]],
  );
  for (const ref of refs) assert(!Number.isNaN(Date.parse(String(ref["created"]))));
});

Deno.test("names: an answer to ref:NAME says the fd", async () => {
  using world = makeWorld();
  await store(world, "content", ["--name", "n"]);
  assertEquals(jsonOf(await world.run(["read", "ref:n", "--format", "json"]))["fd"], "fd:1");
});

Deno.test("names: the last binding wins, and the previous one is reported", async () => {
  using world = makeWorld();
  await store(world, "one");
  await store(world, "two");
  assertEquals((await world.run(["name", "fd:1", "current"])).code, 0);
  for (const format of ["xml", "json"]) {
    await world.run(["name", "fd:1", "current"]);
    const rebound = await world.run(["name", "fd:2", "current", "--format", format]);
    assertEquals(rebound.code, 0);
    assertStringIncludes(rebound.text, "fd:1", "the previous binding is reported");
    assertStringIncludes(rebound.text, "fd:2");
  }
  assertEquals(await readText(world, "ref:current"), "two");
  const captured = await world.run(["capture", "--always", "--name", "current"], { stdin: "three" });
  assertEquals(captured.code, 0);
  assertStringIncludes(captured.text + captured.stderr, "fd:2", "capture --name tells it too");
  assertEquals(await readText(world, "ref:current"), "three");
  assertEquals((await listOf(world)).map((entry) => entry["names"]), [[], [], ["current"]]);
});

// Promise (contract, Capturing): a name never goes on meaning an earlier run after a later run was given it.

const LARGE_OUTPUT = "seq 1 60000; exit 1";

Deno.test("names: a small run that passes through takes its name from the large one before", async () => {
  using world = makeWorld();
  await world.run(["run", "--name", "tests", "--", "sh", "-c", LARGE_OUTPUT]);
  const small = await world.run([
    "run",
    "--name",
    "tests",
    "--",
    "sh",
    "-c",
    "echo passed; echo warned >&2; exit 3",
  ]);
  assertEquals([small.code, small.text], [3, "passed\nwarned\n"], "passed through unchanged");
  assertEquals(small.stderr, "fdtool: Stored as fd:2. Named ref:tests (was fd:1).\n");
  assertEquals(await readText(world, "ref:tests"), "passed\nwarned\n");
  const entry = await statOf(world, "ref:tests");
  assertEquals([entry["fd"], entry["exit_code"], entry["source"]], ["fd:2", 3, "run"]);
});

for (
  const [what, words, stdin, stdout, stored] of [
    ["capture", ["capture"], "small", "small", "small"],
    ["capture of nothing", ["capture"], "", "", ""],
    ["capture --tee", ["capture", "--tee"], "small", "small", "small"],
    ["capture in json", ["capture", "--format", "json"], "small", "small", "small"],
    [
      "capture of more than a block",
      ["capture", "--threshold", "1000000"],
      LINES_OF_100_KB,
      LINES_OF_100_KB,
      LINES_OF_100_KB,
    ],
    ["run", ["run", "--", "echo", "small"], "", "small\n", "small\n"],
    ["run without output", ["run", "--", "true"], "", "", ""],
    ["run --split", ["run", "--split", "--", "sh", "-c", "echo out"], "", "out\n", "out\n"],
  ] as const
) {
  Deno.test(`names: ${what} of any size is bound, and stdout is unchanged`, async () => {
    using world = makeWorld();
    await store(world, "earlier", ["--name", "n"]);
    const [command, ...rest] = words;
    const ended = await world.run([command, "--name", "n", ...rest], { stdin });
    assertEquals([ended.code, ended.text], [0, stdout]);
    assertEquals(ended.stderr, "fdtool: Stored as fd:2. Named ref:n (was fd:1).\n");
    assertEquals(await readText(world, "ref:n"), stored);
  });
}

Deno.test("names: with --split stderr stays unnamed and passes through", async () => {
  using world = makeWorld();
  const ended = await world.run([
    "run",
    "--split",
    "--name",
    "n",
    "--",
    "sh",
    "-c",
    "echo out; echo err >&2",
  ]);
  assertEquals(ended.text, "out\n");
  assertEquals(ended.stderr, "err\nfdtool: Stored as fd:1. Named ref:n.\n");
  assertEquals((await listOf(world)).length, 1);
});

Deno.test("names: an extraction of nothing is bound too", async () => {
  using world = makeWorld();
  await store(world, '{"a":1}\n', ["--name", "n"]);
  const none = await world.run(["search", "fd:1", "absent", "--extract", "--name", "n"]);
  assertEquals(none.code, 1);
  assertStringIncludes(none.text, "No matches: fd:2 as ref:n (was fd:1) is empty");
  assertEquals(await readText(world, "ref:n"), "");
  const empty = await world.run(["query", "fd:1", "empty", "--extract", "--name", "n"]);
  assertEquals(empty.code, 0);
  assertStringIncludes(empty.text, "fd:3 as ref:n (was fd:2)");
  assertEquals((await statOf(world, "ref:n"))["fd"], "fd:3");
});

Deno.test("names: what cannot be stored is passed through, and the name is reported as not bound", async () => {
  using world = makeWorld();
  const env = { FDTOOL_STORE: world.write("file", "") };
  const captured = await world.run(["capture", "--name", "n"], { stdin: "small", env });
  assertEquals([captured.code, captured.text], [1, "small"], "the binding was asked for");
  const run = await world.run(["run", "--name", "n", "--", "echo", "small"], { env });
  assertEquals([run.code, run.text], [0, "small\n"], "the verdict is the command's");
  for (const { stderr } of [captured, run]) {
    assertStringIncludes(stderr, '<fd_error type="write_error"');
    assertStringIncludes(stderr, "fdtool: ref:n was not bound to this output, of which nothing is stored.\n");
  }
});

Deno.test("names: of a run whose disk fills up, the name means the part that is stored", async () => {
  using world = makeWorld();
  await store(world, "earlier", ["--name", "n"]);
  const limited = "trap '' XFSZ; ulimit -f 256; seq 1 60000 | fdtool capture --name n >/dev/null";
  const captured = await world.shell(limited);
  assertEquals(captured.code, 1);
  assertStringIncludes(captured.stderr, "Named ref:n (was fd:1).");
  const entry = await statOf(world, "ref:n");
  assertEquals([entry["fd"], entry["state"]], ["fd:2", "incomplete"]);
});

Deno.test("names: one fd may have several", async () => {
  using world = makeWorld();
  await store(world, "content");
  for (const name of ["b", "a"]) await world.run(["name", "fd:1", name]);
  assertEquals((await statOf(world, "fd:1"))["names"], ["a", "b"]);
});

const GOOD = ["a", "A-Z.0_9", ".hidden", "-dash", "...", "x".repeat(128), "con", "fd", "1"];
const BAD = ["", "../x", "a/b", "/etc/x", "a b", "a\nb", "é", "x".repeat(129), "a\\b", "a:b", "~", "*"];

Deno.test("names: 1 to 128 of [A-Za-z0-9._-] are valid, nothing else", async () => {
  using world = makeWorld();
  await store(world, "content");
  for (const good of GOOD) {
    const finished = await world.run(["name", "fd:1", ...(good.startsWith("-") ? ["--", good] : [good])]);
    assertEquals([finished.code, finished.stderr], [0, ""], good);
    assertEquals(await readText(world, `ref:${good}`), "content", good);
  }
  const files = filesBelow(world.store).length;
  for (const bad of BAD) {
    const finished = await world.run(["name", "fd:1", bad, "--format", "json"]);
    const { message } = assertFailure(finished, "invalid_parameter", [1, 2]);
    assertMatch(message, /name/i, "the message names the field");
    assertStringIncludes(message, "128", "and says what is wanted");
  }
  assertEquals(filesBelow(world.store).length, files, "a refused name leaves nothing behind");
  assertEquals((await refsOf(world)).length, GOOD.length);
});

Deno.test("names: dots alone are names or invalid, never directories", async () => {
  using world = makeWorld();
  await store(world, "content");
  for (const dots of [".", ".."]) {
    const finished = await world.run(["name", "fd:1", dots]);
    if (finished.code === 0) assertEquals(await readText(world, `ref:${dots}`), "content");
    else assertFailure(finished, "invalid_parameter", [1, 2]);
  }
});

Deno.test("names: a bad name refuses a capture before a byte is lost", async () => {
  using world = makeWorld();
  const finished = await world.run(["capture", "--always", "--name", "../x"], { stdin: "precious" });
  assertFailure({ ...finished, text: "", stdout: new Uint8Array() }, "invalid_parameter", [1, 2]);
  assertEquals(await listOf(world), []);
});

Deno.test("names: an unbound and an invalid name are typed failures", async () => {
  using world = makeWorld();
  await store(world, "content");
  assertFailure(await world.run(["read", "ref:nobody"]), "not_found");
  assertFailure(await world.run(["name", "fd:99", "x"]), "not_found");
  for (const bad of ["ref:../../etc/passwd", "ref:", "ref:a/b"]) {
    const finished = await world.run(["read", bad, "--format", "json"]);
    assertEquals(finished.text, "");
    assert(
      ["not_found", "invalid_parameter"].includes(String(JSON.parse(finished.stderr).error)),
      finished.stderr,
    );
  }
});

Deno.test("names: a name whose fd was removed answers removed, and can be bound again", async () => {
  using world = makeWorld();
  await store(world, "one", ["--name", "n"]);
  await store(world, "two");
  await world.run(["rm", "fd:1"]);
  const gone = assertFailure(await world.run(["read", "ref:n", "--format", "json"]), "removed");
  assertEquals(gone.fields["fd"], "fd:1");
  assertEquals((await world.run(["name", "fd:2", "n"])).code, 0);
  assertEquals(await readText(world, "ref:n"), "two");
});

Deno.test("names: bindings by many processes at once leave one valid binding", async () => {
  using world = makeWorld();
  for (let n = 1; n <= 8; n++) await store(world, `content ${n}`);
  const bindings = Array.from({ length: 32 }, (_, i) => world.run(["name", `fd:${i % 8 + 1}`, "contested"]));
  for (const finished of await Promise.all(bindings)) assertEquals([finished.code, finished.stderr], [0, ""]);
  assertMatch(await readText(world, "ref:contested"), /^content [1-8]$/);
  assertEquals((await refsOf(world)).length, 1);
});

Deno.test("ls and export ignore a name that is not a file, and gc preserves the fd of a damaged one", async () => {
  using world = makeWorld();
  for (const name of ["one", "two"]) {
    await world.run(["capture", "--always", "--name", name], { stdin: `${name}\n` });
  }
  const path = `${world.store}/v2/refs/one`;
  const bytes = Deno.readFileSync(path);
  bytes[0]! ^= 1;
  Deno.writeFileSync(path, bytes);
  const gc = failureOf(await world.run(["gc", "--format", "json"], { env: { FDTOOL_TTL: "1s" } }));
  assertEquals([gc.type, gc.fields.path], ["store_corrupt", path]);
  Deno.removeSync(path);
  Deno.symlinkSync("two", path);
  for (const command of [["ls"], ["refs"], ["export", "--all", "--output", world.path("archive")]]) {
    assertEquals((await world.run(command)).code, 0, command[0]);
  }
});
