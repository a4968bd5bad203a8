/**
 * Refuses damaged arguments. Arguments come decoded: a byte that is not UTF-8 has become U+FFFD, and is lost. A file
 * would be written under another name, a command would get another argument; so such a call is refused.
 */

import { readFileSync } from "node:fs";
import { ifPossible, textKind } from "../../../fd/system.ts";
import { failValue } from "../requests/usage_failure.ts";

/** Refuses a call some of whose `words` hold U+FFFD, unless the system says that it was written so. */
export function refuseLostBytes(words: readonly string[]): void {
  // Also where the system does not tell.
  if (ifPossible(() => textKind(readFileSync("/proc/self/cmdline"))) !== "neither") return;
  const got = words.find((word) => word.includes("\uFFFD")) ?? "";
  failValue(undefined, "argument", got, "UTF-8 (for a file with another name, use a link or stdin)");
}
