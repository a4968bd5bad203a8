/**
 * to-file (section 4): its table of modes cell by cell, and the promises about a user's file: whole or untouched,
 * permission bits kept, symlinks followed, the old bytes kept under a handle, nothing outside the root.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ILL_FORMED, joined, repeatedTo } from "./contents.ts";
import { bytesOf, model } from "./model.ts";
import {
  assertFailure,
  childText,
  encode,
  failureOf,
  type JsonAnswer,
  jsonOf,
  readJson,
  xmlOf,
} from "./read_answer.ts";
import { assertBytes, handleIn, store, wholeOf } from "./store_calls.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

const NEW = encode("new one\nnew two\n漢字 three\n");
const OLD = encode("old\ncontent, no final line end");

/** The files and directories in a world's directory, so that litter shows. */
function entriesOf(world: World): string[] {
  return Array.from(Deno.readDirSync(world.dir), (entry) => entry.name).sort();
}

/** Exports `fd` and answers the json result. */
async function exported(
  world: World,
  fd: string,
  path: string,
  ...args: readonly string[]
): Promise<JsonAnswer> {
  const answer = jsonOf(await world.run(["to-file", fd, path, "--format", "json", ...args]));
  assertEquals([answer["type"], answer["success"]], ["fd_file_result", true]);
  return answer;
}

/** A cell of the contract's table: the file afterwards, or the error. */
function cell(mode: string, create: boolean, existOk: boolean, exists: boolean): Uint8Array | string {
  if (!create && !existOk) return "invalid_parameter";
  if (exists && !existOk) return "file_exists";
  if (!exists && !create) return "file_not_found";
  return mode === "append" && exists ? joined([OLD, encode("\n"), NEW]) : NEW;
}

/** Ways to write the two switches, all of which models and people use. */
const SPELLINGS: readonly ((create: boolean, existOk: boolean) => string[])[] = [
  (create, existOk) => [...(create ? [] : ["--no-create"]), ...(existOk ? [] : ["--no-exist-ok"])],
  (create, existOk) => [`--create=${create}`, `--exist_ok=${existOk}`],
  (create, existOk) => [...(create ? [] : ["--no_create"]), ...(existOk ? [] : ["--exist-ok=false"])],
];

Deno.test("to-file: the table, cell by cell, in every spelling", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  const path = world.path("target.txt");
  for (const mode of ["write", "append"]) {
    for (const create of [true, false]) {
      for (const existOk of [true, false]) {
        for (const exists of [true, false]) {
          for (const spelled of SPELLINGS) {
            const about = JSON.stringify({ mode, create, existOk, exists, args: spelled(create, existOk) });
            if (exists) Deno.writeFileSync(path, OLD);
            else await Deno.remove(path).catch(() => {});
            const args = ["to-file", fd, path, "--mode", mode, ...spelled(create, existOk)];
            const finished = await world.run([...args, "--format", "json"]);
            const want = cell(mode, create, existOk, exists);
            if (typeof want === "string") {
              assertFailure(finished, want, want === "invalid_parameter" ? [1, 2] : [1]);
              assertEquals(entriesOf(world), exists ? ["target.txt"] : [], about);
              if (exists) assertBytes(world.bytes("target.txt"), OLD, about);
              continue;
            }
            const answer = jsonOf(finished);
            const facts = {
              type: "fd_file_result",
              fd,
              mode,
              char_count: model(NEW).charCount,
              size_bytes: want.length,
              success: true,
              create,
              exist_ok: existOk,
            };
            for (const [name, value] of Object.entries(facts)) {
              assertEquals(answer[name], value, `${name}: ${about}`);
            }
            assertBytes(world.bytes("target.txt"), want, about);
            assertEquals(entriesOf(world), ["target.txt"], about);
            if (exists && mode === "write") {
              assertBytes(await wholeOf(world, handleIn(answer, "backup_fd")), OLD, `backup: ${about}`);
            }
            if (!exists) assertEquals(answer["backup_fd"], undefined, about);
          }
        }
      }
    }
  }
});

