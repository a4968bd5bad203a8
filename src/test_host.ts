/** A world for the commands' tests: a fresh store, and a host with nothing in its environment. @module */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../fd/mod.ts";
import type { Command, Host, Outcome } from "./command.ts";
import { parseCall } from "./parse_arguments.ts";
import { VERSION } from "./version.ts";

/** What a test works in. `run` parses and runs one call. */
export interface World {
  path: string;
  store: Store;
  /** The environment that commands see. */
  env: Record<string, string>;
  run(command: Command, ...words: string[]): Promise<Outcome>;
}

/** Runs `test` in a world of its own, and removes it. */
export async function inWorld(test: (world: World) => void | Promise<void>): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), "fdtool-test-"));
  const env = { FDTOOL_STORE: path };
  const host: Host = {
    env,
    cwd: path,
    uid: -1,
    storeOption: undefined,
    root: undefined,
    version: VERSION,
  };
  try {
    await test({
      path,
      env,
      store: openStore(path),
      run: async (command, ...words) => await command.run(parseCall(command.spec, words).call, host),
    });
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
