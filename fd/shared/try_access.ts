/** Tries which rights a host has on an object store, with one request each. */

import { FdError } from "../disk/errors.ts";
import type { FdFailure } from "../failures.ts";
import { randomName } from "../disk/random_name.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { FD_PREFIX } from "./shared_keys.ts";
import { readSharedStore } from "./store_object.ts";

/** A right that each host of a shared store needs below its prefix. */
export type Right = "read" | "list" | "write" | "remove";

export interface Access {
  /** Whether the store was made. */
  isMade: boolean;
  granted: Right[];
  /** Why the others are not granted. Trying ends with the first failure other than a refusal. */
  failures: { right: Right; failure: FdFailure }[];
}

/** Tries all rights. An object that it makes is removed, if that is allowed. */
export async function tryAccess(objects: ObjectStore): Promise<Access> {
  const access: Access = { isMade: false, granted: [], failures: [] };
  const key = `probe-${randomName()}/doctor`;
  const trials: readonly [Right, () => Promise<unknown>][] = [
    ["read", async () => access.isMade = await readSharedStore(objects) !== undefined],
    ["list", () => objects.list(FD_PREFIX, undefined, 1)],
    ["write", () => objects.put(key, new Uint8Array([0x0a]))],
    ["remove", () => objects.remove(key)],
  ];
  for (const [right, trial] of trials) {
    try {
      await trial();
      access.granted.push(right);
    } catch (thrown) {
      if (!(thrown instanceof FdError)) throw thrown;
      access.failures.push({ right, failure: thrown.failure });
      if (thrown.failure.kind !== "store_denied") break;
    }
  }
  return access;
}
