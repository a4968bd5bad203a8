/** `capture` from outside: contract, laws 1, 6, 7 and 9 and Capturing. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonAnswer } from "./read_answer.ts";
import { storeAnswer } from "./store_calls.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

const text = (written: string): Uint8Array => new TextEncoder().encode(written);

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return false;
  }
}

/** Waits until `path` holds at least `byteCount` bytes. */
async function awaitBytes(path: string, byteCount: number): Promise<void> {
  while (!exists(path) || Deno.statSync(path).size < byteCount) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The content file of fd:ID. */
const contentOf = (world: World, id: number): string => `${world.store}/v2/fds/0000/${id}.dat`;

/** Everything that fd:ID holds. */
async function wholeOf(world: World, id: number): Promise<Uint8Array> {
  const read = await world.run(["read", `fd:${id}`, "--all", "--format", "raw"]);
  assertEquals(read.code, 0, read.stderr);
  return read.stdout;
}

const LINES = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join("");

Deno.test("small input passes through byte for byte, and no store is made", async () => {
  using world = makeWorld();
  const inputs = [
    "",
    "no final newline",
    "one\ntwo\r\n\rthree\n",
    "\uFEFFbom\n",
    new Uint8Array([0, 1, 2, 0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0]),
  ];
  for (const stdin of inputs) {
    const passed = await world.run(["capture"], { stdin });
    assertEquals(passed.stdout, typeof stdin === "string" ? text(stdin) : stdin);
    assertEquals([passed.code, passed.stderr], [0, ""]);
  }
  assertEquals(exists(world.store), false);
});

Deno.test("8000 chars pass, 8001 are stored, whatever the chars are", async () => {
  const chars: [string, Uint8Array][] = [
    ["ASCII", text("a")],
    ["three bytes", text("漢")],
    ["four bytes", text("😀")],
    ["ill-formed", new Uint8Array([0xff])],
    ["cut short", new Uint8Array([0xf0, 0x90])],
  ];
  for (const [name, char] of chars) {
    using world = makeWorld();
    const atThreshold = concat(...Array.from({ length: 8000 }, () => char));
    const passed = await world.run(["capture"], { stdin: atThreshold });
    assertEquals(passed.stdout, atThreshold, name);
    assertEquals(exists(world.store), false, name);

    const stored = await world.run(["capture", "--format", "json"], { stdin: concat(atThreshold, char) });
    const result = JSON.parse(stored.text);
    assertEquals([result.type, result.fd, result.chars], ["fd_result", "fd:1", 8001], name);
    assertEquals(await wholeOf(world, 1), concat(atThreshold, char), name);
  }
});

Deno.test("the threshold can be 0 to 16777216", async () => {
  using world = makeWorld();
  const nothing = await world.run(["capture", "--threshold", "0"], { stdin: "" });
  assertEquals([nothing.code, nothing.text], [0, ""]);
  const one = await world.run(["capture", "--threshold", "0"], { stdin: "x" });
  assertStringIncludes(one.text, '<fd_result fd="fd:1"');
  assertStringIncludes(one.text, "Output exceeds 0 characters.");
  const most = await world.run(["capture", "--threshold", "16777216"], { stdin: LINES });
  assertEquals(most.text, LINES);
  for (const threshold of ["-1", "16777217", "1.5", "many"]) {
    const refused = await world.run(["capture", `--threshold=${threshold}`], { stdin: "x" });
    assertEquals([refused.code, refused.text], [2, ""], threshold);
    assertStringIncludes(refused.stderr, '<fd_error type="invalid_parameter">');
  }
});

Deno.test("with --preview page large input is answered with its first page and the command that reads on", async () => {
  using world = makeWorld();
  const captured = await world.run(["capture", "--preview", "page"], { stdin: LINES });
  const firstPage = LINES.slice(0, LINES.lastIndexOf("\n", 3999) + 1);
  const lineCount = firstPage.split("\n").length - 1;
  assertEquals(
    captured.text,
    `<fd_result fd="fd:1" pages="13" truncated="false" lines="1-${lineCount}" total_lines="5000" ` +
      `source="stdin" chars="${LINES.length}" bytes="${LINES.length}">\n` +
      `  <message>Output exceeds 8000 characters. Use fdtool read to read more pages.</message>\n` +
      `  <next>fdtool read fd:1 --start 2</next>\n` +
      `  <preview>\n${firstPage}\n</preview>\n</fd_result>\n`,
  );
  assertEquals([captured.code, captured.stderr], [0, ""]);
  assertEquals(await wholeOf(world, 1), text(LINES));
});

Deno.test("the next command repeats --store if it was given", async () => {
  using world = makeWorld();
  const store = world.path("its own store");
  const captured = await world.run(["--store", store, "capture", "--preview=page", "--format", "json"], {
    stdin: LINES,
  });
  assertEquals(JSON.parse(captured.text).next, `fdtool read fd:1 --start 2 --store ${quoteForShell(store)}`);
  assertEquals(exists(world.store), false);
});

Deno.test("--always stores small and empty input, too", async () => {
  using world = makeWorld();
  const small = JSON.parse(
    (await world.run(["capture", "--always", "--format=json"], { stdin: "hello" })).text,
  );
  assertEquals(small.message, "Output of 5 characters stored. Use fdtool read to read it.");
  assertEquals([small.preview, small.lines, small.pages, small.next], ["hello", "1-1", 1, undefined]);
  const empty = JSON.parse((await world.run(["capture", "--always", "--format=json"], { stdin: "" })).text);
  assertEquals([empty.fd, empty.preview, empty.lines, empty.pages, empty.bytes], ["fd:2", "", "0-0", 1, 0]);
});

Deno.test("head, tail and both show whole lines within their chars, none shows nothing", async () => {
  using world = makeWorld();
  const capture = async (...options: string[]) =>
    JSON.parse((await world.run(["capture", "--format", "json", ...options], { stdin: LINES })).text);

  const head = await capture("--preview", "head", "--preview-chars", "20");
  assertEquals([head.preview, head.lines, head.truncated], ["line 1\nline 2\n", "1-2", false]);
  const tail = await capture("--preview", "tail", "--preview-chars", "19");
  assertEquals([tail.preview, tail.lines], ["line 5000\n", "5000-5000"]);
  const both = await capture("--preview", "both", "--preview-chars", "40");
  assertEquals(both.lines, "1-2,4999-5000");
  const none = await capture("--preview", "none");
  assertEquals([none.lines, none.next], ["0-0", "fdtool read fd:4"]);
  const page = await capture("--preview", "page", "--preview-chars", "20");
  assertEquals([page.preview, page.lines], ["line 1\nline 2\n", "1-2"]);
});

Deno.test('the preview "both" shows content that fits only once', async () => {
  using world = makeWorld();
  const options = ["--always", "--preview", "both", "--format", "json"];
  const both = JSON.parse((await world.run(["capture", ...options], { stdin: "a\nb\n" })).text);
  assertEquals([both.preview, both.lines, both.next], ["a\nb\n", "1-2", undefined]);
});

Deno.test("a line too long for a digest is shown by its ends, or left out between lines that are shown", async () => {
  using world = makeWorld();
  const long = `start ${"x".repeat(9_000_000)} end`;
  const alone = await storeAnswer(world, long);
  const [head, tail] = alone["preview"] as JsonAnswer[];
  assertStringIncludes(String(head!["content"]), "start xxx");
  assertStringIncludes(String(tail!["content"]), "xxx end");
  const last = await storeAnswer(world, `one\ntwo\n${long}`);
  assertEquals([last["lines"], last["total_lines"]], ["1-2", 3]);
  const first = await storeAnswer(world, `${long}\nlast\n`);
  assertEquals([first["lines"], first["total_lines"]], ["2-2", 2]);
  // Below an outline, whose odd row it is.
  const rows = Array.from({ length: 30 }, (_, at) => `${at},a,b\n`).join("");
  const table = await storeAnswer(world, `id,one,two\n${rows}30,${long}\n`);
  assertStringIncludes(String(table["message"]), "Outline of CSV");
});

Deno.test("the next command goes on exactly where a head ended", async () => {
  using world = makeWorld();
  const oneLine = "x漢".repeat(6000);
  const lineThenGiant = `short\n${"y".repeat(20_000)}\nend\n`;
  for (const stdin of [LINES, oneLine, lineThenGiant]) {
    for (const preview of ["head", "both"]) {
      const options = ["--preview", preview, "--preview-chars", "30", "--format", "json"];
      const result = JSON.parse((await world.run(["capture", ...options], { stdin })).text);
      const shown = typeof result.preview === "string" ? result.preview : result.preview[0].content;
      assert(stdin.startsWith(shown) && shown !== "", preview);
      const next = await world.shell(`${result.next} --format raw`);
      assertEquals(next.code, 0, next.stderr);
      assert(next.text !== "");
      assertEquals(stdin.slice(shown.length, shown.length + next.text.length), next.text, result.next);
    }
  }
});

Deno.test("--tee forwards everything unchanged and answers on stderr", async () => {
  using world = makeWorld();
  const large = await world.run(["capture", "--tee"], { stdin: LINES });
  assertEquals([large.code, large.text], [0, LINES]);
  assertStringIncludes(large.stderr, '<fd_result fd="fd:1"');
  const small = await world.run(["capture", "--tee"], { stdin: "small" });
  assertEquals([small.code, small.text, small.stderr], [0, "small", ""]);
});

Deno.test("--name binds the fd and reports the previous binding; an invalid name is refused before reading", async () => {
  using world = makeWorld();
  await world.run(["capture", "--name", "log"], { stdin: LINES });
  const again = await world.run(["capture", "--name", "log", "--format", "json"], { stdin: LINES });
  assertStringIncludes(JSON.parse(again.text).message, "Named ref:log (was fd:1).");
  const read = await world.run(["read", "ref:log", "--format", "json"]);
  assertEquals(JSON.parse(read.text).fd, "fd:2");
  const refused = await world.run(["capture", "--name", "a/b"], { stdin: LINES });
  assertEquals([refused.code, refused.text], [2, ""]);
  assertEquals(exists(contentOf(world, 3)), false);
});

Deno.test("beyond --max-bytes head and tail are stored, and the answer says what is missing", async () => {
  using world = makeWorld();
  const captured = await world.run(["capture", "--max-bytes", "10000", "--format", "json"], { stdin: LINES });
  const result = JSON.parse(captured.text);
  const droppedBytes = LINES.length - 10_000;
  assertEquals([result.bytes, result.dropped_bytes, result.gap_at_byte], [10_000, droppedBytes, 5000]);
  assertStringIncludes(result.message, `${droppedBytes} between them were dropped`);
  assertEquals(await wholeOf(world, 1), text(LINES.slice(0, 5000) + LINES.slice(-5000)));
});

Deno.test("if the store cannot be created, all input passes through and stderr says why", async () => {
  using world = makeWorld();
  const file = world.write("file", "");
  for (const store of ["/dev/null/store", file, `${file}/below`]) {
    const passed = await world.run(["capture"], { stdin: LINES, env: { FDTOOL_STORE: store } });
    assertEquals([passed.code, passed.text], [0, LINES], store);
    assert(/^<fd_error type="(write_error|permission_error)"/.test(passed.stderr), passed.stderr);
  }
  const badLimit = await world.run(["capture"], { stdin: LINES, env: { FDTOOL_MAX_BYTES: "a lot" } });
  assertEquals([badLimit.code, badLimit.text], [0, LINES]);
  assertStringIncludes(badLimit.stderr, 'type="invalid_parameter"');
});

Deno.test("without HOME the store is created under TMPDIR", async () => {
  using world = makeWorld();
  const env = { HOME: undefined, FDTOOL_STORE: undefined, TMPDIR: world.dir };
  const stored = await world.run(["capture"], { stdin: LINES, env });
  assertStringIncludes(stored.text, '<fd_result fd="fd:1"');
  const [store] = Array.from(Deno.readDirSync(world.dir), (entry) => entry.name);
  assert(/^fdtool-[0-9]+$/.test(store ?? ""), store);
});

/** Runs `work` with a file system of `byteCount` bytes in its own; false where this system does not let us make one. */
async function withTinyDisk(
  world: World,
  byteCount: number,
  work: (path: string) => Promise<void>,
): Promise<boolean> {
  const path = world.path("tiny");
  Deno.mkdirSync(path);
  const mount = new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", `size=${byteCount}`, "tmpfs", path],
  });
  let mounted: boolean;
  try {
    mounted = mount.outputSync().success;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    mounted = false;
  }
  if (!mounted) return false;
  try {
    await work(path);
  } finally {
    new Deno.Command("umount", { args: [path] }).outputSync();
  }
  return true;
}

