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
export declare class AssertionError extends Error {}

/** Throws unless `value` is truthy. */
export declare function assert(value: unknown, message?: string): asserts value;
/** Throws unless `value` is false. */
export declare function assertFalse(value: unknown, message?: string): asserts value is false;
/** Throws unless the two are deeply equal. */
export declare function assertEquals<T>(actual: T, expected: T, message?: string): void;
/** Throws if the two are deeply equal. */
export declare function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `Object.is(actual, expected)`. */
export declare function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is T;
/** Throws if `Object.is(actual, expected)`. */
export declare function assertNotStrictEquals<T>(actual: T, expected: T, message?: string): void;
/** Throws if `value` is null or undefined. */
export declare function assertExists<T>(value: T, message?: string): asserts value is NonNullable<T>;
/** Throws unless `actual` is an instance of `expected`. */
export declare function assertInstanceOf<T extends AnyConstructor>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is InstanceType<T>;
/** Throws unless `actual` contains `expected`. */
export declare function assertStringIncludes(actual: string, expected: string, message?: string): void;
/** Throws unless every element of `expected` is in `actual`. */
export declare function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  message?: string,
): void;
/** Throws unless `actual` matches `expected`. */
export declare function assertMatch(actual: string, expected: RegExp, message?: string): void;
/** Throws if `actual` matches `expected`. */
export declare function assertNotMatch(actual: string, expected: RegExp, message?: string): void;
/** Throws unless `actual` has all that `expected` has. */
export declare function assertObjectMatch(
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  message?: string,
): void;
/** Throws unless `actual > expected`. */
export declare function assertGreater<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `actual >= expected`. */
export declare function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `actual < expected`. */
export declare function assertLess<T>(actual: T, expected: T, message?: string): void;
/** Throws unless `actual <= expected`. */
export declare function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void;
/** Throws unless the two differ by at most `tolerance`. */
export declare function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  message?: string,
): void;
/** Throws unless `fn` throws; returns what it threw. */
export declare function assertThrows(fn: () => unknown, message?: string): unknown;
/** Throws unless `fn` throws an `errorClass` whose message contains `messageIncludes`; returns it. */
export declare function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClass: ErrorConstructorOf<E>,
  messageIncludes?: string,
  message?: string,
): E;
/** Throws unless the promise of `fn` is rejected; resolves to what it was rejected with. */
export declare function assertRejects(fn: () => PromiseLike<unknown>, message?: string): Promise<unknown>;
/** Throws unless the promise of `fn` is rejected with an `errorClass` whose message contains `messageIncludes`. */
export declare function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorConstructorOf<E>,
  messageIncludes?: string,
  message?: string,
): Promise<E>;
/** Whether the two are deeply equal. */
export declare function equal(actual: unknown, expected: unknown): boolean;
/** Throws. */
export declare function fail(message?: string): never;
/** Throws: this cannot be reached. */
export declare function unreachable(reason?: string): never;
