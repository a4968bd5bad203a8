/** The name of an extraction, and the fd that had it before. */

import { checkName, formatFd, readName, type Store } from "../../../fd/mod.ts";

/**
 * The fd that `name` is bound to before an extraction rebinds it, for the answer (contract, The store).
 *
 * @throws {FdError} `invalid_parameter` for an invalid name.
 */
export async function fdNamedBefore(store: Store, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  checkName(name);
  await store.backend.refresh({ kind: "name", name });
  const before = readName(store, name);
  return before && formatFd(before.id);
}

/** " as ref:log (was fd:1)"; empty for an extraction without a name. */
export function namedAs(name: string | undefined, previousFd: string | undefined): string {
  if (name === undefined) return "";
  return ` as ref:${name}${previousFd === undefined ? "" : ` (was ${previousFd})`}`;
}