Deno.test("to-file: the xml answer has the contract's attributes", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  const answer = xmlOf(await world.run(["to-file", fd, world.path("out.txt")]));
  assertEquals(answer.tag, "fd_file_result");
  const attributes = answer.attributes;
  assertEquals(attributes, {
    ...attributes,
    fd,
    file_path: world.path("out.txt"),
    mode: "write",
    char_count: String(model(NEW).charCount),
    size_bytes: String(NEW.length),
    success: "true",
    create: "true",
    exist_ok: "true",
  });
  assert((childText(answer, "message") ?? "").length > 0);
});

Deno.test("to-file: exact bytes, whatever they are", async () => {
  using world = makeWorld();
  const contents = [
    new Uint8Array(),
    encode("\n"),
    encode("\ufeff\r\n\0no end"),
    joined(ILL_FORMED),
    repeatedTo(1_000_003, encode("long 漢字 lines\r\n")),
  ];
  for (const [i, content] of contents.entries()) {
    const fd = await store(world, content);
    const answer = await exported(world, fd, `exact-${i}`);
    assertBytes(world.bytes(`exact-${i}`), content);
    assertEquals([answer["char_count"], answer["size_bytes"]], [model(content).charCount, content.length]);
  }
});

Deno.test("to-file: content that the file has makes no step and no backup", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  await exported(world, fd, "same.txt");
  const empty = await store(world, "");
  for (const args of [[fd], [empty, "--mode", "append"]]) {
    const { tx, backup_fd, message, size_bytes } = await exported(
      world,
      args[0]!,
      "same.txt",
      ...args.slice(1),
    );
    assertEquals([tx, backup_fd, size_bytes], [undefined, undefined, NEW.length]);
    assertStringIncludes(String(message), "would change nothing");
  }
  const { steps } = jsonOf(await world.run(["log", "--format", "json"]));
  assertEquals((steps as unknown[]).length, 1);
});

Deno.test("to-file: a slice by lines, pages or chars", async () => {
  using world = makeWorld();
  const m = model(encode(Array.from({ length: 200 }, (_, i) => `行 ${i + 1}\n`).join("")), 100);
  const fd = await store(world, m.content, ["--page-size", "100"]);
  const ranges = {
    "--lines=10-14": { from: m.lines[9]?.from ?? 0, to: m.lines[13]?.to ?? 0 },
    "--pages=2-3": { from: m.pages[1]?.from ?? 0, to: m.pages[2]?.to ?? 0 },
    "--chars=100-299": { from: 100, to: 300 },
    "--lines=199-900": { from: m.lines[198]?.from ?? 0, to: m.charCount },
  };
  for (const [option, range] of Object.entries(ranges)) {
    const want = bytesOf(m, range);
    const answer = await exported(world, fd, "slice.txt", option);
    assertBytes(world.bytes("slice.txt"), want, option);
    assertEquals([answer["char_count"], answer["size_bytes"]], [range.to - range.from, want.length]);
  }
  assertFailure(await world.run(["to-file", fd, "no.txt", "--lines", "201-202"]), "invalid_range");
  assertFailure(await world.run(["to-file", fd, "no.txt", "--pages", "99-99"]), "invalid_page");
  assertEquals(entriesOf(world), ["slice.txt"]);
});

Deno.test("to-file: insert puts the content before the line it names", async () => {
  using world = makeWorld();
  const fd = await store(world, "X\nY\n");
  const path = world.path("f");
  for (
    const [line, want] of [[1, "X\nY\na\nb\nc\n"], [2, "a\nX\nY\nb\nc\n"], [3, "a\nb\nX\nY\nc\n"]] as const
  ) {
    Deno.writeTextFileSync(path, "a\nb\nc\n");
    const answer = await exported(world, fd, path, "--mode", "insert", "--at-line", String(line));
    assertEquals(world.text("f"), want);
    assertEquals([answer["mode"], answer["char_count"], answer["size_bytes"]], ["insert", 4, 10]);
    assertEquals(new TextDecoder().decode(await wholeOf(world, handleIn(answer, "backup_fd"))), "a\nb\nc\n");
  }
  Deno.writeTextFileSync(path, "a\nb\nc\n");
  for (const wrong of ["0", "99", "-1", "x"]) {
    failureOf(await world.run(["to-file", fd, path, "--mode", "insert", "--at-line", wrong]));
    assertEquals(world.text("f"), "a\nb\nc\n", `--at-line ${wrong}`);
  }
});

