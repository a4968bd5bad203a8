/** Sleeps for `waitMs` milliseconds without spinning. */
export function pause(waitMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
}
