/**
 * Errors: each type that a caller can reach, its exit code, its format on stderr, nothing on stdout, the field, the value
 * and the expected one, and a next command that exists.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { anyChar } from "./contents.ts";
import { encode, failureOf, jsonOf, readJson } from "./read_answer.ts";
import { contentPlaceOf, store } from "./store_calls.ts";
import { makeWorld, runsOf, type World } from "./world.ts";

/** A world with fd:1 (1000 lines, 13 pages of the contract's example size), fd:2 removed. */
async function worldWithContent(under?: string): Promise<World> {
  const world = makeWorld(under);
  const line = "x".repeat(47);
  await store(world, `${line}\n`.repeat(1000));
  await store(world, "removed");
  await world.run(["rm", "fd:2"]);
  return world;
}

/** The expected failure of a call. */
interface Case {
  args: string[];
  type: string;
  codes: number[];
  /** Parts of the message: the field, the value, the expected value. */
  says: (string | RegExp)[];
}

const refused = (args: string[], type: string, ...says: (string | RegExp)[]): Case => ({
  args,
  type,
  codes: [1],
  says,
});
const misused = (args: string[], ...says: (string | RegExp)[]): Case => ({
  args,
  type: "invalid_parameter",
  codes: [1, 2],
  says,
});

const CASES: readonly Case[] = [
  refused(["read", "fd:99"], "not_found", "fd:99"),
  refused(["stat", "99"], "not_found", "fd:99"),
  refused(["search", "fd:99", "x"], "not_found", "fd:99"),
  refused(["path", "fd:99"], "not_found", "fd:99"),
  refused(["rm", "fd:99"], "not_found", "fd:99"),
  refused(["to-file", "fd:99", "f"], "not_found", "fd:99"),
  refused(["read", "ref:nobody"], "not_found", "ref:nobody"),
  refused(["read", "fd:2"], "removed", "fd:2"),
  refused(["read", "fd:1", "--start", "99"], "invalid_page", "99", "fd:1", "valid range: 1-13"),
  refused(["read", "fd:1", "--start", "0"], "invalid_page", "0", "valid range: 1-13"),
  refused(["read", "fd:1", "--pages", "14-15"], "invalid_page", "14", "valid range: 1-13"),
  refused(
    ["read", "fd:1", "--mode", "line", "--start", "1001"],
    "invalid_range",
    "1001",
    "valid range: 1-1000",
  ),
  refused(["read", "fd:1", "--lines", "2000-2001"], "invalid_range", "2000", "valid range: 1-1000"),
  refused(
    ["read", "fd:1", "--mode", "char", "--start", "48000"],
    "invalid_range",
    "48000",
    "valid range: 0-47999",
  ),
  misused(["read", "fd:1", "--mode", "paragraph"], "mode", "paragraph", "page", "line", "char"),
  misused(["read", "fd:1", "--start", "two"], "start", "two"),
  misused(["read", "fd:1", "--count", "0"], "count", "0"),
  misused(["read", "fd:1", "--count", "-3"], "count", "-3"),
  misused(["read", "fd:1", "--count", "1.5"], "count", "1.5"),
  misused(["read", "fd:1", "--count", "1e3"], "count", "1e3"),
  misused(["read", "fd:1", "--lines", "a-b"], "lines", "a-b"),
  misused(["read", "fd:1", "--format", "yaml"], "format", "yaml", "xml", "json", "raw"),
  // Any other word is not_found, not a usage error: harnesses ask by their own names, and accept not_found as an answer.
  refused(["read", "nonsense"], "not_found", 'No fd, name or file is called "nonsense"'),
  refused(["read", "fd:0"], "not_found", "fd:0"),
  refused(["read", "fd:-1"], "not_found", "fd:-1"),
  refused(["read", "fd:1x"], "not_found", "fd:1x"),
  misused(["read"], /fd/i),
  misused(["to-file", "fd:1"], /path/i),
  misused(["to-file", "fd:1", "f", "--mode", "prepend"], "mode", "prepend", "write", "append", "insert"),
  misused(["to-file", "fd:1", "f", "--create=maybe"], "create", "maybe"),
  misused(["search", "fd:1"], /pattern/i),
  misused(["search"], "PATTERN"),
  misused(["read", "fd:1", "--follow", "--lines", "1-2"], "--follow and --lines"),
  misused(["wait", "fd:1", "--until", "("], /^Invalid until ((?!--fixed).)*$/),
  refused(["plan", "check", "fd:1"], "file_not_found", "it is an fd; expected a file"),
  misused(
    ["create", "f", "--content", "x.json", "--answers", "word"],
    "the answers: not valid JSON (",
    "line 1, column 1",
  ),
  misused(["capture", "--page-size", "0"], "page-size", "0"),
  misused(["capture", "--threshold", "-1"], "threshold", "-1"),
  misused(["capture", "--preview", "middle"], "preview", "middle", "both"),
  misused(["name", "fd:1", "a b"], "a b"),
];

