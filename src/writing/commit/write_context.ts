/**
 * What a writing operation needs to know besides its request: the same for every door (command line, tools, servers).
 *
 * @module
 */

import type { Store } from "../../../fd/mod.ts";
import type { Host } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import type { Place, Target } from "./inspect_target.ts";

/** Where, under which bounds, and with which answers already given. */
export interface WriteContext extends Place {
  store: Store;
  /** Answers that came with the call, by question id. */
  answers: Readonly<Record<string, unknown>>;
  /** Ask in `Boolean`, `Select` and `Text` only, in two questions if one would need a form. */
  plainQuestions?: boolean | undefined;
  /**
   * Where this is an answer to a question: what the files held when it was asked, by real path (null: not there). An
   * answer about another state is no answer.
   */
  askedAbout?: ReadonlyMap<string, string | null> | undefined;
  /** What to say before a question that is asked anew; called when it is. */
  preAmble?: (() => string) | undefined;
}

/** Whether this is an answer to a question that was asked about another state of the files. */
export function isAskedAnew({ askedAbout }: WriteContext, targets: readonly Target[]): boolean {
  return targets.some(({ realPath, file }) =>
    askedAbout?.has(realPath) === true && askedAbout.get(realPath) !== (file?.sha256 ?? null)
  );
}

/** The answer to question `id`, if it was given about the files as they are. */
export function givenAnswer(context: WriteContext, id: string, targets: readonly Target[]): unknown {
  return isAskedAnew(context, targets) ? undefined : context.answers[id];
}

/** The context of a call. */
export function writeContextOf(host: Host, answers: WriteContext["answers"] = {}): WriteContext {
  const { cwd, root, plainQuestions } = host;
  return { store: openHostStore(host), cwd, root, answers, plainQuestions };
}
