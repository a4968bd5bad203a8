// Promise: unknown words suggest the nearest, and far ones suggest nothing.

import { assertEquals } from "@std/assert";
import { nearestWord } from "./nearest_word.ts";

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
