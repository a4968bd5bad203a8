/** Tells which findings of the first run the second may not have reached. */

import type { OtherLines } from "./other_lines.ts";
import type { ChangedFindings } from "./changed_findings.ts";
import { FAILURE_COUNT, type Said } from "./run_findings.ts";

/** Counts no finding as gone that a run may not have reached: it was stopped, as `isCut` says, or it may have ended early. */
export function withUnreached(
  found: ChangedFindings,
  lines: OtherLines | undefined,
  isCut: boolean,
): ChangedFindings {
  const { gone, fresh, unclear } = found;
  const endsEarly = () => lines?.endsEarly || mayStop(found, lines);
  const cut = isCut ? "was stopped" : endsEarly() ? "may have ended early" : undefined;
  if (cut === undefined || gone.length === 0) return found;
  // The last line may be a part of one.
  const [parts, whole] = [true, false].map((isPart) =>
    fresh.filter((said) => gone.some(({ text }) => text.startsWith(said.text)) === isPart)
  );
  const rest = { gone: [...unclear.gone, ...gone], fresh: [...unclear.fresh, ...parts!] };
  return { ...found, gone: [], fresh: whole!, unclear: rest, cut };
}

/**
 * Whether a run may have stopped: it lacks the count of failures that the first one had, says that it stopped, or has a
 * finding after which a tool does not go on, as it did in the first run where that had one, too.
 */
function mayStop({ gone, fresh, still, recounted }: ChangedFindings, lines: OtherLines | undefined): boolean {
  const now = [...fresh, ...[...still, ...recounted].map(([, said]) => said)];
  const has = (all: readonly Said[], pattern: RegExp) => all.some(({ text }) => pattern.test(text));
  const counts = (all: readonly Said[]) => all.some(({ saying }) => FAILURE_COUNT.test(saying));
  return now.length > 0 && counts(gone) && !counts(now) && !lines?.hasNewCount ||
    has(now, HALTING) ||
    has(fresh, STOPPING) && !has([...gone, ...still.map(([said]) => said)], STOPPING);
}

/** A tool says that it looks at no more than this. */
const HALTING = /\bstopping (?:after|now)\b|\bbail(?:ed|ing)? ?out\b|too many errors/i;
/** After it, a tool does not look at the rest of a file, or of all. */
const STOPPING = new RegExp(
  [
    "\\b(?:syntax|set_?up)|\\b(?:pars(?:e|ing)|collecting|panic|fatal|hook|interrupted|core dumped|segmentation|traceback|shutdown|cancell?ed)\\b|\\babort",
    "unexpected (?:eof|end|token|indent)|end of file|<eof>|: error: (?:illegal start|'?\\S{1,3}'? expected)|(?:contains|found|collected) no\\b",
    "\\[build failed|\\b(?:collection|suite|compilation)s? failed|(?:Import|Load|ModuleNotFound)Error",
    "(?:failed to|cannot|could not|can't|unable to) (?:be )?(?:run|build|compile|load|parse|start|import|find module)",
  ].join("|"),
  "i",
);
