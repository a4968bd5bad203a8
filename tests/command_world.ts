/**
 * A world for the tests of single commands: a fresh store, and a host whose environment holds nothing else.
 */

import type { Store } from "../fd/mod.ts";
import type { Command, Host, Outcome } from "../src/calls/terms/command.ts";
import { listOperations } from "../src/commands/rows.ts";
import { parseCall } from "../src/calls/arguments/parse_arguments.ts";
import { VERSION } from "../src/calls/arguments/version.ts";
import { temporaryStore } from "./temporary_store.ts";

/** The setting of a test. */
export interface World {
  store: Store;
  /** The environment that commands see. */
  env: Record<string, string>;
  /** Parses and runs one call, the command's name left out. */
  run(command: Command, ...words: string[]): Promise<Outcome>;
}

/** Runs `test` in a world of its own, and removes it. */
export async function inWorld(test: (world: World) => void | Promise<void>): Promise<void> {
  using temporary = temporaryStore();
  const { store, dir } = temporary;
  const env = { FDTOOL_STORE: store.path };
  const host: Host = {
    env,
    cwd: dir,
    storeOption: undefined,
    root: undefined,
    version: VERSION,
    operations: listOperations,
  };
  await test({
    store,
    env,
    run: async (command, ...words) =>
      await command.run(parseCall({ name: "", effect: "stores" }, command.spec, words).call, host),
  });
}
