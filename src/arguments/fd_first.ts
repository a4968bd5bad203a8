/** Takes arguments in the order of grep and jq, which have the file last. */

import { isName, namedId, parseFdArgument, type Store } from "../../fd/mod.ts";

/**
 * `words` with the fd first, if it is the second: `error fd:1`, or `error NAME` if only the second is a name in the store.
 */
export function fdFirst(words: readonly string[], openStore: () => Store): readonly string[] {
  const [first, second, ...others] = words;
  if (first === undefined || second === undefined || parseFdArgument(first) !== undefined) return words;
  const isSecond = /^(fd|ref):/.test(second) ||
    parseFdArgument(second) === undefined && isName(second) &&
      namedId(openStore(), first) === undefined && namedId(openStore(), second) !== undefined;
  return isSecond ? [second, first, ...others] : words;
}
