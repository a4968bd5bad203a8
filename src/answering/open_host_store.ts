import { limitsFrom, locateStore, openStore, type Store } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";

/**
 * The store that a call means (contract, The store), with the limits that the environment sets: they are read by who
 * puts or cleans, and a limit that is none is an error there.
 */
export function openHostStore(host: Host): Store {
  const { path } = openStore(locateStore({ store: host.storeOption, env: host.env }));
  return {
    path,
    get limits() {
      return limitsFrom(host.env);
    },
  };
}
