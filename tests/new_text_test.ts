/** New text beside text that stays: line ends, a last line without one, byte order marks and encodings (contract, Writing files). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { joined } from "./contents.ts";
import { encode, jsonOf, readJson } from "./read_answer.ts";
import { assertBytes, store } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

async function call(world: World, tool: string, request: object) {
  const finished = await world.run(["call", tool, "--format", "json"], { stdin: JSON.stringify(request) });
  return readJson(finished.text);
}

const apply = (world: World, operation: object, more = {}) =>
  call(world, "write_plan", { target_file: "f", operations: [operation], yes: true, ...more });

/** Each way to put `text` beside the text of the file `f`, which has the line `mark`. */
const WAYS: Record<string, (world: World, text: string, more?: object) => Promise<Record<string, unknown>>> =
  {
    edit: (world, text, more) =>
      call(world, "edit_file", { path: "f", old_string: "mark", new_string: `${text}mark`, ...more }),
    "edit from an fd": async (world, text, more) =>
      call(world, "edit_file", {
        path: "f",
        old_string: "mark",
        new_fd: await store(world, `${text}mark`),
        ...more,
      }),
    append: (world, text, more) => apply(world, { type: "append", content_block: text }, more),
    insert: (world, text, more) =>
      apply(world, { type: "insert", content_block: text, location_marker: "mark" }, more),
    replace: (world, text, more) =>
      apply(world, { type: "replace", content_block: `${text}mark`, find: "mark" }, more),
    replace_all: (world, text, more) =>
      apply(world, { type: "replace_all", content_block: `${text}mark`, find: "mark" }, more),
    "to-file append": async (world, text, more) =>
      call(world, "fd_to_file", { fd: await store(world, text), file_path: "f", mode: "append", ...more }),
    "to-file insert": async (world, text, more) =>
      call(world, "fd_to_file", {
        fd: await store(world, text),
        file_path: "f",
        mode: "insert",
        at_line: 2,
        ...more,
      }),
  };

