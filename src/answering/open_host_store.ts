import { limitsFrom, locateStore, openStore, type Store } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";

/**
 * The store of a call (contract, The store), whose limits come from the environment. They are read when used, so an
 * invalid limit fails only the calls that use it.
 */
export function openHostStore(host: Host): Store {
  if (host.sharedStore !== undefined) return host.sharedStore;
  const { path } = openStore(locateStore({ store: host.storeOption, env: host.env }));
  return {
    path,
    get limits() {
      return limitsFrom(host.env);
    },
  };
}
