// Promise: a search says the true total whatever it shows, and the exact next command while there is more; no hit is
// exit code 1 and "No matches" (contract, Commands, laws 3 and 7).

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { beginPut, findFd, putBytes, readSlice, readWhole, type Store } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { damageContent } from "../../tests/temporary_store.ts";
import { inWorld, type World } from "../../tests/command_world.ts";
import { nextLine, nextWords } from "../../tests/sample_answers.ts";
import type { FdMatches } from "../calls/terms/answers.ts";
import { commandWriter, messageText } from "../answers/parts/next_command.ts";
import { UsageError } from "../calls/requests/usage_failure.ts";
import { readCommand } from "./read.ts";
import { command } from "./search.ts";

function put(store: Store, text: string): void {
  putBytes(store, Buffer.from(text), { source: "test" });
}

function contentOf(store: Store, fd: string): string {
  const entry = findFd(store, fd);
  return Buffer.from(readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }))).toString();
}

async function search(world: World, ...words: string[]): Promise<FdMatches> {
  const { answer, exitCode } = await world.run(command, "fd:1", ...words);
  assert(answer?.type === "fd_matches");
  assertEquals(exitCode, answer.total === 0 ? 1 : 0);
  return answer;
}

/** 300 lines, `hit` in every third one. */
const LINES = Array.from({ length: 300 }, (_, index) => `${index % 3 === 0 ? "hit" : "no"} ${index + 1}\n`)
  .join("");

Deno.test("few matches are shown whole, without a word more", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    assertEquals(await search(world, "hit (1|4)$"), {
      type: "fd_matches",
      fd: "fd:1",
      pattern: "hit (1|4)$",
      total: 2,
      shown: 2,
      cleaned: undefined,
      counted: undefined,
      invert: undefined,
      only_matching: undefined,
      shapes: undefined,
      matches: [
        { line: 1, text: "hit 1", cut_before: undefined, cut_after: undefined },
        { line: 4, text: "hit 4", cut_before: undefined, cut_after: undefined },
      ],
      message: undefined,
      next: undefined,
    });
  }));

Deno.test("many matches are counted all, shown in part, and the next read shows the next one", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const { total, shown, matches, message, next } = await search(world, "hit");
    const write = commandWriter(undefined);
    assertEquals(
      {
        total,
        shown,
        last: matches.at(-1)!.line,
        message: messageText(message!, write),
        next: nextLine(next),
      },
      {
        total: 100,
        shown: 50,
        last: 148,
        message:
          "Showing 50 of 100 matching lines, 33% of all lines. Use fdtool search fd:1 hit --extract to store all of them as a new fd.",
        next: "fdtool read fd:1 --mode line --start 149 --count 5",
      },
    );
    const { answer } = await world.run(readCommand(), ...nextWords(next));
    assert(answer?.type === "fd_content");
    assertEquals(Buffer.concat([...answer.content.chunks()]).toString().split("\n")[2], "hit 151");
  }));

Deno.test("--max-count bounds what is shown, and the total stays true", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const some = await search(world, "hit", "-m", "2");
    assertEquals([some.total, some.shown, nextLine(some.next)], [
      100,
      2,
      "fdtool read fd:1 --mode line --start 5 --count 5",
    ]);
    const all = await search(world, "hit", "--max-count=100");
    assertEquals([all.total, all.shown, all.message], [100, 100, undefined]);
  }));

Deno.test("--count with --max-count ended early, with a total that was none and nothing to run next", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const { total, message } = await search(world, "hit", "-c", "-m", "2");
    assertEquals([total, message], [100, "100 matching lines"]);
  }));

Deno.test("--extract that --max-count ended did not say how to get the rest", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const { answer } = await world.run(command, "fd:1", "-i", "HIT", "--extract", "-m", "2");
    assert(answer?.type === "fd_extraction");
    assertEquals([answer.count, answer.capped, answer.message, nextLine(answer.next)], [
      2,
      true,
      "Extracted 2 matching lines of fd:1 (lines 1, 4) to fd:2. " +
      "The search stopped there; more lines match. The next command stores all of them.",
      "fdtool search fd:1 --ignore-case HIT --extract",
    ]);
    const all = await world.run(command, ...nextWords(answer.next));
    assert(all.answer?.type === "fd_extraction");
    assertEquals([all.answer.count, all.answer.capped, nextLine(all.answer.next)], [
      100,
      undefined,
      "fdtool read fd:3",
    ]);
  }));