Deno.test("new text takes the line ends of most lines of the file, and eol overrides", async () => {
  using world = makeWorld();
  for (const [name, write] of Object.entries(WAYS)) {
    for (
      const [before, given, wanted] of [
        ["a\r\nmark\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
        ["a\r\nmark\r\nb\n", "x\ny\n", "x\r\ny\r\n"],
        ["a\nmark\nb\n", "x\r\ny\r\n", "x\ny\n"],
      ] as const
    ) {
      world.write("f", before);
      const answer = await write(world, given);
      const about = `${name}: ${JSON.stringify(answer)}`;
      assertStringIncludes(world.text("f"), wanted, about);
      assert(!world.text("f").includes(given), about);
      assertStringIncludes(String(answer["message"]), wanted.includes("\r") ? "to CRLF" : "to LF", about);
      assertStringIncludes(String(answer["message"]), "eol", about);
      world.write("f", before);
      await write(world, given, { eol: "keep" });
      assertStringIncludes(world.text("f"), given, name);
    }
    world.write("f", joined([encode("mark\r\n"), Uint8Array.of(0), encode("\r\n\r\n")]));
    await write(world, "x\ny\n");
    assertStringIncludes(world.text("f"), "x\ny\n", `${name}: bytes that are not text`);
  }
});

Deno.test("an edit keeps the line ends of the text that it replaces", async () => {
  using world = makeWorld();
  const edited = async (old_string: string, new_string: string) => {
    world.write("f", "a\nb\nc\nfoo\r\nbar\r\n");
    await call(world, "edit_file", { path: "f", old_string, new_string, yes: true });
    return world.text("f");
  };
  assertEquals(await edited("foo\r\nbar", "foo\r\nbaz\r\nend"), "a\nb\nc\nfoo\r\nbaz\r\nend\r\n");
  assertEquals(await edited("foo\r\nbar", "foo\nbaz"), "a\nb\nc\nfoo\r\nbaz\r\n");
  assertEquals(await edited("c\nfoo\r\n", "c\nfoo\r\nd\n"), "a\nb\nc\nfoo\r\nd\nbar\r\n");
});

Deno.test("no edit splits CRLF: text that begins with LF is refused there, and the next call works", async () => {
  using world = makeWorld();
  const replace = (find: string, content_block: string) =>
    apply(world, { type: "replace", find, content_block });
  const edit = (old_string: string, new_string: string) =>
    call(world, "edit_file", { path: "f", old_string, new_string, yes: true });
  for (
    const [old, added, wanted] of [["\nmark", "\nx\nmark", "a\r\nx\r\nmark\r\nb\r\n"], [
      "\nmark",
      "",
      "a\r\nb\r\n",
    ]] as const
  ) {
    for (const write of [edit, replace]) {
      world.write("f", "a\r\nmark\r\nb\r\n");
      const { message, type } = await write(old, added);
      assert(type === "fd_error", String(type));
      assertStringIncludes(String(message), "line 1 ends with CRLF, that of ");
      assertEquals(world.text("f"), "a\r\nmark\r\nb\r\n");
    }
    const { next } = await edit(old, added);
    await world.shell(String(next));
    assertEquals(world.text("f"), wanted, String(next));
  }
  world.write("f", "{\r\n  mark\r\n}\r\n");
  await apply(world, { type: "replace", start_marker: "mark", end_marker: "\n}", content_block: "x\n}" });
  assertEquals(world.text("f"), "{\r\n  x\r\n}\r\n");
});

Deno.test("an edit that changes nothing because its line ends were converted says so", async () => {
  using world = makeWorld();
  world.write("f", "mark\nb\n");
  const { message, tx } = await call(world, "edit_file", {
    path: "f",
    old_string: "mark\n",
    new_string: "mark\r\n",
  });
  assertEquals([tx, world.text("f")], [undefined, "mark\nb\n"]);
  assertStringIncludes(
    String(message),
    "this would change nothing. Line ends: the new text was converted to LF",
  );
});

Deno.test("the error for mixed line ends says which line ends how, and its next call works", async () => {
  using world = makeWorld();
  const text = "foo\r\nbar\nbaz\r\n";
  for (const eol of [undefined, "crlf", "lf"]) {
    world.write("m.txt", text);
    const refused = await call(world, "edit_file", {
      path: "m.txt",
      old_string: "foo\nbar\nbaz",
      new_string: "X",
      eol,
    });
    assertEquals(refused["error"], "match_not_found");
    assertStringIncludes(String(refused["message"]), "line 1 ends with CRLF, line 2 with LF");
    assertEquals(world.text("m.txt"), text);
    const done = await world.shell(String(refused["next"]));
    assertEquals([done.code, world.text("m.txt")], [0, "X\r\n"], `${refused["next"]}: ${done.stderr}`);
  }
});

Deno.test("text appended to a last line without a line end starts a line of its own", async () => {
  using world = makeWorld();
  const append = WAYS["append"]!;
  const toFile = WAYS["to-file append"]!;
  for (const [name, write] of Object.entries({ append, toFile })) {
    const appended = async (before: string | Uint8Array, text: string, more = {}) => {
      world.write("f", before);
      const answer = await write(world, text, more);
      return [world.text("f"), String(answer["message"]).includes("glue")];
    };
    assertEquals(await appended("node", "dist\n"), ["node\ndist\n", true], name);
    assertEquals(
      await appended("a\r\nnode", "dist\n"),
      ["a\r\nnode\r\ndist\r\n", true],
      name,
    );
    assertEquals(await appended("node\n", "dist\n"), ["node\ndist\n", false], name);
    assertEquals(await appended("node", "\ndist\n"), ["node\ndist\n", false], name);
    assertEquals(await appended("", "dist\n"), ["dist\n", false], name);
    assertEquals(await appended(Uint8Array.of(1, 0, 2), "x"), ["\u0001\0\u0002x", false], name);
  }
  world.write("f", "no");
  const { message } = await toFile(world, "de");
  assertEquals(world.text("f"), "node");
  assertStringIncludes(String(message), "the content continues it");
  world.write("f", "node");
  await apply(world, { type: "append", content_block: "dist", glue: true });
  assertEquals(world.text("f"), "nodedist");
  const fd = await store(world, "more\n");
  jsonOf(await world.run(["to-file", fd, "f", "--mode", "append", "--glue", "--format", "json"]));
  assertEquals(world.text("f"), "nodedistmore\n");
  jsonOf(await world.run(["to-file", fd, "new", "--mode", "append", "--format", "json"]));
  assertEquals(world.text("new"), "more\n");
});

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);

Deno.test("nothing is inserted before a byte order mark", async () => {
  using world = makeWorld();
  const inserted = async (write: () => Promise<unknown>) => {
    world.write("f", joined([BOM, encode("using System;\n")]));
    await write();
    assertBytes(world.bytes("f"), joined([BOM, encode("// header\nusing System;\n")]));
  };
  const marker = {
    type: "insert",
    content_block: "// header\n",
    location_marker: "using System;",
    position: "before",
  };
  await inserted(() => apply(world, marker));
  await inserted(() => apply(world, { ...marker, location_marker: "\ufeffusing" }));
  await inserted(() => apply(world, { ...marker, location_marker: "^.?using", marker_type: "regex" }));
  const fd = await store(world, "// header\n");
  await inserted(() => call(world, "fd_to_file", { fd, file_path: "f", mode: "insert", at_line: 1 }));
  await inserted(() =>
    call(world, "edit_file", { path: "f", old_string: "using", new_string: "// header\nusing", yes: true })
  );
});

