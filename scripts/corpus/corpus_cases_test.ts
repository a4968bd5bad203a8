import { assert, assertEquals } from "@std/assert";
import { halfOf } from "./corpus_case.ts";
import { CASES } from "./corpus_cases.ts";
import { keptOutput } from "./kept_outputs.ts";
import { keptRuns, wrongFacts } from "./runs/measure_runs.ts";
import { RUN_CASES } from "./runs/run_case.ts";
import { charCount, clean, placeOf, showsAll } from "./score_answer.ts";

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
  const sound = CASES.filter(({ sound }) => sound);
  assert(CASES.length >= 80, `${CASES.length} cases`);
  assert(sound.length >= 20, `${sound.length} cases without a fault`);
  const tuning = CASES.filter(({ name }) => halfOf(name) === "tuning").length / CASES.length;
  assert(tuning > 0.35 && tuning < 0.65, `${tuning} of the cases are for tuning`);
});

Deno.test("a recorded output is too large to be passed through, and holds its facts; some at its start, some at its end", () => {
  const countOf = { start: 0, middle: 0, end: 0 };
  for (const { name, sound, facts } of CASES) {
    const output = keptOutput(name);
    if (output === undefined) continue; // a large one, made again by its generator
    const text = new TextDecoder().decode(output);
    assert(charCount(text) > 8000, name);
    for (const fact of facts) assert(showsAll(text, [fact]), `${name} lacks ${fact}`);
    if (sound) continue;
    assert(facts.length > 0, `${name} has no fact`);
    const complete = Math.max(...facts.map((fact) => placeOf(fact, clean(text)))) / clean(text).length;
    const part = complete < 1 / 7 ? "start" : complete > 6 / 7 ? "end" : "middle";
    countOf[part]++;
  }
  for (const [part, count] of Object.entries(countOf)) assert(count >= 15, `${count} facts at the ${part}`);
});

Deno.test("recorded runs have what their cases say, and enough of them are only measured", () => {
  assertEquals(new Set(RUN_CASES.map(({ name }) => name)).size, RUN_CASES.length);
  for (const each of RUN_CASES) {
    const outputs = keptRuns(each);
    assertEquals(outputs?.length, each.reruns.length + 1, each.name);
    assertEquals(wrongFacts(each, outputs!), [], each.name);
  }
  const measured = RUN_CASES.filter(({ name }) => halfOf(name) === "measured").length / RUN_CASES.length;
  assert(measured > 0.4 && measured < 0.6, `${measured} of the runs are only measured`);
});