Deno.test("--count counts, with every way to match", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const totals = async (...words: string[]) => (await search(world, "--count", ...words)).total;
    assertEquals(await totals("HIT"), 0);
    assertEquals(await totals("HIT", "--ignore-case"), 100);
    assertEquals(await totals("hit", "--invert-match"), 200);
    assertEquals(await totals("1", "--word"), 1);
    assertEquals(await totals("t 1", "-F"), 39);
    assertEquals(await totals("t.1", "--fixed_strings"), 0);
  }));

Deno.test("without a match, the nearest search that has one is offered, with what it really finds", () =>
  inWorld(async (world) => {
    put(world.store, "call(x)\nreset by peer\nRESET\n/usr/lib.so\na|b\n");
    for (
      const [words, sentence, next] of [
        [["Call"], "Ignoring case, there is 1 matching line.", "--ignore-case Call"],
        [["-w", "eer"], "Inside words too, there is 1 matching line.", "eer"],
        [["-w", "EER"], "Inside words too and ignoring case, there is 1 matching line.", "--ignore-case EER"],
        [["call(x)"], "As plain text, there is 1 matching line.", "--fixed 'call(x)'"],
        [["-F", "reset|lib"], "As a regular expression, there are 2 matching lines.", "'reset|lib'"],
        [
          ["connection reset"],
          'For "reset" alone, ignoring case, there are 2 matching lines.',
          "--ignore-case reset",
        ],
      ] as const
    ) {
      const none = await search(world, ...words);
      assertEquals([none.message, nextLine(none.next)], [
        `No matches. ${sentence}`,
        `fdtool search fd:1 ${next}`,
      ]);
      assert((await search(world, ...nextWords(none.next).slice(1))).total > 0);
    }
    const nothing = await search(world, "nothing");
    assertEquals([nothing.message, nothing.next], ["No matches", undefined]);
    const invalid = await search(world, "-F", "lib(");
    assertEquals(invalid.message, 'No matches. For "lib" alone, ignoring case, there is 1 matching line.');
    const { exitCode, answer } = await world.run(command, "fd:1", "nothing", "--extract");
    assertEquals([exitCode, answer?.type], [1, "fd_matches"]);
    assertEquals((await search(world, "call(x)", "--fixed")).total, 1);
  }));

Deno.test("in large content, a nearest search is offered only if its matches were found", () =>
  inWorld(async (world) => {
    const filler = "some line that matches nothing\n".repeat(300_000);
    put(world.store, `Needle\n${filler}`);
    const found = await search(world, "needle");
    assertEquals(found.message, "No matches. Ignoring case, there are matching lines.");
    assertEquals((await search(world, ...nextWords(found.next).slice(1))).total, 1);
    const none = await search(world, "pin");
    assertEquals([none.message, none.next], ["No matches", undefined]);
  }));

Deno.test("among thousands of matches of one shape, the odd one is seen", () =>
  inWorld(async (world) => {
    const lines = Array.from({ length: 5000 }, (_, at) =>
      at === 4000 ? "error: disk on fire" : `error ${at} in /a/${at}`);
    put(world.store, `${lines.join("\n")}\n`);
    const { shapes, matches, shown, total, next } = await search(world, "error");
    assertEquals(shapes, [{ lines: 4999, first: 1, like: "error 0 in /a/0" }]);
    assertEquals(
      matches.map(({ line }) =>
        line
      ),
      [4001, 1, 2, 3],
      "rare lines first, then those of each kind",
    );
    assertEquals([shown, total, nextLine(next)], [
      4,
      5000,
      "fdtool read fd:1 --mode line --start 3999 --count 5",
    ]);
    const around = await search(world, "error", "--context", "1");
    assertEquals(around.matches.map(({ line }) => line), [4000, 4001, 4002, 1, 2, 3, 4]);
    assertEquals(
      [around.shown, around.matches.some(({ context }) => context)],
      [7, false],
      "all of them match",
    );
    const inOrder = await search(world, "error", "--max-count", "3");
    assertEquals(inOrder.matches.map(({ line }) => line), [1, 2, 3], "as many as were asked for, in order");
    assertEquals(inOrder.shapes?.length, 2);
    assertEquals((await search(world, "fire")).shapes, undefined, "all are shown");
  }));

