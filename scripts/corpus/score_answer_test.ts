import { assert, assertEquals } from "@std/assert";
import { perturb, PERTURBATIONS } from "./perturbations.ts";
import { clean, cut, nextCommand, shownFacts, showsAll } from "./score_answer.ts";

Deno.test("a fact counts when it is shown without its colours", () => {
  const answer = "\x1b[1m\x1b[31merror\x1b[0m: no such column\x1b]8;;http://x\x1b\\\x1b[K\r\n";
  assertEquals(clean(answer), "error: no such column\n");
  assert(showsAll(answer, ["error: no such column"]));
});

Deno.test("all strings of a fact must be shown", () => {
  const facts = ["expected 3", "cart.js:17"];
  assertEquals(shownFacts("expected 3, got 4", facts), ["expected 3"]);
  assert(!showsAll("expected 3, got 4", facts));
  assert(showsAll("expected 3, got 4 (cart.js:17:5)", facts));
});

Deno.test("a redrawn line counts as its last state", () => {
  assertEquals(clean("10 %\r50 %\r100 %\ndone\r\n"), "100 %\ndone\n");
});

Deno.test("a cut keeps chars, not code units, and text that fits", () => {
  assertEquals(cut("abc", 2, 1), "abc");
  assertEquals(cut("😀😀😀😀", 1, 1), "😀\n… 2 chars left out …\n😀");
  assertEquals(cut("abcd", 2, 0), "ab\n… 2 chars left out …\n");
});

Deno.test("next is read out of an answer as the command it names", () => {
  const answer =
    `<fd_result fd="fd:1">\n  <next>fdtool search fd:1 &apos;a &amp; b&apos;</next>\n  <preview>\n`;
  assertEquals(nextCommand(answer), "fdtool search fd:1 'a & b'");
  assertEquals(
    nextCommand(`<fd_content fd="fd:1" page="2" next="fdtool read fd:1 --start 3">\ntext`),
    "fdtool read fd:1 --start 3",
  );
  assertEquals(nextCommand("passed through"), undefined);
});

Deno.test("a perturbed output is the same each time, and keeps its lines but the first", () => {
  const text = "one\n  two is lost\n\nlast\n";
  for (const each of PERTURBATIONS) {
    assertEquals(perturb(text, each), perturb(text, each));
    assert(perturb(text, each) !== text, each.name);
    assert(showsAll(perturb(text, each), ["two is lost", "last"]), each.name);
    assert(perturb(text, each).endsWith("\n"), each.name);
  }
});
