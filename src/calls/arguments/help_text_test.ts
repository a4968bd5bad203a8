// Promise: help fits the width it is made for, whatever that is; its first screen fits 24 lines of 80 columns.

import { assert, assertEquals } from "@std/assert";
import { listOperations } from "../../commands/rows.ts";
import { commandHelp, firstHelp, programHelp } from "./help_text.ts";

/** The lines of `help` that are longer than `width`, though they have a place to break. */
function tooLong(help: string, width: number): string[] {
  const running = help.replace(/\nExample\n[^]*?\n\n/, "\n\n").replace(/^ {2}# [^]*?\n\n/m, "\n");
  return running.split("\n").filter((line) =>
    line.length > width && line.trim().replace(/^\S+( {2,}|$)/, "").includes(" ")
  );
}

for (const width of [40, 60, 80, 100, 120]) {
  Deno.test(`help for ${width} columns has no longer lines`, async () => {
    assertEquals(tooLong(firstHelp(listOperations(), width), width), []);
    assertEquals(tooLong(programHelp(listOperations(), width, true), width), []);
    for (const entry of listOperations()) {
      assertEquals(tooLong(commandHelp(entry, (await entry.load()).spec, width), width), [], entry.name);
    }
  });
}

Deno.test("help keeps every word at every width, and no line ends with a space", async () => {
  const words = (text: string) => text.split(/\s+/).join(" ").trim();
  for (const entry of listOperations()) {
    const { spec } = await entry.load();
    const wide = commandHelp(entry, spec, 1000);
    for (const width of [40, 80]) {
      const help = commandHelp(entry, spec, width);
      assertEquals(words(help), words(wide));
      assert(!/ $/m.test(help), entry.name);
    }
  }
});

Deno.test("the first screen fits 24 lines of 80 columns with a prompt, and names what a new user needs", () => {
  const help = firstHelp(listOperations(), 80);
  assert(help.trimEnd().split("\n").length <= 22, help);
  for (const name of ["run", "capture", "read", "search", "ls", "ui", "edit", "log", "undo"]) {
    assert(help.includes(`\n  ${name.padEnd(7)}  `), name);
  }
  for (const more of ["fdtool help ", "fdtool help COMMAND", "fdtool doctor"]) {
    assert(help.includes(`\n  ${more}`), more);
  }
});
