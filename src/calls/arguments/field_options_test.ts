// Promise: a field is defined once; what the command line refuses, the check of JSON refuses too.

import { assertEquals, assertThrows } from "@std/assert";
import { commandLineFrom, requestFrom } from "./field_options.ts";
import type { CommandSpec } from "../terms/command.ts";
import { parseCall } from "./parse_arguments.ts";
import { objectFaults } from "../requests/request_schema.ts";
import type { RequestFields } from "../requests/request_fields.ts";
import { UsageError } from "../requests/usage_failure.ts";

const FIELDS = {
  fd: { kind: "fd", isRequired: true, isArgument: true, description: "The fd." },
  max_count: { kind: "integer", least: 1, most: 9, description: "Lines.", option: { help: "lines" } },
  extract_to_new_fd: { kind: "flag", option: { name: "extract", help: "extract" } },
  mode: { kind: "text", choices: ["a", "b"] },
} as const satisfies RequestFields;

const OPERATION = { name: "x", effect: "reads" } as const;

const SPEC: CommandSpec = {
  usage: "FD",
  ...commandLineFrom(FIELDS),
  example: "",
  exitCodes: {},
};

Deno.test("both interfaces refuse a number beyond its limits, and take one within them", () => {
  for (const count of [-1, 0, 1, 9, 10]) {
    const words = ["fd:1", `--max-count=${count}`];
    const request = { fd: "fd:1", max_count: count };
    const faults = objectFaults(FIELDS, request);
    assertEquals(faults.length === 0, count >= 1 && count <= 9, `${count} as JSON`);
    if (faults.length === 0) {
      assertEquals<unknown>(requestFrom(FIELDS, parseCall(OPERATION, SPEC, words).call), request);
      continue;
    }
    const { failure } = assertThrows(() => parseCall(OPERATION, SPEC, words), UsageError);
    assertEquals(failure, {
      kind: "bad_value",
      command: "x",
      option: "--max-count",
      got: String(count),
      wanted: "1 to 9",
    });
  }
});

Deno.test("an option with another name than its field's takes that as an alias; a field for tools only is not an option", () => {
  const { options, positionals } = commandLineFrom(FIELDS);
  assertEquals(Object.keys(options), ["max-count", "extract"]);
  assertEquals(options["extract"]?.aliases, ["extract-to-new-fd"]);
  assertEquals(positionals, { least: 1, most: 1, names: ["fd"] });
});

Deno.test("names in camelCase, lists, JSON values and choices of arguments have one definition", () => {
  const fields = {
    action: { kind: "text", choices: ["check", "apply"], isRequired: true, isArgument: true },
    filePath: { kind: "text", isArgument: true, argumentName: "path" },
    ifMatch: { kind: "text", option: { help: "match" } },
    edits: { kind: "list", fields: { old: { kind: "text" } } },
    answer: { kind: "json", isRequired: true },
  } as const satisfies RequestFields;
  const { options, positionals } = commandLineFrom(fields);
  assertEquals(positionals, { least: 1, most: 2, names: ["action", "path"] });
  assertEquals(Object.keys(options), ["if-match"]);
  const call = (action: string) => ({ command: "x", positionals: [action], options: { "if-match": "a1" } });
  assertEquals<unknown>(requestFrom(fields, call("check")), {
    action: "check",
    ifMatch: "a1",
  });
  const { failure } = assertThrows(() => requestFrom(fields, call("chekc")), UsageError);
  const wanted = "one of check, apply";
  assertEquals(failure, { kind: "bad_value", command: "x", option: "ACTION", got: "chekc", wanted });
  const accepts = (more: object) =>
    objectFaults(fields, { action: "check", answer: 1, ...more }).length === 0;
  assertEquals(accepts({ edits: [{ old: "a" }] }), true);
  assertEquals(accepts({ edits: [] }), false);
  assertEquals(accepts({ edits: [{ new: "a" }] }), false);
  assertEquals(objectFaults(fields, { action: "check" }).length, 1);
});
