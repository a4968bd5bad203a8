/**
 * Runs every script under `tests/golden/`. With `FDTOOL_UPDATE_GOLDEN=1` (`scripts/test --update`) a difference
 * rewrites the script instead of failing: read the change before you commit it.
 */

import { assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import {
  formatGoldenScript,
  formatOutcome,
  type GoldenScript,
  normalise,
  parseGoldenScript,
  runGoldenScript,
} from "./golden_script.ts";
import { ANSWERS } from "../src/calls/terms/answers.ts";
import { CHECKOUT, makeWorld, programUnderTest } from "./world.ts";

const DIRECTORY = join(CHECKOUT, "tests", "golden");
const updating = Deno.env.get("FDTOOL_UPDATE_GOLDEN") === "1";

/**
 * Scripts for the binary alone: what they show are rules that unit tests check under Deno, and other scripts start the
 * same operations from source.
 */
const BINARY_ONLY = (
  "about agent_call agent_prompt agent_tools create diff edit forged_frame newest outline parts plans query references " +
  "rewrite search synonyms"
).split(" ");
const scripts = [...Deno.readDirSync(DIRECTORY)].map(({ name }) => name).sort();
const isSource = programUnderTest().length > 1;

for (const name of scripts.filter((each) => !isSource || !BINARY_ONLY.includes(each.replace(".txt", "")))) {
  Deno.test(`golden: ${name}`, async () => {
    const path = join(DIRECTORY, name);
    const script = parseGoldenScript(Deno.readTextFileSync(path));
    using world = makeWorld();
    const came = await runGoldenScript(script, world);
    if (updating) Deno.writeTextFileSync(path, formatGoldenScript(came));
    else assertSameOutcomes(came, script);
  });
}

Deno.test("each golden script for the binary alone exists", () => {
  assertEquals(BINARY_ONLY.filter((name) => !scripts.includes(`${name}.txt`)), []);
});

/** Fails on the first command whose outcome differs, with the whole of both. */
function assertSameOutcomes(came: GoldenScript, wanted: GoldenScript): void {
  for (const [at, step] of wanted.steps.entries()) {
    const actual = came.steps[at];
    if (step.kind !== "run" || actual?.kind !== "run") continue;
    assertEquals(formatOutcome(actual.wanted), formatOutcome(step.wanted), `after: ${step.line}`);
  }
}

const SCRIPT = `Prose.

-- file a.txt --
one
-- run cat a.txt; printf x >&2; exit 3 --
-- exit 3 --
-- stdout --
one
-- stderr (no final newline) --
x
-- run true --
`;

Deno.test("golden: the attributes of every answer are in the order of its fields", () => {
  const tables = new Map(Object.entries(ANSWERS));
  for (const { name } of Deno.readDirSync(DIRECTORY)) {
    const script = Deno.readTextFileSync(join(DIRECTORY, name));
    for (const [tag, type, attributes] of script.matchAll(/<([a-z]+_[a-z]+)((?: [a-z_]+="[^"]*")+)/g)) {
      const order = Object.keys(tables.get(type!) ?? {});
      const places = [...attributes!.matchAll(/ ([a-z_]+)=/g)].map((found) => order.indexOf(found[1]!));
      const known = places.filter((place) => place >= 0);
      assertEquals(known, known.toSorted((a, b) => a - b), tag);
    }
  }
});

Deno.test("golden scripts: a script that is read and written is the same", () => {
  assertEquals(formatGoldenScript(parseGoldenScript(SCRIPT)), SCRIPT);
});

Deno.test("golden scripts: a correct script passes, and each kind of difference fails", async () => {
  const script = parseGoldenScript(SCRIPT);
  using world = makeWorld();
  assertSameOutcomes(await runGoldenScript(script, world), script);
  for (
    const [from, to] of [["exit 3 --\n-- stdout", "exit 4 --\n-- stdout"], [
      "one\n-- stderr",
      "two\n-- stderr",
    ]]
  ) {
    const wrong = parseGoldenScript(SCRIPT.replace(from ?? "", to ?? ""));
    using again = makeWorld();
    const came = await runGoldenScript(wrong, again);
    assertThrows(() => assertSameOutcomes(came, wrong));
  }
});

Deno.test("golden scripts: a script without a command, or with sections out of place, is refused", () => {
  assertThrows(() => parseGoldenScript("Prose.\n-- file a --\nb\n"), Error, "without a command");
  assertThrows(() => parseGoldenScript("-- stdout --\nx\n"), Error, "after a command");
  assertThrows(() => parseGoldenScript("-- run true --\nbody\n"), Error, "no body");
  assertThrows(() => parseGoldenScript("-- run true --"), Error, "newline");
  assertThrows(
    () => formatGoldenScript({ prose: "", steps: [{ kind: "file", name: "a", body: "-- exit 1 --\n" }] }),
    Error,
    "header",
  );
});

Deno.test("golden scripts: what differs from run to run is normalised", () => {
  const world = { dir: "/tmp/w/work", home: "/tmp/w/home", store: "/tmp/w/store" };
  assertEquals(
    normalise('/tmp/w/work/a 2026-01-02T03:04:05.678Z duration_ms="12" "duration_ms":12,', world),
    '$WORK/a DATE duration_ms="MS" "duration_ms":MS,',
  );
  assertEquals(
    normalise('boundary="0f3a" {"boundary":"0f3a"}', world),
    'boundary="BOUNDARY" {"boundary":"BOUNDARY"}',
  );
});