Deno.test("a lost byte order mark and a second encoding are noted", async () => {
  using world = makeWorld();
  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  const rewrite = (content: string) =>
    call(world, "rewrite_file", { filePath: "f", content, expectedLineCount: 1, acknowledgement });
  const note = async (before: Uint8Array, write: () => Promise<Record<string, unknown>>) => {
    world.write("f", before);
    const { type, message } = await write();
    assert(type === "write_result" || type === "fd_file_result", String(message));
    return /Encoding: [^;.]*/.exec(String(message))?.[0];
  };
  const marked = joined([BOM, encode("a\n")]);
  const utf16 = joined([Uint8Array.of(0xff, 0xfe), encode("a\0\n\0")]);
  const latin = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a);
  const WAS = "Encoding: the file was UTF-8 with a byte order mark, and is now UTF-8 without one";
  const UTF16 = "Encoding: the file was UTF-16 (little-endian), and is now UTF-8";
  const LATIN = "Encoding: the file is not UTF-8";
  assertEquals(await note(marked, () => rewrite("b\n")), WAS);
  assertEquals(await note(marked, () => rewrite("\ufeffb\n")), undefined);
  assertEquals(await note(marked, () => apply(world, { type: "overwrite", content_block: "b\n" })), WAS);
  const over = { path: "f", old_string: "", new_string: "b\n", yes: true };
  assertEquals(await note(marked, () => call(world, "edit_file", over)), WAS);
  assertEquals(await note(utf16, () => rewrite("b\n")), UTF16);
  const edit = (new_string: string) => call(world, "edit_file", { path: "f", old_string: "caf", new_string });
  assertEquals(await note(latin, () => edit("é")), LATIN);
  assertEquals(await note(latin, () => edit("e")), undefined);
  assertEquals(await note(encode("café\n"), () => edit("é")), undefined);
  for (const write of [WAYS["append"]!, WAYS["to-file append"]!]) {
    assertEquals(await note(latin, () => write(world, "é\n")), LATIN);
  }
  assertEquals(
    await note(utf16, () => WAYS["to-file append"]!(world, "e\n")),
    `${LATIN}, but UTF-16 (little-endian)`,
  );
  const same = async (bytes: Uint8Array) => {
    const content_fd = await store(world, bytes);
    return call(world, "rewrite_file", { filePath: "f", content_fd, expectedLineCount: 1, acknowledgement });
  };
  assertEquals(await note(latin, () => same(latin)), undefined);
  assertEquals(await note(encode("café\n"), () => same(latin)), "Encoding: the file is UTF-8");
  // Without a mark, as reading recognises it.
  const unmarked = encode([..."text\nmore\n"].map((char) => `${char}\0`).join(""));
  assertEquals(
    await note(unmarked, () => rewrite("b\n")),
    "Encoding: the file was UTF-16 (little-endian), and is now UTF-8",
  );
  assertEquals(
    await note(unmarked, () => WAYS["to-file append"]!(world, "e\n")),
    `${LATIN}, but UTF-16 (little-endian)`,
  );
  const fd = await store(world, utf16);
  const TURNED = "Encoding: the file was UTF-8, and is now UTF-16 (little-endian)";
  const whole = { filePath: "f", content_fd: fd, expectedLineCount: 1, acknowledgement };
  assertEquals(await note(encode("text\n"), () => call(world, "rewrite_file", whole)), TURNED);
});

Deno.test("an edit or plan of UTF-16 is one of its text, and all else stays", async () => {
  using world = makeWorld();
  const utf16 = (text: string, isBigEndian: boolean) => {
    const bytes = new Uint8Array(Buffer.from(text, "utf16le"));
    return isBigEndian ? new Uint8Array(Buffer.from(bytes).swap16()) : bytes;
  };
  for (const [mark, isBigEndian] of [["\ufeff", false], ["\ufeff", true], ["", false], ["", true]] as const) {
    const file = (text: string) => utf16(mark + text, isBigEndian);
    const before = "first\r\nmark = 1\r\nlast ü\r\n";
    const written = async (write: () => Promise<Record<string, unknown>>) => {
      world.write("f", file(before));
      const { type, message } = await write();
      assertEquals(type, "write_result", String(message));
      return Deno.readFileSync(world.path("f"));
    };
    for (const name of ["edit", "edit from an fd", "insert", "replace", "replace_all", "append"]) {
      const at = name === "append" ? "last ü\r\n" : name === "insert" ? "mark = 1\r\n" : "first\r\n";
      const wanted = before.replace(at, `${at}é\r\ny\r\n`);
      assertBytes(await written(() => WAYS[name]!(world, "é\ny\n")), file(wanted));
    }
    const one = { path: "f", old_string: "1", new_string: "10" };
    assertBytes(await written(() => call(world, "edit_file", one)), file(before.replace("1", "10")));
    const whole = { path: "f", old_string: "", new_string: "b\n", yes: true };
    assertBytes(await written(() => call(world, "edit_file", whole)), encode("b\n"));
    assertBytes(
      await written(() => apply(world, { type: "overwrite", content_block: "b\n" })),
      encode("b\n"),
    );
    world.write("f", file(before));
    const refused = await call(world, "edit_file", {
      path: "f",
      old_string: "first",
      new_string: "// ... rest of code ...\n",
    });
    assertEquals(refused["error"], "placeholder_found");
    const missed = await call(world, "edit_file", { path: "f", old_string: "firsts", new_string: "b" });
    assertStringIncludes(String(missed["message"]), "line 1 (first)");
    assertBytes(Deno.readFileSync(world.path("f")), file(before));
  }
});
