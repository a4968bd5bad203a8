/**
 * Finds a short list that still fails by leaving out halves, then quarters, then smaller parts (delta debugging).
 */

/** Removes items as long as `fails` holds for the rest. Stops after about `mostMs`. */
export async function shorten<T>(
  items: readonly T[],
  mostMs: number,
  fails: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  const endMs = performance.now() + mostMs;
  let left = items;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length && performance.now() < endMs;) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (fewer.length > 0 && await fails(fewer)) left = fewer;
      else at += size;
    }
  }
  return left;
}
