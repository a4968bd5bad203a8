/**
 * Time that passes only when every task waits for it, so that a simulated day takes seconds and a seed always gives the same
 * order of events.
 */

import { setImmediate } from "node:timers";

interface Waiting {
  atMs: number;
  turn: number;
  wake(): void;
}

export class VirtualTime {
  nowMs = 0;
  /** The next is the last. */
  readonly #queue: Waiting[] = [];
  #turn = 0;
  #running = 0;

  /** Resolves `ms` virtual milliseconds from now. */
  pause(ms: number): Promise<void> {
    return new Promise((wake) =>
      this.#push({ atMs: this.nowMs + Math.max(0, ms), turn: this.#turn++, wake })
    );
  }

  /** Runs tasks and the time they wait for, until all have ended. Rejects with the first failure. */
  async run(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    let failure: { thrown: unknown } | undefined;
    for (const task of tasks) {
      this.#running++;
      task().catch((thrown) => failure ??= { thrown }).finally(() => this.#running--);
    }
    for (let idleTurns = 0; this.#running > 0 && failure === undefined;) {
      await settled();
      const next = this.#queue.pop();
      // A task may be waiting for the real world, such as a module that is loaded.
      if (next === undefined && ++idleTurns > 100_000) throw new Error("tasks wait for nothing");
      if (next === undefined) continue;
      idleTurns = 0;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.wake();
    }
    if (failure !== undefined) throw failure.thrown;
  }

  #push(item: Waiting): void {
    let [from, to] = [0, this.#queue.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(item, this.#queue[middle]!)) from = middle + 1;
      else to = middle;
    }
    this.#queue.splice(from, 0, item);
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.atMs < b.atMs || a.atMs === b.atMs && a.turn < b.turn;
}

/** Resolves when no more promise callbacks are due. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
