/**
 * Measures two tasks in turns (A B A B …), so that other load affects both alike, and compares their medians.
 */

import { type RunCost, runProcess, type Task } from "./run_process.ts";

/** The two tasks' medians, and how far the ratios of single turns spread. */
export interface Turns {
  /** fdtool's median wall time by the peer's. */
  ratio: number;
  cpuRatio: number;
  ours: RunCost;
  peer: RunCost;
  /** A quarter of the turns had a ratio below the first, a quarter above the second. */
  spread: readonly [number, number];
  turnCount: number;
}

/** The value that `share` (0 to 1) of `values` are below. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}

function median(costs: readonly RunCost[]): RunCost {
  return {
    wallMs: quantile(costs.map(({ wallMs }) => wallMs), 0.5),
    cpuMs: quantile(costs.map(({ cpuMs }) => cpuMs), 0.5),
  };
}

/** Runs both tasks once to warm the caches, then `turnCount` times in turns. The order changes every turn. */
export function measureTurns(ours: Task, peer: Task, turnCount: number): Turns {
  runProcess(ours);
  runProcess(peer);
  const ourCosts: RunCost[] = [];
  const peerCosts: RunCost[] = [];
  for (let turn = 0; turn < turnCount; turn++) {
    if (turn % 2 === 0) ourCosts.push(runProcess(ours));
    peerCosts.push(runProcess(peer));
    if (turn % 2 === 1) ourCosts.push(runProcess(ours));
  }
  const ratios = ourCosts.map(({ wallMs }, turn) => wallMs / peerCosts[turn]!.wallMs);
  const [ourMedian, peerMedian] = [median(ourCosts), median(peerCosts)];
  return {
    ratio: ourMedian.wallMs / peerMedian.wallMs,
    cpuRatio: ourMedian.cpuMs / peerMedian.cpuMs,
    ours: ourMedian,
    peer: peerMedian,
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    turnCount,
  };
}
