// Promise: every argument of every command is completed from the tables that parse it (contract, Commands).

import { assert, assertEquals } from "@std/assert";
import { findOperation, listOperations } from "../rows.ts";
import type { CommandSpec, Operation } from "../../calls/terms/command.ts";
import { globalOptions } from "../../calls/arguments/global_options.ts";
import { completeCall } from "./complete_call.ts";
import { isKnownKind } from "./value_kinds.ts";

/** Completes the last of `words`; a value is its kind, after `?`. */
async function fitting(...words: string[]): Promise<string[]> {
  const { candidates, commandAt } = await completeCall(words, {
    find: findOperation,
    values(kind, { given, store }) {
      const word = ["?" + kind, ...given, ...store === undefined ? [] : [`in ${store}`]].join(" ");
      return Promise.resolve({ candidates: [{ word }] });
    },
  });
  return commandAt === undefined ? candidates.map(({ word }) => word) : [`command at ${commandAt}`];
}

async function specOf(entry: Operation): Promise<CommandSpec> {
  return (await entry.load()).spec;
}

Deno.test("completion knows what fits each option and each argument of each command", async () => {
  for (const entry of listOperations()) {
    if (entry.hidden === true) continue;
    const { name } = entry;
    const { options, positionals, values = {} } = await specOf(entry);
    for (
      const [option, { kind, choices, value = "" }] of Object.entries({ ...options, ...globalOptions() })
    ) {
      if (kind !== "flag" && choices === undefined) {
        assert(isKnownKind(value), `${name} --${option} ${value}`);
      }
    }
    const names = positionals.names ?? (positionals.most > 0 ? ["words"] : []);
    for (const argument of names) {
      const fits = values[argument] ?? argument.toUpperCase();
      assert(typeof fits !== "string" || isKnownKind(fits), `${name} ${argument}`);
    }
    for (const argument of Object.keys(values)) assert(names.includes(argument), `${name} ${argument}`);
  }
});

Deno.test("a value is completed for its option, glued or behind it, and an argument for its place", async () => {
  assertEquals(await fitting("read", "fd:"), ["?FD|FILE"]);
  assertEquals(await fitting("read", "--name", ""), ["?NAME"]);
  assertEquals(await fitting("read", "--name="), ["--name=?NAME"]);
  assertEquals(await fitting("search", "-A", "3", ""), ["?FD|FILE"]);
  assertEquals(await fitting("search", "-iA3", ""), ["?FD|FILE"]);
  assertEquals(await fitting("search", "-A", ""), ["?N"]);
  assertEquals(await fitting("name", "fd:1", ""), ["?NAME fd:1"]);
  assertEquals(await fitting("--store", "D", "read", ""), ["?FD|FILE in D"]);
  assertEquals(await fitting("read", "--store", "D", ""), ["?FD|FILE in D"]);
  assertEquals(await fitting("--store", ""), ["?STORE"]);
  assertEquals(await fitting("read", "--", "--m"), ["?FD|FILE"]);
  assertEquals(await fitting("read", "--exact="), ["--exact=true", "--exact=false"]);
});

Deno.test("a wrapped command is completed as a call of its own, from where it begins", async () => {
  assertEquals(await fitting("run", "--", ""), ["command at 2"]);
  assertEquals(await fitting("run", "--tee", "ma"), ["command at 2"]);
  assertEquals(await fitting("run", "make", "-j", ""), ["command at 1"]);
  assertEquals(await fitting("--store", "D", "run", "--", "make", ""), ["command at 4"]);
  assertEquals(await fitting("spawn", "fd:1", "--", "a"), ["command at 3"]);
  assertEquals(await fitting("spawn", "fd"), ["?FD|PATH"]);
  assertEquals(await fitting("run", "--cwd", "ma"), ["?DIR"]);
});

Deno.test("no words make completion fail, whatever was typed before", async () => {
  const words = ["read", "run", "--", "-", "--x=", "--mode", "-C", "=", "", "plan", "--store", "fd:1", "-nq"];
  for (const first of words) {
    for (const second of words) {
      for (const third of words) await fitting(first, second, third);
    }
  }
});