Deno.test("if the disk fills up half-way, every byte is forwarded, and the stored part is incomplete", async () => {
  using world = makeWorld();
  const stdin = LINES.repeat(20);
  const tested = await withTinyDisk(world, 400_000, async (path) => {
    const env = { FDTOOL_STORE: `${path}/store` };
    const passed = await world.run(["capture"], { stdin, env });
    assertEquals(passed.code, 0);
    assertEquals(passed.text === stdin, true, "every byte once, in order");
    assertStringIncludes(passed.stderr, '<fd_error type="storage_full"');

    const stat = JSON.parse((await world.run(["stat", "fd:1", "--format", "json"], { env })).text);
    assertEquals(stat.state, "incomplete");
    const kept = await world.run(["read", "fd:1", "--all", "--format", "raw"], { env });
    assertEquals(stdin.startsWith(kept.text) && kept.text.length > 0, true);
  });
  if (!tested) console.log("(skipped: no file system can be mounted here)");
});

Deno.test("a reader that closes the pipe ends forwarding quietly, and the fd is stored whole", async () => {
  using world = makeWorld();
  world.write("input", LINES.repeat(20));
  const line = "fdtool capture --tee < input 2> errors | head -n 1; cat errors >&2";
  const passed = await world.shell(line);
  assertEquals(passed.text, "line 1\n");
  assertStringIncludes(passed.stderr, "<fd_result");
  assertEquals(passed.stderr.includes("fd_error"), false);
  assertEquals(await wholeOf(world, 1), text(LINES.repeat(20)));

  const unstored = "FDTOOL_STORE=/dev/null/x fdtool capture < input 2> errors | head -n 1; cat errors >&2";
  const ended = await world.shell(unstored);
  assertEquals(ended.text, "line 1\n");
  assertEquals(ended.stderr.split("\n").length, 2, "only the store's failure is reported");
});

