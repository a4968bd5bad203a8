/** The writes and questions of the store that fit a call. */

import { highestLogId, type Store } from "../../fd/mod.ts";
import { formatTransaction, newestTransactions, stepPaths } from "../writing/commit/journal.ts";
import { formatInquiry, type Inquiry, readInquiry } from "../writing/inquiries/inquiries.ts";
import { MAX_OFFERED, remark } from "./asked_store.ts";
import type { Asked, Candidate } from "./fitting.ts";

/** How many questions are looked at for open ones. */
const MAX_LOOKED_AT = 200;

/** The newest writes, or those of plans. */
export function stepsIn(store: Store, cwd: string, onlyPlans: boolean): Candidate[] {
  const steps: Candidate[] = [];
  for (const { id, begin } of newestTransactions(store)) {
    if (steps.length === MAX_OFFERED) break;
    if (onlyPlans && begin.plan === undefined) continue;
    const what = begin.intent ?? stepPaths(begin.files, cwd).join(" ");
    steps.push({ word: formatTransaction(id), about: remark([begin.tool, what], begin.at) });
  }
  return steps;
}

/** The open questions, newest first. */
export function inquiriesIn(_: Asked, store: Store): Candidate[] {
  const newest = highestLogId(store, "inq");
  const open: Candidate[] = [];
  for (let id = newest; id >= 1 && id > newest - MAX_LOOKED_AT; id--) {
    const inquiry = readInquiry(store, id);
    if (inquiry === undefined || inquiry.closed !== undefined) continue;
    open.push({ word: formatInquiry(id), about: questionText(inquiry) });
  }
  return open;
}

/** The answers that the question allows, if it has a choice. */
export function answersTo({ given }: Asked, store: Store): Candidate[] {
  const id = Number(/^(?:inq:)?(\d+)$/.exec(given[0] ?? "")?.[1]);
  const type = Number.isSafeInteger(id) ? readInquiry(store, id)?.asked.question.answer_type : undefined;
  if (type === "Boolean") return [{ word: "true" }, { word: "false" }];
  return typeof type === "object" && "Select" in type ? type.Select.options.map((word) => ({ word })) : [];
}

function questionText({ asked: { tool, question, at } }: Inquiry): string {
  return remark([tool, question.text], at);
}
