/** Pairs lines or findings of two runs that have the same key. */

/** Items of one run only, and the pairs in the order of the first run. */
interface Paired<Item> {
  gone: Item[];
  fresh: Item[];
  pairs: [before: Item, now: Item][];
}

/** Pairs each item with the next one of the other run that has the same key; an empty key is not paired. */
export function pairByKey<Item>(
  before: readonly Item[],
  now: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): Paired<Item> {
  const waiting = Map.groupBy(now, keyOf);
  const pairs: [Item, Item][] = [];
  const gone = before.filter((item) => {
    const key = keyOf(item);
    const same = key ? waiting.get(key)?.shift() : undefined;
    if (same !== undefined) pairs.push([item, same]);
    return same === undefined;
  });
  const known = new Set(pairs.map(([, item]) => item));
  return { gone, fresh: now.filter((item) => !known.has(item)), pairs };
}