Deno.test("failures: each has its type, exit code and text in xml and json", async () => {
  using world = await worldWithContent();
  for (const { args, type, codes, says } of CASES) {
    for (const format of ["xml", "json"]) {
      const asked = args.includes("--format") ? args : [...args, "--format", format];
      if (asked === args && format === "json") continue;
      const finished = await world.run(asked);
      const about = `fdtool ${asked.join(" ")}: ${finished.stderr}`;
      const failure = failureOf(finished);
      assertEquals(failure.type, type, about);
      assert(codes.includes(finished.code), `exit code ${finished.code}: ${about}`);
      assertEquals(finished.stderr.startsWith(format === "json" ? "{" : "<fd_error"), true, about);
      for (const part of says) {
        // A field may be called by its option's name in either spelling.
        const message = failure.message.replaceAll("_", "-");
        if (typeof part === "string") assertStringIncludes(message, part, about);
        else assertMatch(message, part, about);
      }
    }
  }
});

Deno.test("failures: the format is exactly the contract's", async () => {
  using world = await worldWithContent();
  const xml = await world.run(["read", "fd:1", "--start", "99"]);
  assertStringIncludes(
    xml.stderr.replace(/>\s+</g, "><"),
    '<fd_error type="invalid_page" fd="fd:1"><message>Cannot read page 99 of fd:1: valid range: 1-13</message><next>',
  );
  const json = readJson((await world.run(["read", "fd:1", "--start", "99", "--format", "json"])).stderr);
  assertEquals([json["type"], json["error"], json["fd"], json["message"]], [
    "fd_error",
    "invalid_page",
    "fd:1",
    "Cannot read page 99 of fd:1: valid range: 1-13",
  ]);
  const raw = await world.run(["read", "fd:1", "--start", "99", "--format", "raw"]);
  assertEquals([raw.code, raw.text], [1, ""]);
  assertStringIncludes(raw.stderr, "valid range: 1-13");
});

