/**
 * A store of a test's own, in a fresh directory that goes when the test does.
 */

import { existsSync, readdirSync } from "node:fs";
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

/** Dates the records of a store back: a reader waits half a second for the claim of one that is young and has none. */
export function ageRecords({ path }: Store): void {
  const fds = join(path, "v2/fds");
  if (!existsSync(fds)) return;
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of readdirSync(fds, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".rec")) Deno.utimeSync(join(fds, name), hourAgo, hourAgo);
  }
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
