import type { SharedCache } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";

/** An open shared store, as a call uses it. */
export interface SharedUse {
  url: string;
  cache: SharedCache;
  host: Host;
}