Deno.test("to-file: an insert after a last line without LF begins a new line", async () => {
  using world = makeWorld();
  const fd = await store(world, "X\nY\n");
  for (
    const [before, line, want] of [["a\nb", 3, "a\nb\nX\nY\n"], ["a\r\nb", 3, "a\r\nb\r\nX\r\nY\r\n"], [
      "a",
      2,
      "a\nX\nY\n",
    ]] as const
  ) {
    world.write("f", before);
    await exported(world, fd, world.path("f"), "--mode", "insert", "--at-line", String(line));
    assertEquals(world.text("f"), want);
  }
});

Deno.test("to-file: an fd by number, by handle and by name", async () => {
  using world = makeWorld();
  await store(world, NEW, ["--name", "the.name"]);
  for (const spelled of ["fd:1", "1", "ref:the.name"]) {
    await exported(world, spelled, "out.txt");
    assertBytes(world.bytes("out.txt"), NEW, spelled);
  }
});

Deno.test("to-file: missing parents are created only with the file", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  await exported(world, fd, "a/b/c/out.txt");
  assertBytes(world.bytes("a/b/c/out.txt"), NEW);
  assertFailure(await world.run(["to-file", fd, "x/y/out.txt", "--no-create"]), "file_not_found");
  assertEquals(entriesOf(world), ["a"]);
});

Deno.test("to-file: replacing, appending and inserting keep the permission bits", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  for (const bits of [0o600, 0o640, 0o644, 0o755, 0o666, 0o700]) {
    for (const args of [["--mode", "write"], ["--mode", "append"], ["--mode", "insert", "--at-line", "1"]]) {
      const path = world.write("bits", OLD);
      Deno.chmodSync(path, bits);
      await exported(world, fd, path, ...args);
      const mode = (Deno.statSync(path).mode ?? 0) & 0o7777;
      assertEquals(mode.toString(8), bits.toString(8), args.join(" "));
    }
  }
});

Deno.test("to-file: a new file follows the caller's umask", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  for (const [umask, want] of [["022", "644"], ["077", "600"], ["002", "664"]] as const) {
    await world.shell(`umask ${umask}; exec fdtool to-file ${fd} new-${umask}`);
    const mode = (Deno.statSync(world.path(`new-${umask}`)).mode ?? 0) & 0o7777;
    assertEquals(mode.toString(8), want, `umask ${umask}`);
  }
});

Deno.test("to-file: a symlink is followed, not replaced", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  for (const mode of ["write", "append"]) {
    world.write("real/target.txt", OLD);
    Deno.symlinkSync("real/target.txt", world.path("link"));
    Deno.symlinkSync("link", world.path("link-to-link"));
    await exported(world, fd, "link-to-link", "--mode", mode);
    assertBytes(
      world.bytes("real/target.txt"),
      mode === "write" ? NEW : joined([OLD, encode("\n"), NEW]),
      mode,
    );
    assert(
      Deno.lstatSync(world.path("link")).isSymlink && Deno.lstatSync(world.path("link-to-link")).isSymlink,
    );
    for (const made of ["link", "link-to-link"]) Deno.removeSync(world.path(made));
  }
});

Deno.test("to-file: a symlink loop or a dangling link is never replaced by a file", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  Deno.symlinkSync("loop-b", world.path("loop-a"));
  Deno.symlinkSync("loop-a", world.path("loop-b"));
  failureOf(await world.run(["to-file", fd, "loop-a"]));
  Deno.symlinkSync("nowhere", world.path("dangling"));
  const finished = await world.run(["to-file", fd, "dangling"]);
  if (finished.code === 0) assertBytes(world.bytes("nowhere"), NEW);
  else failureOf(finished);
  for (const link of ["loop-a", "loop-b", "dangling"]) {
    assert(Deno.lstatSync(world.path(link)).isSymlink, `${link} is still a link`);
  }
});

