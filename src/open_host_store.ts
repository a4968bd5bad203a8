import { limitsFrom, locateStore, openStore, type Store } from "../fd/mod.ts";
import type { Host } from "./command.ts";

/** The store that a call means (SPEC section 3, Where), with the limits that the environment sets. */
export function openHostStore(host: Host): Store {
  const path = locateStore({ store: host.storeOption, env: host.env, uid: host.uid });
  return openStore(path, limitsFrom(host.env));
}
