import { limitsFrom, locateStore, openStore, type Store } from "../../../fd/mod.ts";
import type { Host } from "../../calls/terms/command.ts";

/**
 * The store of a call (contract, The store), whose limits come from the environment. They are read when used, so an
 * invalid limit fails only the calls that use it.
 */
export function openHostStore(host: Host): Store {
  const { opened } = host;
  if (opened?.by === host || opened?.by === "sharing") return opened.store;
  const { path, backend } = openStore(storePathOf(host));
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

/** The cache of the call's store, if that is a shared one. */
export function sharedStoreOf({ opened }: Host): Store | undefined {
  return opened?.by === "sharing" ? opened.store : undefined;
}

/** The directory of the call's store, which need not be one that can be opened. */
export function storePathOf(host: Host): string {
  return sharedStoreOf(host)?.path ?? locateStore({ store: host.storeOption, env: host.env });
}