Deno.test("to-file: directories, pipes, sockets and devices are refused and left as they are", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  Deno.mkdirSync(world.path("directory"));
  new Deno.Command("mkfifo", { args: [world.path("pipe")] }).outputSync();
  using _listener = Deno.listen({ transport: "unix", path: world.path("socket") });
  const device = new Deno.Command("mknod", { args: [world.path("device"), "c", "1", "3"] }).outputSync();
  const refused = ["directory", "pipe", "socket", ...(device.success ? ["device"] : [])];
  for (const name of refused) {
    const before = Deno.lstatSync(world.path(name));
    for (const mode of ["write", "append"]) {
      failureOf(await world.run(["to-file", fd, name, "--mode", mode]));
    }
    const after = Deno.lstatSync(world.path(name));
    assertEquals([after.ino, after.mode], [before.ino, before.mode], `${name} is untouched`);
  }
  failureOf(await world.run(["to-file", fd, "directory/"]));
  failureOf(await world.run(["to-file", fd, "no-such-directory/"]));
  failureOf(await world.run(["to-file", fd, ""]));
  assertEquals(Array.from(Deno.readDirSync(world.path("directory"))), []);
});

Deno.test("to-file: --root confines dots, absolute paths, symlinks, and siblings with similar names", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  const root = world.path("root");
  world.write("root/inside.txt", OLD);
  world.write("outside/secret.txt", OLD);
  Deno.mkdirSync(world.path("root-sibling"));
  Deno.symlinkSync("../outside", world.path("root/way-out"));
  Deno.symlinkSync("../outside/secret.txt", world.path("root/leaf"));
  Deno.symlinkSync("../outside/not-there.txt", world.path("root/dangling"));
  Deno.symlinkSync("inside.txt", world.path("root/inner-link"));
  const escapes = [
    "../outside/secret.txt",
    "../outside/new.txt",
    "sub/../../outside/new.txt",
    world.path("outside/secret.txt"),
    world.path("root-sibling/x"),
    "../root-sibling/x",
    "way-out/secret.txt",
    "way-out/new.txt",
    "way-out/deep/new.txt",
    "leaf",
    "dangling",
  ];
  for (const path of escapes) {
    for (const how of ["option", "variable"]) {
      const finished = how === "option"
        ? await world.run(["--root", root, "to-file", fd, path], { cwd: root })
        : await world.run(["to-file", fd, path, "--mode", "append"], {
          cwd: root,
          env: { FDTOOL_ROOT: root },
        });
      assertFailure(finished, "outside_root");
    }
  }
  assertBytes(world.bytes("outside/secret.txt"), OLD);
  assertEquals(Array.from(Deno.readDirSync(world.path("outside")), (e) => e.name), ["secret.txt"]);
  assertEquals(Array.from(Deno.readDirSync(world.path("root-sibling"))), []);

  for (const path of ["inside.txt", "inner-link", "new/deep.txt", "a/../b.txt", `${root}/absolute.txt`]) {
    const finished = await world.run(["to-file", fd, path, "--root", root], { cwd: root });
    assertEquals([finished.code, finished.stderr], [0, ""], path);
  }
  assertBytes(world.bytes("root/inside.txt"), NEW);
  assertBytes(world.bytes("root/new/deep.txt"), NEW);
  Deno.symlinkSync("root", world.path("root-link"));
  const through = await world.run(["to-file", fd, "root/inside.txt", "--root", "root-link"]);
  assertEquals([through.code, through.stderr], [0, ""], "a root given through a symlink is the same root");
});

/** Runs a line with files limited to 512 KiB each, as a disk that fills up half-way does. */
function onFullDisk(world: World, line: string) {
  return world.shell(`trap '' XFSZ; ulimit -f 1024; exec ${line}`);
}

