/**
 * What a writing operation needs to know besides its request: the same for every door (command line, tools, servers).
 *
 * @module
 */

import type { Store } from "../../fd/mod.ts";
import type { Host } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";
import type { Place } from "./inspect_target.ts";

/** Where, under which bounds, and with which answers already given. */
export interface WriteContext extends Place {
  store: Store;
  /** Repeated in next commands. */
  storeOption: string | undefined;
  /** Answers that came with the call, by question id. */
  answers: Readonly<Record<string, unknown>>;
}

/** The context of a call. */
export function writeContextOf(host: Host, answers: WriteContext["answers"] = {}): WriteContext {
  const { cwd, root, storeOption } = host;
  return { store: openHostStore(host), storeOption, cwd, root, answers };
}
