/**
 * Calls `run` for each item, for at most `most` at once, and returns the results in order. After a failure no further
 * item is started; the running ones end before it is thrown.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failure: { thrown: unknown } | undefined;
  const work = async () => {
    while (next < items.length && failure === undefined) {
      const place = next++;
      try {
        results[place] = await run(items[place]!);
      } catch (thrown) {
        failure ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  if (failure !== undefined) throw failure.thrown;
  return results;
}