Deno.test("around the lines of each kind, a line is context only if it does not match", () =>
  inWorld(async (world) => {
    const long = "x".repeat(5000);
    const odd = `\x1b[31merror\x1b[0m: on fire`;
    const usual = Array.from({ length: 60 }, (_, at) => `error ${at} in /a/${at}`);
    put(
      world.store,
      [...usual, "no", `${long} error`, odd, "Er\x1b[0mror", `error ${long}`, "no"].join("\n"),
    );
    const { matches, shown, total } = await search(world, "(?i)^error|x error", "--context", "3");
    assertEquals(total, 64);
    const rare = matches.filter(({ line }) => line > 59);
    assertEquals(
      rare.map(({ line, context }) => [line, context ?? false]),
      [[60, false], [61, true], [62, false], [63, false], [64, false], [65, false], [66, true]],
    );
    assertEquals(shown, matches.filter(({ context }) => context === undefined).length);
    const cut = await search(world, "^error", "--context", "1");
    assert(!cut.matches.some(({ line }) => line === 62), "it may match where it is cut");
  }));

Deno.test("many kinds of lines are shown in order", () =>
  inWorld(async (world) => {
    const words = Array.from({ length: 400 }, (_, at) =>
      `error ${String.fromCharCode(97 + at % 26)}${"x".repeat(at / 26)}`);
    put(world.store, `${"error\n".repeat(20)}${words.join("\n")}\n`);
    const { matches } = await search(world, "error");
    assertEquals(
      matches.map(({ line }) =>
        line
      ),
      Array.from({ length: 50 }, (_, at) => at + 1),
    );
  }));

Deno.test("more matches than are shown are counted by their text, each at its first place", () =>
  inWorld(async (world) => {
    const statusOf = (at: number) => at === 300 ? 503 : at % 3 === 0 ? 404 : 200;
    put(world.store, Array.from({ length: 600 }, (_, at) => `GET /${at} status=${statusOf(at)}\n`).join(""));
    const { matches, message, total, shown } = await search(world, "-o", "status=\\d+");
    assertEquals(matches.map(({ text, times, line }) => [text, times, line]), [
      ["status=200", 400, 2],
      ["status=404", 199, 1],
      ["status=503", 1, 301],
    ]);
    assertEquals([total, shown], [600, 3]);
    assertEquals(
      messageText(message!, commandWriter(undefined)).split(". ")[0],
      "Showing the 3 different matches among 600 in 600 matching lines, each with how often it was found, at its first place",
    );
    const few = await search(world, "-o", "status=503");
    assertEquals(few.matches.map(({ times }) => times), [undefined]);
    const inOrder = await search(world, "-o", "404", "-m", "2");
    assertEquals(inOrder.matches.map(({ line, times }) => [line, times]), [[1, undefined], [4, undefined]]);
    const apart = await search(world, "-o", "/\\d+");
    assertEquals([apart.matches.length, apart.matches[0]!.times], [50, undefined], "matches that all differ");
  }));

Deno.test("a search that a tenth of all lines match is not offered", () =>
  inWorld(async (world) => {
    put(world.store, `${"INFO user came\n".repeat(90)}${"WARN slow\n".repeat(9)}`);
    const none = await search(world, "info");
    assertEquals([none.message, none.next], ["No matches", undefined]);
    assertEquals(
      (await search(world, "warn")).message,
      "No matches. Ignoring case, there are 9 matching lines.",
    );
  }));

