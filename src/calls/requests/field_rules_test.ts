// Promise: a rule between fields is written once, and both interfaces refuse what breaks it, each in its own words.

import { assertEquals, assertThrows } from "@std/assert";
import { checkRules } from "../arguments/check_rules.ts";
import { brokenRules, type FieldRule } from "./field_rules.ts";
import type { JsonObject } from "./json_object.ts";
import { understandArguments } from "./lenient_arguments.ts";
import { readFields, readRules } from "./read_request.ts";
import type { RequestFields } from "./request_fields.ts";
import { SEARCH_REQUEST } from "./search_request.ts";
import { UsageError } from "./usage_failure.ts";

const refusal = (request: Record<string, unknown>, fields = readFields() as object, rules = readRules()) =>
  assertThrows(() => checkRules("read", { ...fields }, rules, request), UsageError).failure;

const faultsAsJson = (fields: RequestFields, rules: readonly FieldRule[], request: JsonObject) => {
  const understood = understandArguments({ fields, rules }, request);
  return "faults" in understood ? understood.faults : [];
};

Deno.test("fields that exclude each other are refused by both interfaces", () => {
  const request = { fd: "fd:1", since: 4, tail: 2 };
  assertEquals(refusal(request), {
    kind: "conflict",
    command: "read",
    first: "--since",
    second: "--tail",
    wanted: "choose one way to select the slice",
  });
  assertEquals(faultsAsJson(readFields(), readRules(), request), [
    { field: "tail", got: "tail with since", wanted: "one way to select the slice" },
  ]);
});

Deno.test("a field that needs another one is refused by both interfaces", () => {
  const request = { fd: "fd:1", name: "n" };
  assertEquals(refusal(request), {
    kind: "bad_value",
    command: "read",
    option: "--name",
    got: "n",
    wanted: "--extract too (to name an existing fd, use fdtool name FD NAME)",
  });
  assertEquals(faultsAsJson(readFields(), readRules(), request), [
    { field: "name", got: "name without extract_to_new_fd", wanted: "extract_to_new_fd with it" },
  ]);
});

Deno.test("one of several fields is required by both interfaces, and false counts as not given", () => {
  const request = { pattern: "x", all_fds: false };
  assertEquals(
    assertThrows(() => checkRules("search", SEARCH_REQUEST.fields, SEARCH_REQUEST.rules, request), UsageError)
      .failure,
    {
      kind: "missing_argument",
      command: "search",
      argument: "FD",
    },
  );
  assertEquals(faultsAsJson(SEARCH_REQUEST.fields, SEARCH_REQUEST.rules, request), [
    { field: "fd", got: "none", wanted: "fd or all_fds" },
  ]);
  assertEquals(brokenRules(SEARCH_REQUEST.rules, { fd: "fd:1", extract_to_new_fd: true, name: "n" }), []);
});
