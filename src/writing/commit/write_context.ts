/**
 * The context of a writing operation besides its request, for every interface (command line, tools, servers).
 */

import type { Store } from "../../../fd/mod.ts";
import type { Host } from "../../calls/terms/command.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import type { Place } from "./target_path.ts";
import type { Target } from "./inspect_target.ts";

export interface WriteContext extends Place {
  store: Store;
  /** Answers given with the call, by question id. */
  answers: Readonly<Record<string, unknown>>;
  /** Ask in `Boolean`, `Select` and `Text` only, in two questions if one would need a form. */
  plainQuestions?: boolean | undefined;
  /**
   * For an answer to a question: the sha-256 of each file when it was asked, by real path (null: missing). An answer
   * about another state is void.
   */
  askedAbout?: ReadonlyMap<string, string | null> | undefined;
  /** The text before a question that is asked again. */
  preAmble?: string | undefined;
}

/** Whether the call answers a question about another state of the files. */
export function isAskedAnew({ askedAbout }: WriteContext, targets: readonly Target[]): boolean {
  return targets.some(({ realPath, file }) =>
    askedAbout?.has(realPath) === true && askedAbout.get(realPath) !== (file?.sha256 ?? null)
  );
}

/** The answer to question `id`, if it is about the current files. */
export function givenAnswer(context: WriteContext, id: string, targets: readonly Target[]): unknown {
  return isAskedAnew(context, targets) ? undefined : context.answers[id];
}

export function writeContextOf(host: Host, answers: WriteContext["answers"] = {}): WriteContext {
  const { cwd, root, plainQuestions } = host;
  return { store: openHostStore(host), cwd, root, answers, plainQuestions };
}