Deno.test("--extract keeps the exact bytes of the matching lines, and remembers where they came from", () =>
  inWorld(async (world) => {
    put(world.store, "hit\r\nno\n\xffhit\nhit");
    const { exitCode, answer } = await world.run(command, "1", "hit", "--extract", "--name", "hits");
    assert(answer?.type === "fd_extraction");
    assertEquals(exitCode, 0);
    assertEquals(
      [
        answer.source_fd,
        answer.new_fd,
        answer.mode,
        answer.start,
        answer.count,
        answer.message,
        nextLine(answer.next),
      ],
      [
        "fd:1",
        "fd:2",
        "line",
        1,
        3,
        "Extracted 3 matching lines of fd:1 (lines 1, 3, 4) to fd:2 as ref:hits.",
        "fdtool read fd:2",
      ],
    );
    assertEquals(contentOf(world.store, "ref:hits"), "hit\r\n\xffhit\nhit");
    const made = findFd(world.store, "fd:2");
    assertEquals(made.parent, { id: 1, mode: "line", start: 1, count: 4 });
    assertEquals(made.command, ["fdtool", "search", "fd:1", "hit", "--extract"]);
  }));

Deno.test("a match in a giant line is shown in part, and the next command reads the chars around it", () =>
  inWorld(async (world) => {
    put(world.store, `first\n${"é".repeat(500_000)}needle${"é".repeat(500_000)}\n`);
    const { matches, next, message } = await search(world, "needle");
    const sentence = "Long lines are cut to 2000 bytes; for the matches alone use --only-matching.";
    assertEquals(messageText(message!, commandWriter(undefined)), sentence);
    assert(matches[0]!.text.includes("éneedleé"));
    const { answer } = await world.run(readCommand(), ...nextWords(next));
    assert(answer?.type === "fd_content" && answer.mode === "char");
    assert(Buffer.concat([...answer.content.chunks()]).toString().includes("éneedleé"));
  }));

Deno.test("an answer's bound is heeded inside a giant line", () =>
  inWorld(async (world) => {
    put(world.store, `${"é".repeat(50_000)}needle${"é".repeat(50_000)}\n`);
    for (const chars of ["1", "5", "120", "3000"]) {
      const { matches } = await search(world, "needle", "--max-chars", chars);
      assert(matches[0]!.text.length <= Math.max(4, Number(chars)));
      assert(matches[0]!.cut_before! > 0 && matches[0]!.cut_after! > 0);
      const only = await search(world, "needle|é{40}", "-o", "--max-chars", chars);
      assert(only.matches.length >= 1 && only.matches[0]!.text.length <= Math.max(4, Number(chars)));
    }
  }));

Deno.test("a line matches if any of several patterns does, each on its own, as an argument or as -e", () =>
  inWorld(async (world) => {
    put(world.store, "one\nTWO\nthree\na|b\nfour (\n");
    const found = async (...words: string[]) =>
      (await search(world, ...words)).matches.map(({ line }) => line);
    assertEquals(await found("one", "-e", "three"), [1, 3]);
    assertEquals(await found("-e", "(?i)two", "-e", "THREE"), [2], "flags end with their pattern");
    assertEquals(await found("-F", "-e", "a|b", "-e", "("), [4, 5]);
    assertEquals(await found("-w", "-e", "on", "-e", "three"), [3]);
    assertEquals(await found("-v", "--regexp=o", "-e", "^a"), [2, 3]);
    const { pattern } = await search(world, "-e", "one", "-e", "-x");
    assertEquals(pattern, "one\n-x", "as grep takes a list of patterns");
    const { answer } = await world.run(command, "fd:1", "-e", "one", "-e", "o", "-m", "1", "--extract");
    assert(answer?.type === "fd_extraction");
    assertEquals(nextLine(answer.next), "fdtool search fd:1 --pattern=one --pattern=o --extract");
  }));

