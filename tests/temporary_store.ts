/**
 * A store of a test's own, in a fresh directory that goes when the test does.
 */

import { join } from "node:path";
import {
  beginPut,
  DEFAULT_LIMITS,
  type FdEntry,
  openStore,
  type PutOptions,
  type Store,
  type StoreLimits,
} from "../fd/mod.ts";
import { removeTree } from "./world.ts";

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
    [Symbol.dispose]: () => removeTree(dir),
  };
}

/** Stores bytes as output that comes slowly: however few, the content has a file of its own. */
export function putSlowly(store: Store, bytes: Uint8Array, options: PutOptions): FdEntry {
  const put = beginPut(store, options);
  put.write(bytes);
  return put.seal();
}

/** Flips a bit of the content of an fd, wherever it is. */
export function damageContent({ contentPath, inRecord }: FdEntry): void {
  const path = inRecord === undefined ? contentPath : contentPath.replace(/dat$/, "rec");
  const bytes = Deno.readFileSync(path);
  bytes[inRecord?.fromByte ?? 0]! ^= 1;
  Deno.writeFileSync(path, bytes);
}
