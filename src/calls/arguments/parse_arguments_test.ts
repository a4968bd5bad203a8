// Promise: one call has one meaning in every spelling that people and models write (contract, Commands), and a wrong
// word is reported by name before anything is touched.

import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { CommandSpec } from "../terms/command.ts";
import { findCommand, parseCall, requireArguments } from "./parse_arguments.ts";
import { UsageError, type UsageFailure } from "../requests/usage_failure.ts";

const PROBE = { name: "probe", effect: "stores" } as const;

const SPEC: CommandSpec = {
  usage: "FD FILE",
  positionals: { least: 1, most: 2, names: ["fd", "file-path"] },
  options: {
    "exist-ok": { kind: "flag", help: "" },
    all: { kind: "flag", aliases: ["read-all"], help: "" },
    start: { kind: "integer", help: "" },
    after: { kind: "integer", short: "A", help: "" },
    ignore: { kind: "flag", short: "i", help: "" },
    mode: { kind: "text", choices: ["page", "line"], help: "" },
    tag: { kind: "text", many: true, help: "" },
  },
  example: "",
  exitCodes: {},
};

const RUN: CommandSpec = {
  ...SPEC,
  takesRest: true,
  positionals: { least: 0, most: 0 },
  options: { shell: { kind: "flag", help: "" } },
};

const COUNTING: CommandSpec = {
  ...SPEC,
  positionals: { least: 1, most: 1, names: ["fd"] },
  options: { number: { kind: "flag", short: "n", help: "" }, head: { kind: "integer", help: "" } },
  countOf: { flag: "number", option: "head" },
};

function parsed(...words: string[]) {
  const { call, globals } = parseCall(PROBE, SPEC, words);
  requireArguments(SPEC, call);
  return { positionals: call.positionals, options: call.options, globals };
}

function failureOf(act: () => unknown): UsageFailure {
  return assertThrows(act, UsageError).failure;
}

Deno.test("dashes, underscores, capitals, aliases and =true all mean the same option", () => {
  for (const written of ["--exist-ok", "--exist_ok", "--existOk", "--exist_ok=true", "--existOk=True"]) {
    assertEquals(parsed("fd:1", written).options, { "exist-ok": true }, written);
  }
  for (const written of ["--exist_ok=false", "--no-exist-ok", "--no_exist_ok", "--noExistOk"]) {
    assertEquals(parsed("fd:1", written).options, { "exist-ok": false }, written);
  }
  assertEquals(parsed("fd:1", "--read_all").options, { all: true });
  assertEquals(parsed("fd:1", "--no-read-all=false").options, { all: true });
});

Deno.test("values stand after =, after a blank or right after a letter", () => {
  for (const words of [["--start=3"], ["--start", "3"]]) {
    assertEquals(parsed("fd:1", ...words).options, { start: 3 });
  }
  for (const words of [["-A3"], ["-A", "3"], ["-iA3"]]) {
    assertEquals(parsed("fd:1", ...words).options["after"], 3);
  }
  assertEquals(parsed("fd:1", "--start", "-5").options, { start: -5 });
  assertEquals(parsed("fd:1", "--start=1", "--start=2").options, { start: 2 });
  assertEquals(parsed("fd:1", "--tag=a", "--tag", "b").options, { tag: ["a", "b"] });
});

Deno.test("a named argument fills its place, and the others fill what is left", () => {
  assertEquals(parsed("--fd=fd:3", "--file_path=x").positionals, ["fd:3", "x"]);
  assertEquals(parsed("x", "--fd", "fd:3").positionals, ["fd:3", "x"]);
  assertEquals(parsed("fd:3", "--filePath", "x").positionals, ["fd:3", "x"]);
});

Deno.test("a word after -- is an argument, whatever it looks like", () => {
  assertEquals(parsed("fd:1", "--", "--start").positionals, ["fd:1", "--start"]);
});

Deno.test("global options come before or after the command", () => {
  const before = findCommand(["--store", "DIR", "--format=json", "probe", "fd:1"]);
  assertEquals(before.name, "probe");
  const after = findCommand(["probe", "fd:1", "--store", "DIR", "--format=json"]);
  const globals = { store: "DIR", format: "json" } as const;
  assertEquals(parseCall(PROBE, SPEC, before.words).globals, globals);
  assertEquals(parseCall(PROBE, SPEC, after.words).globals, globals);
  assertEquals(parseCall(PROBE, SPEC, before.words).call.positionals, ["fd:1"]);
});

