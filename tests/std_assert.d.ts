/**
 * The signatures of the assertions that the tests use, from the standard library's own documentation. The npm package
 * that redistributes @std/assert carries no declarations; where JSR is reachable neither this file nor
 * `std_assert.ts` is needed (see ARCHITECTURE.md).
 */

// deno-lint-ignore no-explicit-any -- a constructor's arguments are the caller's business
type AnyConstructor = abstract new (...args: any[]) => any;
// deno-lint-ignore no-explicit-any -- the same
type ErrorConstructorOf<E extends Error> = abstract new (...args: any[]) => E;

/** Thrown by a failed assertion. */
export class AssertionError extends Error {}

/** Throws unless `value` is truthy. */
export function assert(value: unknown, message?: string): asserts value;
/** Throws unless `value` is false. */
export function assertFalse(value: unknown, message?: string): asserts value is false;
/** Throws unless the two are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void;
/** Throws if the two are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `Object.is(actual, expected)`. */
export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
/** Throws if `Object.is(actual, expected)`. */
export function assertNotStrictEquals<T>(actual: T, expected: T, message?: string): void;
/** Throws if `value` is null or undefined. */
export function assertExists<T>(value: T, message?: string): asserts value is NonNullable<T>;
/** Throws unless `actual` is an instance of `expected`. */
export function assertInstanceOf<T extends AnyConstructor>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is InstanceType<T>;
/** Throws unless `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void;
/** Throws unless every element of `expected` is in `actual`. */
export function assertArrayIncludes<T>(actual: ArrayLike<T>, expected: ArrayLike<T>, message?: string): void;
/** Throws unless `actual` matches `expected`. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void;
/** Throws if `actual` matches `expected`. */
export function assertNotMatch(actual: string, expected: RegExp, message?: string): void;
/** Throws unless `actual` has all that `expected` has. */
export function assertObjectMatch(
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  message?: string,
): void;
/** Throws unless `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void;
/** Throws unless the two differ by at most `tolerance`. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  message?: string,
): void;
/** Throws unless `fn` throws; returns what it threw. */
export function assertThrows(fn: () => unknown, message?: string): unknown;
/** Throws unless `fn` throws an `errorClass` whose message contains `messageIncludes`; returns it. */
export function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClass: ErrorConstructorOf<E>,
  messageIncludes?: string,
  message?: string,
): E;
/** Throws unless the promise of `fn` is rejected; resolves to what it was rejected with. */
export function assertRejects(fn: () => PromiseLike<unknown>, message?: string): Promise<unknown>;
/** Throws unless the promise of `fn` is rejected with an `errorClass` whose message contains `messageIncludes`. */
export function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorConstructorOf<E>,
  messageIncludes?: string,
  message?: string,
): Promise<E>;
/** Whether the two are deeply equal. */
export function equal(actual: unknown, expected: unknown): boolean;
/** Throws. */
export function fail(message?: string): never;
/** Throws: this cannot be reached. */
export function unreachable(reason?: string): never;
