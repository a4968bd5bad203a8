import { limitsFrom, locateStore, openStore, type Store } from "../../../fd/mod.ts";
import type { Host } from "../../calls/terms/command.ts";

/**
 * The store of a call (contract, The store), whose limits come from the environment. They are read when used, so an
 * invalid limit fails only the calls that use it.
 */
export function openHostStore(host: Host): Store {
  if (host.sharedStore !== undefined) return host.sharedStore;
  if (host.opened?.by === host) return host.opened.store;
  const { path, backend } = openStore(locateStore({ store: host.storeOption, env: host.env }));
  const store = {
    path,
    backend,
    get limits() {
      return limitsFrom(host.env);
    },
  };
  host.opened = { by: host, store };
  return store;
}
