// Promise: unknown words suggest the nearest, and far ones suggest nothing.
// Promise: a suggested option or parameter means what was meant, never its opposite (contract, Commands; law 5).

import { nearestOption, nearestParameter, nearestWord } from "./nearest_word.ts";
import { assertEquals } from "@std/assert";

Deno.test("a slip of the finger is found, nonsense is not", () => {
  const known = ["read", "rm", "refs", "capture", "completion"];
  assertEquals(nearestWord("raed", known), "read");
  assertEquals(nearestWord("Captrue", known), "capture");
  assertEquals(nearestWord("frobnicate", known), undefined);
  assertEquals(nearestWord("x", known), undefined);
  assertEquals(nearestWord("", known), undefined);
});

Deno.test("a short word was answered with one that shares a letter", () => {
  const known = ["eol", "ls", "log", "fd"];
  for (const far of ["foo", "bar", "xy"]) assertEquals(nearestWord(far, known), undefined, far);
  assertEquals(["lgo", "eo", "fb"].map((slip) => nearestWord(slip, known)), ["log", "eol", "fd"]);
});

const KNOWN = [
  "--create",
  "--no-create",
  "--exist-ok",
  "--no-exist-ok",
  "--lines",
  "--line",
  "--number",
  "-n",
  "-F",
];
const near = (written: string) => nearestOption(written, KNOWN, { "--line": "--lines" });

Deno.test("an option that forbids was answered with the one that allows", () => {
  for (
    const written of ["--noexist-ok", "--noexist_ok", "--no-exists-ok", "--notexist-ok", "--not-exist-ok"]
  ) {
    assertEquals(near(written), "--no-exist-ok", written);
  }
  for (const written of ["--nocreate", "--not-create", "--dont-create", "--noCreate", "--no-craete"]) {
    assertEquals(near(written), "--no-create", written);
  }
  for (const written of ["--exist-not-ok", "--create-not"]) assertEquals(near(written), undefined, written);
  assertEquals([near("--exists-ok"), near("--craete"), near("--nubmer"), near("--nomber")], [
    "--exist-ok",
    "--create",
    "--number",
    "--number",
  ]);
});

Deno.test("a letter was answered with any other letter", () => {
  assertEquals([near("-e"), near("-1"), near("-f"), near("--n")], [undefined, undefined, undefined, "-n"]);
});

Deno.test("an alias that help does not show was suggested", () => {
  assertEquals([near("--linse"), near("--lins")], ["--lines", "--lines"]);
});

Deno.test("a parameter that forbids was answered with the one that allows", () => {
  const known = [
    "exist_ok",
    "create",
    "dry_run",
    "eol",
    "createIfMissing",
    "allowPlaceholders",
    "number",
    "notes",
  ];
  const opposite = [
    "noexist_ok",
    "no_exist_ok",
    "no_create",
    "noCreate",
    "no_dry_run",
    "noDryRun",
    "nodryrun",
  ];
  for (const written of [...opposite, "noAllwoPlaceholders", "dontCreateIfMissing", "foo"]) {
    assertEquals(nearestParameter(written, known), undefined, written);
  }
  const slips = ["exists_ok", "craete", "dryrun", "create_if_mising", "elo", "nomber", "nots"];
  assertEquals(slips.map((written) => nearestParameter(written, known)), [
    "exist_ok",
    "create",
    "dry_run",
    "createIfMissing",
    "eol",
    "number",
    "notes",
  ]);
});
