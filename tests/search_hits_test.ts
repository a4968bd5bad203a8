/**
 * search (section 4): matching lines with read's line numbers, true totals, context, exit 1 without a hit, and patterns
 * that cannot hang it.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { anyContent, PATTERNS, repeatedTo } from "./contents.ts";
import { bytesOf, type Model, model, shown } from "./model.ts";
import { encode, failureOf, type JsonAnswer, jsonOf } from "./read_answer.ts";
import { handleIn, store, wholeOf } from "./store_calls.ts";
import { type Finished, makeWorld, type World } from "./world.ts";

interface Hit {
  line: number;
  text: string;
  encoding?: "base64";
  context?: boolean;
  /** Bytes of a long line before its shown part. */
  cut_before?: number;
}

const ALL = ["--max-count", "1000000", "--max-chars", "100000000"];

async function searched(world: World, fd: string, ...args: string[]): Promise<JsonAnswer> {
  const finished = await world.run(["search", fd, ...args, "--format", "json"]);
  if (finished.code === 1) return noHit(finished);
  return jsonOf(finished);
}

/** The answer of a search without a hit, whichever stream says so. */
function noHit(finished: Finished): JsonAnswer {
  assertMatch(finished.text + finished.stderr, /No matches|All lines match/);
  return { type: "fd_matches", total: 0, shown: 0, matches: [] };
}

/** The hits, their lines as a model sees them. */
const hitsOf = (answer: JsonAnswer) =>
  (answer["matches"] as Hit[]).map(({ encoding, text, ...hit }) => ({
    ...hit,
    text: encoding === "base64" ? shown(Uint8Array.fromBase64(text)) : text,
  }));

/** The model's lines as a search sees them: decoded, without the line end. */
function textLines(m: Model): string[] {
  return m.lines.map((line) => shown(bytesOf(m, line)).replace(/\n$/, ""));
}

