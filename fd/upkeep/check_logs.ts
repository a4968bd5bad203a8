/**
 * Checks the logs of transactions and inquiries: that each number has a log, and that its lines are valid and its
 * own. The module that writes the lines judges their meaning.
 */

import { addFinding, type CheckReport, type Finding } from "./check_report.ts";
import { readFloor } from "../store/claim_id.ts";
import { FdError } from "../disk/errors.ts";
import { namesIn } from "../disk/file_calls.ts";
import { lastLogId, logCondition, type LogFamily, logPath, readLogLines } from "../store/numbered_log.ts";
import { NUMBERS } from "../store/further_paths.ts";
import type { Store } from "../store/open_store.ts";
import { IDS_PER_SHARD, numberPath, recordPath, shardsPath } from "../store/store_paths.ts";

/** Returns what is wrong with the lines of a log together, or undefined if they are fine. */
export type LogJudge = (family: LogFamily, id: number, lines: readonly unknown[]) => string | undefined;

/** Checks every log, and that none is missing. */
export function checkLogs(store: Store, judge: LogJudge, report: CheckReport): void {
  for (const family of ["tx", "inq"] as const) {
    const numbers = loggedNumbers(store, family);
    const lost = lostAtEnd(store, family, numbers);
    for (const id of numbers.slice(0, numbers.length - lost.length)) {
      const found = (problem: Finding["problem"], detail: string) => {
        addFinding(report, problem, logPath(store, family, id), detail);
      };
      const condition = logCondition(store, family, id);
      if (condition === "missing") found("record_missing", `the record of ${family}:${id} is missing`);
      if (condition === "emptied") found("record_damaged", `the record of ${family}:${id} was emptied`);
      if (condition === "missing" || condition === "emptied") continue;
      // A log whose writer died at the start may contain part of its first line; that is not damage.
      const isStarted = condition === "present";
      const detail = damageIn(store, family, id, isStarted ? judge : () => undefined);
      if (detail !== undefined) found(isStarted ? "record_damaged" : "writer_died", detail);
    }
    const [first] = lost;
    const last = lost.at(-1);
    if (first === undefined || last === undefined) continue;
    const which = first === last
      ? `record of ${family}:${first} is`
      : `records of ${family}:${first} to ${family}:${last} are`;
    const detail = `the ${which} missing, or ${numberPath(store.path, NUMBERS[family].hint)} is wrong`;
    addFinding(report, "record_missing", logPath(store, family, first), detail);
  }
}

/** Returns the numbers above the highest existing log. Only the hint knows them, and it may be wrong. */
function lostAtEnd(store: Store, family: LogFamily, numbers: readonly number[]): number[] {
  const lastExisting = numbers.findLastIndex((id) => logCondition(store, family, id) !== "missing");
  return numbers.slice(lastExisting + 1);
}

function damageIn(store: Store, family: LogFamily, id: number, judge: LogJudge): string | undefined {
  const handle = `${family}:${id}`;
  try {
    let damaged: string | undefined;
    const onDamage = (byteCount: number) =>
      damaged = `${byteCount} bytes of ${handle} are not valid lines; the rest is valid`;
    const lines = readLogLines(store, family, id, onDamage) ?? [];
    return damaged ?? judge(family, id, lines);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return `${handle} cannot be read`;
  }
}

/** Returns the claimed numbers in order. Ignores a log far beyond the others: it is foreign. */
function loggedNumbers(store: Store, family: LogFamily): number[] {
  const numbers = NUMBERS[family];
  const directory = shardsPath(store.path, numbers);
  const existing = namesIn(directory).filter((shard) => /^[0-9]{4,}$/.test(shard)).flatMap((shard) =>
    namesIn(`${directory}/${shard}`).flatMap((name) => {
      const id = Number(/^([1-9][0-9]*)\.rec$/.exec(name)?.[1]);
      return recordPath(store.path, id, numbers) === `${directory}/${shard}/${name}` ? [id] : [];
    })
  );
  const highest = lastLogId(store, family);
  const last = Math.max(highest, ...existing.filter((id) => id <= highest + IDS_PER_SHARD));
  const ids = new Set(existing);
  for (let id = readFloor(store, numbers) + 1; id <= last; id++) ids.add(id);
  return [...ids].sort((one, other) => one - other);
}
