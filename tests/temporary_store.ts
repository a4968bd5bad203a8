/**
 * A store of a test's own, in a fresh directory that goes when the test does.
 *
 * @module
 */

import { join } from "node:path";
import { DEFAULT_LIMITS, openStore, type Store, type StoreLimits } from "../fd/mod.ts";

/** A store and its directory; `using` removes both. */
export interface TemporaryStore extends Disposable {
  readonly store: Store;
  /** A directory beside the store, for files of the test's own. */
  readonly dir: string;
}

/** Makes one. */
export function temporaryStore(limits: Partial<StoreLimits> = {}): TemporaryStore {
  const dir = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "fdtool-store-" }));
  return {
    dir,
    store: openStore(join(dir, "store"), { ...DEFAULT_LIMITS, ...limits }),
    [Symbol.dispose]: () => Deno.removeSync(dir, { recursive: true }),
  };
}