Deno.test("failures: the format follows FDTOOL_FORMAT, and --format wins", async () => {
  using world = await worldWithContent();
  const env = { FDTOOL_FORMAT: "json" };
  assertMatch((await world.run(["read", "fd:99"], { env })).stderr, /^\{"type":"fd_error"/);
  assertMatch((await world.run(["read", "fd:1"], { env })).text, /^\{"type":"fd_content"/);
  assertMatch((await world.run(["read", "fd:99", "--format", "xml"], { env })).stderr, /^<fd_error /);
  const wrong = await world.run(["read", "fd:1"], { env: { FDTOOL_FORMAT: "yaml" } });
  assertStringIncludes(failureOf(wrong).message, "yaml");
});

Deno.test("failures: the printed next command works", async () => {
  using world = await worldWithContent();
  const calls = [["read", "fd:1", "--start", "99"], ["read", "fd:99"], [
    "read",
    "fd:1",
    "--lines",
    "2000-2001",
  ]];
  for (const args of calls) {
    const failure = failureOf(await world.run(args));
    assert(failure.next !== undefined, `${args.join(" ")} says what to do next`);
    assertMatch(failure.next, /^fdtool /);
    const followed = await world.shell(failure.next);
    assertEquals([followed.code, followed.stderr], [0, ""], failure.next);
  }
});

Deno.test("failures: unknown commands and options suggest the nearest, and exit with 2", async () => {
  using world = await worldWithContent();
  const mistyped: [string[], string, string][] = [
    [["raed", "fd:1"], "raed", "read"],
    [["captur"], "captur", "capture"],
    [["to_fil", "fd:1", "f"], "to_fil", "to-file"],
    [["serach", "fd:1", "x"], "serach", "search"],
    [["verfy"], "verfy", "verify"],
    [["read", "fd:1", "--strat", "2"], "strat", "--start"],
    [["read", "fd:1", "--cuont=2"], "cuont", "--count"],
    [["capture", "--treshold", "9"], "treshold", "--threshold"],
    [["ls", "--formt", "json"], "formt", "--format"],
    [["to-file", "fd:1", "f", "--exists-ok"], "exists-ok", "exist-ok"],
  ];
  for (const [args, wrong, nearest] of mistyped) {
    const finished = await world.run(args);
    assertEquals(finished.code, 2, args.join(" "));
    const failure = failureOf(finished);
    assertEquals(failure.type, "invalid_parameter");
    assertStringIncludes(finished.stderr, wrong);
    assertStringIncludes([failure.message, failure.next].join(" "), nearest, finished.stderr);
  }
  const nothing = await world.run([]);
  assert(nothing.code === 2 || nothing.code === 0, "no command: help or usage");
  assertStringIncludes(nothing.text + nothing.stderr, "capture");
});

Deno.test("failures: a mistyped flag against overwriting does not suggest one that overwrites", async () => {
  using world = await worldWithContent();
  world.write("f", "mine");
  for (const flag of ["--noexist-ok", "--noexist_ok", "--no-exists-ok", "--not-exist-ok"]) {
    const failure = failureOf(await world.run(["to-file", "fd:1", "f", flag]));
    assertStringIncludes(failure.message, "did you mean --no-exist-ok?");
    assertEquals(failure.next, "fdtool help to-file", flag);
  }
  for (const flag of ["--nocreate", "--not-create"]) {
    const failure = failureOf(await world.run(["to-file", "fd:1", "f", flag]));
    assertStringIncludes(failure.message, "did you mean --no-create?");
    assertEquals(failure.next, "fdtool help to-file", flag);
  }
  assertEquals(world.text("f"), "mine");
});

Deno.test("failures: suggestions are valid, keep the meaning, and are in help", async () => {
  using world = await worldWithContent();
  const nextOf = async (...args: string[]) => failureOf(await world.run(args)).next;
  assertEquals(await nextOf("search", "fd:1", "a", "-z", "5"), "fdtool help search");
  assertEquals(await nextOf("read", "fd:1", "-1"), "fdtool help read");
  assertEquals(await nextOf("read", "fd:1", "--linse", "1-2"), "fdtool read fd:1 --lines 1-2");
  const spaced = failureOf(await world.run(["to-file", "fd:1", "f", "--exist_ok", "false"]));
  assertStringIncludes(spaced.message, "Write a flag's value after =: --exist_ok=false");
  assertEquals(spaced.next, "fdtool help to-file");
});

Deno.test("failures: tool-style names, underscores and =true are accepted", async () => {
  using world = await worldWithContent();
  const raw = async (...args: string[]) => {
    const finished = await world.run([...args, "--format=raw"]);
    assertEquals([finished.code, finished.stderr], [0, ""], args.join(" "));
    return finished.text;
  };
  const whole = await raw("read", "fd:1", "--all");
  assertEquals(whole.length, 48_000);
  assertEquals(await raw("read_fd", "fd:1", "--read_all"), whole);
  assertEquals(await raw("read_fd", "fd:1", "--read_all=true"), whole);
  assertEquals(await raw("read_fd", "fd:1", "--read-all"), whole);
  assertEquals(await raw("read", "fd:1", "--read_all=false"), await raw("read", "fd:1"));
  assertEquals(await raw("read_fd", "--mode=line", "--start=2", "--count=3", "fd:1"), whole.slice(48, 192));
  assertEquals(await raw("read", "1", "--lines=2-4"), whole.slice(48, 192));
  assertEquals((await world.run(["search_fd", "fd:1", "x", "--max_count=1"])).code, 0);
  assertEquals((await world.run(["list_fds"])).code, 0);
  assertEquals((await world.run(["list_refs"])).code, 0);
  const extraction = jsonOf(
    await world.run(["read_fd", "fd:1", "--start=2", "--extract_to_new_fd=true", "--format=json"]),
  );
  assertEquals([extraction["type"], extraction["new_fd"]], ["fd_extraction", "fd:3"]);
});

Deno.test("failures: global options are accepted before or after the command", async () => {
  using world = await worldWithContent();
  const other = `${world.store}-other`;
  const env = { FDTOOL_STORE: undefined };
  await world.run(["--store", other, "capture", "--always"], { stdin: "there", env });
  await world.run(["capture", `--store=${other}`, "--always"], { stdin: "too", env });
  const before = await world.run(["--format", "raw", "--store", other, "read", "fd:2"], { env });
  const after = await world.run(["read", "fd:2", "--store", other, "--format", "raw"], { env });
  assertEquals([before.text, after.text], ["too", "too"], before.stderr + after.stderr);
  assertEquals((await world.run(["read", "fd:2", "--store", other, "--format", "raw"])).text, "too");
});

Deno.test("failures: help and version go to stdout and exit with 0", async () => {
  using world = makeWorld();
  const commands = [
    ...[
      "capture",
      "run",
      "read",
      "to-file",
      "search",
      "ls",
      "stat",
      "name",
      "refs",
      "rm",
      "gc",
      "verify",
      "path",
    ],
  ];
  const overview = await world.run(["help", "--all"]);
  assertEquals((await world.run(["--help"])).code, 0);
  assertEquals([overview.code, overview.stderr], [0, ""]);
  for (const command of commands) {
    assertStringIncludes(overview.text, command);
    const help = await world.run([command, "--help"]);
    assertEquals([help.code, help.stderr], [0, ""], command);
    assertStringIncludes(help.text, `fdtool ${command}`, "one real example");
    assertMatch(help.text, /exit/i, "its exit codes");
  }
  assertMatch((await world.run(["--version"])).text, /^fdtool \d+\.\d+\.\d+/);
});

Deno.test("failures: another user's files are a permission_error", async () => {
  // Where others may go: the temporary directory of a run of all tests is its user's alone.
  using world = await worldWithContent("/tmp");
  if (Deno.uid() !== 0) {
    Deno.mkdirSync(world.path("locked"));
    Deno.chmodSync(world.path("locked"), 0o500);
    const finished = await world.run(["to-file", "fd:1", "locked/f"]);
    assertEquals(failureOf(finished).type, "permission_error");
    return;
  }
  // As root nothing is forbidden: an unprivileged user with a store of its own does the writing.
  const { success } = new Deno.Command("setpriv", { args: ["--help"] }).outputSync();
  if (!success) return;
  Deno.mkdirSync(world.path("locked"), { mode: 0o755 });
  Deno.mkdirSync(world.path("closed"), { mode: 0o700 });
  world.write("locked/known", "x\n");
  Deno.mkdirSync(world.path("theirs"));
  Deno.chmodSync(world.path("theirs"), 0o777);
  for (const directory of [world.dir, `${world.dir}/..`, `${world.dir}/../bin`]) {
    Deno.chmodSync(directory, 0o755);
  }
  const asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
  const env = { FDTOOL_STORE: world.path("theirs/store"), HOME: world.path("theirs") };
  const probe = await world.shell(`${asNobody} fdtool --version`, { env });
  if (probe.code !== 0) return;
  await world.shell(`seq 1 10 | ${asNobody} fdtool capture --always`, { env });
  const denied = await world.shell(`${asNobody} fdtool to-file fd:1 locked/f --format json`, { env });
  assertEquals(failureOf(denied).type, "permission_error");
  assertStringIncludes(denied.stderr, "Cannot create locked/f: ");
  const known = await world.shell(`${asNobody} fdtool to-file fd:1 locked/known`, { env });
  assertStringIncludes(known.stderr, "Cannot create a file beside locked/known: ");
  const elsewhere = await world.shell(`${asNobody} fdtool run --cwd closed -- true`, { env });
  assertEquals(elsewhere.code, 125);
  assertStringIncludes(elsewhere.stderr, `Cannot run in ${world.path("closed")}: `);
});

Deno.test("failures: damaged content is store_corrupt, and says which fd", async () => {
  using world = await worldWithContent();
  const { path, fromByte } = contentPlaceOf(world, "fd:1");
  const bytes = Deno.readFileSync(path);
  bytes[fromByte + 5] = 0x59;
  Deno.writeFileSync(path, bytes);
  const finished = await world.run(["read", "fd:1"]);
  const failure = failureOf(finished);
  assertEquals([failure.type, finished.code], ["store_corrupt", 1]);
  assertStringIncludes(finished.stderr, "fd:1");
});

Deno.test("failures: a closed stdout ends quietly", async () => {
  using world = makeWorld();
  const big = encode("a line of output\n".repeat(200_000));
  await store(world, big);
  const lines = [
    "fdtool read fd:1 --all --format raw | head -n 1",
    "fdtool read fd:1 --all | head -n 1 | wc -l",
    "fdtool read fd:1 --all --format json | head -c 10",
    "fdtool search fd:1 line --max-count 100000 | head -n 1",
    "cat big | fdtool capture --threshold 9999999 | head -n 1",
    "fdtool --help | true",
  ];
  Deno.writeFileSync(world.path("big"), big);
  for (const line of lines) {
    const finished = await world.shell(line);
    assertEquals([finished.code, finished.stderr], [0, ""], line);
  }
  const closed = await world.shell("fdtool read fd:1 --format raw >&-");
  assert(!/\n\s+at /.test(closed.stderr), "no stack trace with stdout closed from the start");
});

Deno.test("failures: a full stdout is reported", async () => {
  using world = await worldWithContent();
  for (
    const line of [
      "fdtool read fd:1 > /dev/full",
      "fdtool ls > /dev/full",
      "echo x | fdtool capture >/dev/full",
    ]
  ) {
    const finished = await world.shell(line);
    assert(finished.code !== 0, line);
    assert(
      finished.stderr !== "" && !/\n\s+at .*[(:]\d/.test(finished.stderr),
      `${line}: ${finished.stderr}`,
    );
  }
});

Deno.test("failures: a directory as stdin is a typed error", async () => {
  using world = makeWorld();
  failureOf(await world.shell("fdtool capture < ."));
});

const COMMANDS = [
  ...[
    "read",
    "to-file",
    "search",
    "ls",
    "stat",
    "name",
    "refs",
    "rm",
    "path",
    "verify",
    "capture",
    "read_fd",
  ],
];
const word = fc.oneof(
  fc.constantFrom(
    ...["fd:1", "1", "ref:x", "fd:99", "--mode", "line", "--start", "-1", "99999999999999999999", "--count"],
    ...[
      "--lines",
      "1-2",
      "2-1",
      "--all",
      "--",
      "-",
      "--format",
      "json",
      "--extract=",
      "=",
      "--=",
      "--no-",
      "",
    ],
    ...["NaN", "0x10", "--tail", "--store=", "--root", "nowhere", "-A", "-C3", "--max-count=0"],
  ),
  fc.string({ unit: anyChar, maxLength: 12 }).filter((s) => !/[\0/]/.test(s)),
);

Deno.test("failures: any arguments end in an answer or a typed error", async () => {
  using world = await worldWithContent();
  const call = fc.tuple(fc.constantFrom(...COMMANDS), fc.array(word, { maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 4, maxLength: 4 }), async (calls) => {
      await Promise.all(calls.map(async ([command, rest]) => {
        const args = [command, ...rest.map((part) => part.toWellFormed())];
        const finished = await world.run(args, { stdin: "some input\n" });
        const reported = JSON.stringify([args, finished.code, finished.stderr.slice(0, 500)]);
        assert([0, 1, 2].includes(finished.code), reported);
        assert(!/\n\s+at .*[(:]\d/.test(finished.stderr), `no stack trace: ${reported}`);
        if (finished.code === 2) assertMatch(finished.stderr, /fd_error|invalid_parameter/, reported);
      }));
    }),
    { numRuns: runsOf(10) },
  );
});
