// Promise: arguments as models write them are taken where they can mean one thing, and the answer says how they were
// read; what can mean two is refused, all faults at once, each with its field, what came and what was wanted.

import { deepStrictEqual } from "node:assert/strict";
import { readFields } from "./read_request.ts";
import { understandArguments } from "./lenient_arguments.ts";

const READ = { fields: readFields() };

type Given = Record<string, unknown>;

/** Arguments of read_fd, their meaning, and the notes. */
const UNDERSTOOD: readonly [Given, Given, string[]][] = [
  [{ fd: "fd:1" }, { fd: "fd:1" }, []],
  [{ fd: 1 }, { fd: "fd:1" }, ['fd: 1 was read as "fd:1"']],
  [{ fd: "12" }, { fd: "fd:12" }, ['fd: "12" was read as "fd:12"']],
  [{ fd: "FD:12" }, { fd: "fd:12" }, ['fd: "FD:12" was read as "fd:12"']],
  [{ fd: "fd 12" }, { fd: "fd:12" }, ['fd: "fd 12" was read as "fd:12"']],
  [{ fd: "fd12" }, { fd: "fd:12" }, ['fd: "fd12" was read as "fd:12"']],
  [{ fd: " fd:012 " }, { fd: "fd:12" }, ['fd: " fd:012 " was read as "fd:12"']],
  [{ fd: "`fd:12`" }, { fd: "fd:12" }, ['fd: "`fd:12`" was read as "fd:12"']],
  [{ fd: ["fd:12"] }, { fd: "fd:12" }, ['fd: ["fd:12"] was read as "fd:12"']],
  [{ fd: "Ref:log" }, { fd: "ref:log" }, ['fd: "Ref:log" was read as "ref:log"']],
  [{ fd: "fd:1", start: "3" }, { fd: "fd:1", start: 3 }, ['start: "3" was read as 3']],
  [{ fd: "fd:1", start: "3.0" }, { fd: "fd:1", start: 3 }, ['start: "3.0" was read as 3']],
  [{ fd: "fd:1", start: 3.0 }, { fd: "fd:1", start: 3 }, []],
  [{ fd: "fd:1", read_all: "True" }, { fd: "fd:1", read_all: true }, ['read_all: "True" was read as true']],
  [{ fd: "fd:1", read_all: "no" }, { fd: "fd:1", read_all: false }, ['read_all: "no" was read as false']],
  [{ fd: "fd:1", read_all: 1 }, { fd: "fd:1", read_all: true }, ["read_all: 1 was read as true"]],
  [{ fd: "fd:1", mode: "Lines" }, { fd: "fd:1", mode: "line" }, ['mode: "Lines" was read as "line"']],
  [{ fd: "fd:1", start: null, mode: null }, { fd: "fd:1" }, []],
  [{ fd: "fd:1", readAll: true }, { fd: "fd:1", read_all: true }, ["readAll was read as read_all"]],
  [{ fd: "fd:1", "read-all": true }, { fd: "fd:1", read_all: true }, ["read-all was read as read_all"]],
  [{ fd: "fd:1", page: 2 }, { fd: "fd:1", start: 2 }, ["page was read as start"]],
  [{ fd: "fd:1", lines: 5 }, { fd: "fd:1", lines: "5" }, ['lines: 5 was read as "5"']],
];

for (const [given, request, notes] of UNDERSTOOD) {
  Deno.test(`is understood: ${JSON.stringify(given)}`, () => {
    deepStrictEqual(understandArguments(READ, given), { request, notes });
  });
}

/** Refused arguments, and the reported fields and expectations. */
const REFUSED: readonly [Given, [string, string, string][]][] = [
  [{}, [["fd", "nothing", "a string (it is required)"]]],
  [{ fd: "fd:1", start: "3.5" }, [["start", '"3.5"', "a whole number"]]],
  [{ fd: "fd:1", start: "1,000" }, [["start", '"1,000"', "a whole number"]]],
  [{ fd: "fd:1", start: "10-14" }, [["start", '"10-14"', "a whole number"]]],
  [{ fd: "fd:1", start: "" }, [["start", '""', "a whole number"]]],
  [{ fd: "fd:1", start: true }, [["start", "true", "a whole number"]]],
  [{ fd: "fd:1", count: 0 }, [["count", "0", "at least 1"]]],
  [{ fd: "fd:1", read_all: "maybe" }, [["read_all", '"maybe"', "true or false"]]],
  [{ fd: "fd:1", read_all: 2 }, [["read_all", "2", "true or false"]]],
  [{ fd: "fd:1", mode: "byte" }, [["mode", '"byte"', 'one of "page", "line", "char"']]],
  [{ fd: "fd:1", lines: 1.5 }, [["lines", "1.5", "a string"]]],
  [{ fd: "fd:1", strat: 3 }, [["strat", "3", "a known parameter"]]],
  [{ fd: "fd:1", page: 2, start: 3 }, [["start", "3", "only one of start and page, which mean the same"]]],
  [
    { fd: ["fd:1", "fd:2"], start: "x", bogus: null },
    [
      ["bogus", "null", "a known parameter"],
      ["fd", '["fd:1","fd:2"]', "a string"],
      ["start", '"x"', "a whole number"],
    ],
  ],
  [{ fd: "fd:1", constructor: 1 }, [["constructor", "1", "a known parameter"]]],
];

for (const [given, faults] of REFUSED) {
  Deno.test(`is refused: ${JSON.stringify(given)}`, () => {
    const understood = understandArguments(READ, given);
    const told = "faults" in understood
      ? understood.faults.map(({ field, got, wanted }) => [field, got, wanted])
      : understood;
    deepStrictEqual(told, faults);
  });
}

const NESTED = {
  fields: {
    path: { kind: "text", isRequired: true },
    edits: {
      kind: "list",
      fields: { old_string: { kind: "text", isRequired: true }, replace_all: { kind: "flag" } },
    },
  },
} as const;

Deno.test("nested values are understood too, and their faults are reported with their path", () => {
  deepStrictEqual(
    understandArguments(NESTED, { filename: "a", edits: '[{"old_string":"x","replace_all":"yes"}]' }),
    {
      request: { path: "a", edits: [{ old_string: "x", replace_all: true }] },
      notes: [
        "filename was read as path",
        "edits: a JSON string was read as the JSON it contains",
        'edits[0].replace_all: "yes" was read as true',
      ],
    },
  );
  deepStrictEqual(understandArguments(NESTED, { path: "a", edits: { old_string: "x" } }), {
    request: { path: "a", edits: [{ old_string: "x" }] },
    notes: ["edits: one object was read as a list of one"],
  });
  const understood = understandArguments(NESTED, { path: 5, edits: [{ old_strin: "x" }] });
  deepStrictEqual("faults" in understood ? understood.faults.map(({ field }) => field) : understood, [
    "edits[0].old_strin",
    "path",
    "edits[0].old_string",
  ]);
});

Deno.test("a list is refused in place of an object, also of one whose fields may all be left out", () => {
  const fields = { edits: { kind: "list", fields: { old_string: { kind: "text" } } } } as const;
  deepStrictEqual(understandArguments({ fields }, { edits: [[]] }), {
    faults: [{ field: "edits[0]", got: "[]", wanted: "an object" }],
  });
});