Deno.test("to-file: on a full disk the file is unchanged, and no litter stays", async () => {
  using world = makeWorld();
  const fd = await store(world, repeatedTo(3_000_000, NEW));
  for (const mode of ["write", "append"]) {
    const old = repeatedTo(100_000, OLD);
    const path = world.write("full.txt", old);
    const finished = await onFullDisk(world, `fdtool to-file ${fd} full.txt --mode ${mode} --format json`);
    assertFailure(finished, "storage_full");
    assertEquals(readJson(finished.stderr)["type"], "fd_error");
    assertBytes(Deno.readFileSync(path), old, mode);
    assertEquals(entriesOf(world), ["full.txt"], mode);
  }
  assertFailure(await onFullDisk(world, `fdtool to-file ${fd} absent.txt`), "storage_full");
  assertEquals(entriesOf(world), ["full.txt"], "a file that could not be created whole is not there");
});

Deno.test("to-file: a file as parent of the target is a typed error, and the file is unchanged", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  world.write("file", OLD);
  failureOf(await world.run(["to-file", fd, "file/below.txt"]));
  assertBytes(world.bytes("file"), OLD);
});

Deno.test("to-file: names that need quoting are written and reported exactly", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  for (const name of ['q"u<o>t&e.txt', "line\nbreak", "spaces and 'quotes'", "漢字😀", "--", "]]>"]) {
    const path = world.path(name);
    const answer = xmlOf(await world.run(["to-file", fd, path]));
    assertEquals(answer.attributes["file_path"], path);
    assertEquals((await exported(world, fd, path))["file_path"], path);
    assertBytes(world.bytes(name), NEW, name);
  }
  await world.shell(`fdtool to-file ${fd} -- ${quoteForShell("-dash.txt")}`);
  assertBytes(world.bytes("-dash.txt"), NEW);
});

Deno.test("to-file: an fd that does not exist writes nothing", async () => {
  using world = makeWorld();
  const { message } = assertFailure(await world.run(["to-file", "fd:999", "f.txt"]), "not_found");
  assertStringIncludes(message, "fd:999");
  assertEquals(entriesOf(world), []);
});

Deno.test("to-file: aliases that models write are accepted", async () => {
  using world = makeWorld();
  await store(world, NEW);
  const answer = jsonOf(
    await world.run(["fd_to_file", "fd:1", "out.txt", "--exist_ok=false", "--create=true", "--format=json"]),
  );
  assertEquals([answer["type"], answer["exist_ok"], answer["create"]], ["fd_file_result", false, true]);
  assertFailure(await world.run(["fd_to_file", "fd:1", "out.txt", "--exist_ok=false"]), "file_exists");
});

Deno.test("to-file: --dry-run shows the diff and writes nothing", async () => {
  using world = makeWorld();
  const fd = await store(world, "two\n");
  world.write("f", "one\n");
  const args = ["to-file", fd, "f", "--mode", "append", "--dry-run"];
  const shown = jsonOf(await world.run([...args, "--format", "json"]));
  assertEquals([shown["type"], shown["dry_run"], shown["lines_added"], shown["tx"]], [
    "write_result",
    true,
    1,
    undefined,
  ]);
  assertEquals(shown["diff"], "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n one\n+two\n");
  assertEquals(world.text("f"), "one\n");
});

Deno.test("to-file: a name that is too long is refused before any directory is created", async () => {
  using world = makeWorld();
  await store(world, "a\n");
  const { code, stderr } = await world.run(["to-file", "fd:1", `new/${"x".repeat(256)}`]);
  assertEquals([code, stderr.includes("read_error")], [1, true], stderr);
  const after = await world.run(["ls"]);
  assertEquals([after.code, after.stderr, [...Deno.readDirSync(world.dir)].length], [0, "", 0]);
});

Deno.test("a tool names a slice as the command line does", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\ntwo\nthree\nfour\n" });
  const given = { fd: "fd:1", file_path: "out.txt", lines: "2-3" };
  assertEquals((await world.run(["call", "fd_to_file"], { stdin: JSON.stringify(given) })).code, 0);
  assertEquals(world.text("out.txt"), "two\nthree\n");
  const stdin = JSON.stringify({ ...given, read_all: true });
  assertEquals((await world.run(["call", "fd_to_file"], { stdin })).code, 2);
  const counted = await world.run(["call", "count_lines", "--format", "json"], {
    stdin: '{"fd":"fd:1","chars":"0-6"}',
  });
  assertEquals(JSON.parse(counted.text)["lines"], 2);
});