Deno.test("a wrapped command keeps its own words, with or without --", () => {
  const words = ["make", "-j4", "--format", "yaml", "--", "x"];
  assertEquals(parseCall(PROBE, RUN, ["--shell", ...words]).call, {
    command: "probe",
    positionals: [],
    options: { shell: true },
    rest: words,
  });
  assertEquals(parseCall(PROBE, RUN, ["--", ...words]).call.rest, words);
  assertEquals(findCommand(["run", ...words]).name, "run");
});

Deno.test("an unknown option is reported with its place in the call", () => {
  const failure = failureOf(() => parsed("fd:1", "--strat=3"));
  assertEquals(failure.kind, "unknown_option");
  if (failure.kind !== "unknown_option") return;
  assertEquals([failure.got, failure.words[failure.at]], ["--strat", "--strat=3"]);
  assertEquals(failure.known.includes("--start"), true);
  assertEquals(failureOf(() => findCommand(["--stroe", "x", "read"])).kind, "unknown_option");
});

Deno.test("missing, extra and ill-formed values name the field, what came and what is wanted", () => {
  const cases: [string[], UsageFailure][] = [
    [[], { kind: "missing_argument", command: "probe", argument: "FD", usage: SPEC.usage }],
    [["--file-path", "x"], { kind: "missing_argument", command: "probe", argument: "FD", usage: SPEC.usage }],
    [["a", "b", "c"], {
      kind: "extra_argument",
      command: "probe",
      reads: false,
      got: "c",
      most: 2,
      usage: SPEC.usage,
      words: ["a", "b", "c"],
      flagAt: undefined,
    }],
    [["a", "b", "--exist_ok", "false"], {
      kind: "extra_argument",
      command: "probe",
      reads: false,
      got: "false",
      most: 2,
      usage: SPEC.usage,
      words: ["a", "b", "--exist_ok", "false"],
      flagAt: 2,
    }],
    [["a", "--start"], {
      kind: "missing_value",
      command: "probe",
      option: "--start",
      wanted: "a whole number",
    }],
    [["a", "--mode=word"], {
      kind: "bad_value",
      command: "probe",
      option: "--mode",
      got: "word",
      wanted: "one of page, line",
    }],
    [["a", "--exist_ok=perhaps"], {
      kind: "bad_value",
      command: "probe",
      option: "--exist_ok",
      got: "perhaps",
      wanted: "true or false",
    }],
  ];
  for (const got of ["x", "1.5", "", "0x10", "1e3", "９"]) {
    cases.push([["a", `--start=${got}`], {
      kind: "bad_value",
      command: "probe",
      option: "--start",
      got,
      wanted: "a whole number",
    }]);
  }
  for (const [words, failure] of cases) assertEquals(failureOf(() => parsed(...words)), failure);
});

Deno.test("--help wins over everything that is missing", () => {
  assertEquals(parseCall(PROBE, SPEC, ["--help"]).globals, { help: true });
  assertEquals(parseCall(PROBE, SPEC, ["-h", "a", "b", "c"]).globals.help, true);
});

Deno.test("no words make the parser fail in any way but a usage failure", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "--",
      "-",
      "--=",
      "-A",
      "--fd",
      "--start",
      "--exist_ok=",
      "--format",
      "probe",
      "--__proto__",
    ),
  );
  fc.assert(fc.property(fc.array(word, { maxLength: 6 }), (words) => {
    for (const spec of [SPEC, RUN]) {
      try {
        findCommand(words);
        parseCall(PROBE, spec, words);
      } catch (thrown) {
        if (!(thrown instanceof UsageError)) throw thrown;
      }
    }
  }));
});

Deno.test("a number behind a flag's letter is a count only if it is one argument too many", () => {
  const call = (...words: string[]) => {
    const { positionals, options } = parseCall(PROBE, COUNTING, words).call;
    return { positionals, options };
  };
  assertEquals(call("fd:1", "-n", "5"), { positionals: ["fd:1"], options: { head: 5 } });
  assertEquals(call("-n", "5", "fd:1"), { positionals: ["fd:1"], options: { head: 5 } });
  assertEquals(call("7", "-n", "7"), { positionals: ["7"], options: { head: 7 } });
  assertEquals(call("-n", "5"), { positionals: ["5"], options: { number: true } });
  assertEquals(failureOf(() => call("fd:1", "--number", "5")).kind, "extra_argument");
});
