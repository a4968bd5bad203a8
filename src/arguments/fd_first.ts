/** Takes arguments in the order of grep and jq, which have the file last. */

import { parseFdArgument } from "../../fd/mod.ts";

/** `words` with the fd first, if it is clearly the second: `error fd:1`. */
export function fdFirst(words: readonly string[]): readonly string[] {
  const [first, second, ...others] = words;
  if (first === undefined || second === undefined || parseFdArgument(first) !== undefined) return words;
  return /^(fd|ref):/.test(second) ? [second, first, ...others] : words;
}