Deno.test("the input that arrived before a capture was killed is readable as incomplete", async () => {
  for (const signal of ["SIGTERM", "SIGKILL", "SIGINT"] as const) {
    using world = makeWorld();
    const { child, finished } = world.start(["capture"]);
    const writer = child.stdin.getWriter();
    await writer.write(text(LINES));
    await awaitBytes(contentOf(world, 1), LINES.length);
    child.kill(signal);
    const ended = await finished;
    await writer.close().catch(() => {});
    assert(ended.code !== 0);
    const stat = JSON.parse((await world.run(["stat", "fd:1", "--format", "json"])).text);
    assertEquals([stat.state, stat.bytes], ["incomplete", LINES.length], signal);
    assertEquals(await wholeOf(world, 1), text(LINES), signal);
  }
});

Deno.test("closed stdin is empty, a directory as stdin is a read_error", async () => {
  using world = makeWorld();
  const closed = await world.shell("fdtool capture <&-");
  assertEquals([closed.code, closed.text, closed.stderr], [0, "", ""]);
  const directory = await world.shell("fdtool capture < /");
  assertEquals([directory.code, directory.text], [1, ""]);
  assertStringIncludes(directory.stderr, '<fd_error type="read_error" path="stdin">');
});

Deno.test("files of capture are private, whatever the umask", async () => {
  using world = makeWorld();
  await world.shell("umask 000; seq 1 10000 | fdtool capture --name x");
  const open: string[] = [];
  const look = (path: string): void => {
    const info = Deno.lstatSync(path);
    if (((info.mode ?? 0) & 0o077) !== 0) open.push(path);
    if (info.isDirectory) { for (const entry of Deno.readDirSync(path)) look(`${path}/${entry.name}`); }
  };
  look(`${world.store}/v2`);
  assertEquals(open, []);
});
