import { assert, assertEquals } from "@std/assert";
import { halfOf, placeOf } from "./corpus_case.ts";
import { CASES } from "./corpus_cases.ts";
import { keptOutput } from "./kept_outputs.ts";
import { charCount, clean } from "./score_answer.ts";

Deno.test("cases have names that are different, and can be files", () => {
  const names = CASES.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  for (const name of names) assert(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name), name);
});

Deno.test("a case's half hangs on its name alone", () => {
  assertEquals(halfOf("a"), "measured"); // ca978112…
  assertEquals(halfOf("b"), "tuning"); // 3e23e816…
});

Deno.test("the corpus has enough cases with a fault and without, in both halves", () => {
  const sound = CASES.filter(({ place }) => place === "none");
  assert(CASES.length >= 80, `${CASES.length} cases`);
  assert(sound.length >= 20, `${sound.length} cases without a fault`);
  const tuning = CASES.filter(({ name }) => halfOf(name) === "tuning").length / CASES.length;
  assert(tuning > 0.35 && tuning < 0.65, `${tuning} of the cases are for tuning`);
});

Deno.test("a recorded output is too large to be passed through, and holds its fact where the case says", () => {
  for (const { name, place, facts } of CASES) {
    const output = keptOutput(name);
    if (output === undefined) continue; // a large one, made again by its generator
    const text = new TextDecoder().decode(output);
    assert(charCount(text) > 8000, name);
    for (const fact of facts) assert(clean(text).includes(fact), `${name} lacks ${fact}`);
    if (place === "none") continue;
    assert(facts.length > 0, `${name} has no fact`);
    assertEquals(placeOf(clean(text), facts), place, name);
  }
});