Deno.test("search: hits, numbers and totals are those of a plain loop over the model's lines", async () => {
  const needles = ["a", "line", "漢", "😀", "x", "\ufffd", "e\u0301", "no such text", "</fd_"];
  await fc.assert(
    fc.asyncProperty(
      anyContent,
      fc.constantFrom(...needles),
      fc.boolean(),
      async (content, needle, invert) => {
        using world = makeWorld();
        const m = model(content);
        const fd = await store(world, content);
        const answer = await searched(
          world,
          fd,
          "--exact",
          "--fixed",
          needle,
          ...ALL,
          ...(invert ? ["--invert"] : []),
        );
        const want = textLines(m).flatMap((text, i) =>
          text.includes(needle) !== invert ? [{ line: i + 1, text }] : []
        );
        assertEquals(answer["total"], want.length);
        assertEquals(hitsOf(answer).map((hit) => hit.line), want.map((hit) => hit.line));
        const trimmed = (text: string) => text.replace(/\r$/, "").slice(0, 100);
        hitsOf(answer).forEach((hit, at) => {
          const text = want[at]?.text ?? "";
          // A long line is shown around its first hit, with the number of bytes before that.
          if (hit.cut_before === undefined) assertEquals(trimmed(hit.text), trimmed(text));
          else assertStringIncludes(text, trimmed(hit.text));
        });
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("search: patterns match what is shown, and stored text with --exact", async () => {
  using world = makeWorld();
  const stored = "start\n\x1b[1;31merror\x1b[0m: x\r\n 10%\r100% done\r\nbe\x07ll\n";
  const fd = await store(world, stored);
  const found = async (...args: string[]) => {
    const answer = await searched(world, fd, ...args);
    return [
      ...hitsOf(answer).map(({ line, text }) => `${line}:${text}`),
      ...answer["cleaned"] === undefined ? [] : [answer["cleaned"]],
    ];
  };
  assertEquals(await found("^error"), ["2:error: x", 12]);
  assertEquals(await found("done$"), ["3:100% done", 6]);
  assertEquals(await found("^ 10%"), []);
  assertEquals(await found("^ 10%", "--exact"), ["3: 10%\r100% done\r"]);
  assertEquals(await found("\\x1b", "--exact"), ["2:\x1b[1;31merror\x1b[0m: x\r"]);
  assertEquals(await found("x07", "-F"), ["4:be\\x07ll"]);
  assertEquals((await searched(world, fd, "-v", "-c", "r", "-e", "ll"))["total"], 1);
  const none = jsonOf({ ...await world.run(["search", fd, "^ 10%", "--format", "json"]), code: 0 });
  assertEquals(none["message"], "No matches. In text that was overwritten, there is 1 matching line.");
  const coloured = jsonOf({ ...await world.run(["search", fd, "31merror", "--format", "json"]), code: 0 });
  assertEquals(coloured["message"], "No matches. In the stored text, there is 1 matching line.");
  const made = jsonOf(await world.run(["search", fd, "^error|done$", "--extract", "--format", "json"]));
  const bytes = await wholeOf(world, handleIn(made, "new_fd"));
  assertEquals(new TextDecoder().decode(bytes), "\x1b[1;31merror\x1b[0m: x\r\n 10%\r100% done\r\n");
});

Deno.test("search: a hit's number is the one that read takes", async () => {
  using world = makeWorld();
  const lines = Array.from({ length: 40_000 }, (_, i) => i % 9973 === 17 ? `needle ${i}` : `hay ${i}`);
  const fd = await store(world, lines.join("\n") + "\n");
  const answer = await searched(world, fd, "needle");
  assertEquals(answer["total"], lines.filter((line) => line.startsWith("needle")).length);
  for (const hit of hitsOf(answer)) {
    const read = await world.run(["read", fd, "--lines", `${hit.line}-${hit.line}`, "--format", "raw"]);
    assertEquals(read.text, `${hit.text}\n`);
  }
});

Deno.test("search: patterns, case, words and fixed text", async () => {
  using world = makeWorld();
  const fd = await store(world, "Error: one\nerror two\nterror\na.b\naxb\nfoo_bar foo\n(paren\n");
  const lines = async (...args: string[]) =>
    hitsOf(await searched(world, fd, ...args)).map((hit) => hit.line);
  assertEquals(await lines("error"), [2, 3]);
  assertEquals(await lines("error", "--ignore-case"), [1, 2, 3]);
  assertEquals(await lines("error", "--word", "--ignore-case"), [1, 2]);
  assertEquals(await lines("a.b"), [4, 5]);
  assertEquals(await lines("a.b", "--fixed"), [4]);
  assertEquals(await lines("^e"), [2]);
  assertEquals(await lines("o$"), [2, 6]);
  assertEquals(await lines("foo", "--word"), [6]);
  assertEquals(await lines("[Ee]rror:?\\s\\w+"), [1, 2]);
  assertEquals(await lines("(", "--fixed"), [7]);
  assertEquals(await lines("error", "--invert"), [1, 4, 5, 6, 7]);
});

Deno.test("search --invert: every sentence says that the lines do not match, in every format", async () => {
  using world = makeWorld();
  const fd = await store(world, "a\nb\nc\n");
  const said = async (format: string, ...args: string[]) => {
    const { text, stderr } = await world.run(["search", "--invert", ...args, "--format", format]);
    return (text + stderr).replace(/^[^]*── /, "");
  };
  assertEquals(await said("text", fd, "b"), "fd:1 · 2 lines do not match b\n");
  assertEquals(await said("text", fd, "[ab]"), "fd:1 · 1 line does not match [ab]\n");
  assertEquals(await said("text", fd, "b", "--count"), "fd:1 · 2 lines do not match b\n");
  assertEquals(await said("text", fd, "."), "fd:1: All lines match\n");
  assertEquals(await said("text", "--all-fds", "."), "All lines match in 1 fd.\n");
  assertStringIncludes(await said("raw", fd, "b", "--max-count", "1"), "1 of 2 lines that do not match");
  for (const args of [[fd, "b"], [fd, "b", "--count"], [fd, "."], ["--all-fds", "b"], ["--all-fds", "."]]) {
    assertEquals(JSON.parse(await said("json", ...args))["invert"], true, args.join(" "));
    assertStringIncludes(await said("xml", ...args), 'invert="true"');
  }
  assertEquals((await searched(world, fd, "b"))["invert"], undefined);
});

Deno.test('search: no hit is exit 1 and "No matches", in every format', async () => {
  using world = makeWorld();
  const fd = await store(world, "content\n");
  for (const format of ["xml", "json"]) {
    const finished = await world.run(["search", fd, "absent", "--format", format]);
    assertEquals(finished.code, 1);
    assertStringIncludes(finished.text + finished.stderr, "No matches");
  }
  const empty = await store(world, "");
  assertEquals((await world.run(["search", empty, ""])).code, 1);
});

Deno.test("search: context lines are around the hits and marked, none twice", async () => {
  using world = makeWorld();
  const fd = await store(world, Array.from({ length: 30 }, (_, i) => `row ${i + 1}`).join("\n"));
  const shownLines = async (...args: string[]) =>
    hitsOf(await searched(world, fd, ...args)).map((hit) => `${hit.context ? "-" : ":"}${hit.line}`);
  assertEquals(await shownLines("row 10$", "-C", "2"), ["-8", "-9", ":10", "-11", "-12"]);
  assertEquals(await shownLines("row 10$", "-B", "1"), ["-9", ":10"]);
  assertEquals(await shownLines("row 10$", "-A", "2"), [":10", "-11", "-12"]);
  assertEquals(await shownLines("row (10|12)$", "-C", "1"), ["-9", ":10", "-11", ":12", "-13"]);
  assertEquals(await shownLines("row (1|30)$", "-C", "2"), [":1", "-2", "-3", "-28", "-29", ":30"]);
});

Deno.test("search: a bounded answer has the true total, and its next command shows the next hit", async () => {
  using world = makeWorld();
  const fd = await store(world, Array.from({ length: 5000 }, (_, i) => `hit ${i + 1}`).join("\n"));
  const answer = await searched(world, fd, "hit", "--max-count", "7");
  assertEquals([answer["total"], answer["shown"], hitsOf(answer).length], [5000, 7, 7]);
  const followed = await world.shell(String(answer["next"]));
  assertEquals([followed.code, followed.stderr], [0, ""], String(answer["next"]));
  assertStringIncludes(followed.text, "hit 8\n");
  const all = await searched(world, fd, "hit");
  assertEquals(all["total"], 5000, "without a limit of the caller's own the total is true too");
  const counted = await world.run(["search", fd, "hit", "--count", "--format", "json"]);
  assertEquals(jsonOf(counted)["total"], 5000);
});

Deno.test("search: ill-formed lines have their bytes in json and raw", async () => {
  using world = makeWorld();
  const fd = await store(world, new Uint8Array([0x61, 0xff, 0x62, 0x0a, 0x61, 0x78, 0x62, 0x0a, 0xc3, 0x0a]));
  const json = jsonOf(await world.run(["search", fd, "a.b", "-A", "1", "--format", "json"]));
  assertEquals(json["matches"], [
    { line: 1, encoding: "base64", text: "Yf9i" },
    { line: 2, text: "axb" },
    { line: 3, encoding: "base64", text: "ww==", context: true },
  ]);
  const raw = await world.run(["search", fd, "a.b", "--format", "raw"]);
  assertEquals([...raw.stdout], [...encode("1:a"), 0xff, ...encode("b\n2:axb\n")]);
  assertStringIncludes((await world.run(["search", fd, "a.b"])).text, "1:a\ufffdb\n");
});

Deno.test("search: --extract stores the matching lines as an fd", async () => {
  using world = makeWorld();
  const fd = await store(world, "keep 1\ndrop\nkeep 2\r\ndrop\nkeep 3");
  const answer = jsonOf(await world.run(["search", fd, "keep", "--extract", "--format", "json"]));
  const made = handleIn(answer, "new_fd" in answer ? "new_fd" : "fd");
  assertEquals(new TextDecoder().decode(await wholeOf(world, made)), "keep 1\nkeep 2\r\nkeep 3");
});

Deno.test("search: a pattern cannot hang it", async () => {
  using world = makeWorld();
  const fd = await store(world, "a".repeat(50_000) + "!\n" + "ab".repeat(30_000) + "\n");
  for (const pattern of ["(a+)+$", "(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a?){60}a{60}b"]) {
    const finished = await world.run(["search", fd, pattern]);
    assert([0, 1].includes(finished.code), `${pattern}: ${finished.stderr.slice(0, 300)}`);
  }
});

Deno.test("search: an invalid pattern is refused with the reason", async () => {
  using world = makeWorld();
  const fd = await store(world, "content\n");
  for (const pattern of ["(", "[a", "a{2,1}", "*", "\\"]) {
    const failure = failureOf(await world.run(["search", fd, pattern]));
    assertEquals(failure.type, "invalid_parameter");
    assertStringIncludes(failure.message, pattern);
  }
});

Deno.test("search: hits around block edges are found, whole, and numbered right", async () => {
  using world = makeWorld();
  for (const edge of [32_768, 65_536, 131_072]) {
    for (const before of [0, 1, 3, 6]) {
      const filler = repeatedTo(edge - before, PATTERNS["log lines"] ?? new Uint8Array());
      const text = `${shown(filler)}\nNEEDLE here\n${shown(filler)}`;
      const fd = await store(world, text);
      const answer = await searched(world, fd, "NEEDLE");
      const at = text.slice(0, text.indexOf("NEEDLE")).split("\n").length;
      assertEquals(hitsOf(answer).map((hit) => [hit.line, hit.text]), [[at, "NEEDLE here"]]);
    }
  }
});

Deno.test("search: the suggested call for a removed extraction makes the same one again", async () => {
  using world = makeWorld();
  const content = "-x one\n-X two\nother\n-xy three\n-x four\n";
  for (
    const words of [
      ["four|one|three", "--max-count", "2"],
      ["--pattern=-x"],
      ["--fixed", "--ignore-case", "--word", "--pattern=-x", "-m", "2"],
      ["--invert", "other"],
    ]
  ) {
    const fd = await store(world, content);
    const call = async (...args: string[]) =>
      jsonOf(await world.run(["search", ...args, "--store", world.store, "--format", "json"]));
    const { new_fd: made } = await call(fd, ...words, "--extract");
    const wanted = (await world.run(["read", String(made), "--all", "--format", "raw"])).text;
    await world.run(["rm", String(made)]);
    const { next } = failureOf(
      await world.run(["read", String(made), "--store", world.store, "--format", "json"]),
    );
    const again = await world.shell(`${next} --format json`, { env: { FDTOOL_STORE: undefined } });
    const { new_fd: remade } = jsonOf(again);
    assertEquals((await world.run(["read", String(remade), "--all", "--format", "raw"])).text, wanted, next);
  }
});

Deno.test("search: the suggested plain search for a pattern with a hyphen runs", async () => {
  using world = makeWorld();
  const fd = await store(world, "-f(x)\n");
  const searched = await world.run([
    ...["search", fd, "--pattern=-f(x)", "--store", world.store, "--format", "json"],
  ]);
  const { next } = JSON.parse(searched.text);
  const plain = await world.shell(`${next} --format json`, { env: { FDTOOL_STORE: undefined } });
  assertEquals(jsonOf(plain)["total"], 1, plain.stderr);
});