Deno.test("--all-fds counts the matches of every fd, newest first, and leads to the one with most", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    put(world.store, "nothing\n");
    put(world.store, "a hit\n");
    const { exitCode, answer } = await world.run(command, "--all-fds", "hit");
    assert(answer?.type === "fd_matches");
    assertEquals(exitCode, 0);
    assertEquals([answer.total, answer.shown, answer.searched, answer.message, nextLine(answer.next)], [
      101,
      4,
      3,
      "101 matching lines in 2 of 3 fds.",
      "fdtool search fd:1 hit",
    ]);
    assertEquals(answer.fds?.map(({ fd, total, shown }) => [fd, total, shown]), [["fd:3", 1, 1], [
      "fd:1",
      100,
      3,
    ]]);
    assertEquals(answer.matches.map(({ fd, line }) => [fd, line]), [["fd:3", 1], ["fd:1", 1], ["fd:1", 4], [
      "fd:1",
      7,
    ]]);
    const one = await world.run(command, "--all-fds", "-e", "a hit");
    assert(one.answer?.type === "fd_matches");
    assertEquals(nextLine(one.answer.next), "fdtool read fd:3 --mode line --start 1 --count 1");
    const none = await world.run(command, "--all-fds", "absent");
    assert(none.answer?.type === "fd_matches");
    assertEquals([none.exitCode, none.answer.message], [1, "No matches in 3 fds."]);
  }));

Deno.test("--all-fds lists a bounded number of fds, and counts the matches of all", () =>
  inWorld(async (world) => {
    for (let id = 0; id < 30; id++) put(world.store, "hit\n".repeat(500));
    const { answer } = await world.run(command, "--all-fds", "hit", "-m", "500");
    assert(answer?.type === "fd_matches");
    assertEquals([answer.total, answer.fds?.length], [15_000, 20]);
    assert(answer.matches.reduce((chars, { text }) => chars + text.length, 0) < 9000);
    assertEquals(
      answer.message,
      "15000 matching lines in 30 of 30 fds. The 10 oldest of them are not listed.",
    );
  }));

Deno.test("--all-fds reports an fd that cannot be read and one that is live, and searches the others", () =>
  inWorld(async (world) => {
    put(world.store, "hit 1\n");
    put(world.store, "hit 2\n");
    const live = beginPut(world.store, { source: "test" });
    live.write(Buffer.from("hit 3\n"));
    damageContent(findFd(world.store, "fd:1"));
    const { answer } = await world.run(command, "--all-fds", "hit");
    assert(answer?.type === "fd_matches");
    assertEquals(answer.fds?.map(({ fd, total, error, state }) => [fd, total ?? error, state]), [
      ["fd:3", 1, "live"],
      ["fd:2", 1, undefined],
      ["fd:1", "store_corrupt", undefined],
    ]);
    assertEquals(
      answer.message,
      "2 matching lines in 2 of 2 fds. fd:1 could not be read (store_corrupt). fd:3 is still live.",
    );
    live.seal();
  }));

Deno.test("what is written as for grep is understood, in the order of its arguments, too", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    assertEquals((await search(world, "-nE", "hit (1|4)$")).total, 2);
    const found = async (...words: string[]) => {
      const { answer } = await world.run(command, ...words);
      assert(answer?.type === "fd_matches");
      return [answer.fd, answer.pattern, answer.total, answer.searched, answer.shown];
    };
    assertEquals(await found("hit 4$", "fd:1", "-C", "2"), ["fd:1", "hit 4$", 1, undefined, 1]);
    for (const words of [["hit 4$"], ["-e", "hit 4$"], ["-r", "hit 4$"], ["--all-fds", "hit 4$"]]) {
      assertEquals(await found(...words), [undefined, "hit 4$", 1, 1, 1]);
    }
    assertEquals(await found("-rl", "hit 4$"), [undefined, "hit 4$", 1, 1, 0]);
    const { failure } = await assertRejects(() => world.run(command, "fd:1"), UsageError);
    assertEquals(failure.kind, "missing_argument");
  }));

Deno.test("calls that cannot be meant are refused", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    for (
      const words of [["a", "-C", "1001"], ["a", "-m", "0"], ["a", "--extract", "--count"], [
        "a",
        "--name",
        "x",
      ]]
    ) await assertRejects(() => world.run(command, "fd:1", ...words), UsageError);
    for (
      const words of [[], ["fd:1"], ["--all-fds"], ["--all-fds", "fd:1", "a"], [
        "--all-fds",
        "a",
        "--extract",
      ]]
    ) {
      await assertRejects(() => world.run(command, ...words), UsageError);
    }
    await assertRejects(() => world.run(command, "fd:1", "(?=a)"), FdError);
    await assertRejects(() => world.run(command, "fd:9", "a"), FdError);
  }));
