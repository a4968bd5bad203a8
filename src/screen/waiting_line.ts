/** Shows a person what an fd has while they wait for its end. */

import { type Environment, type FdEntry, formatFd } from "../../fd/mod.ts";
import { counted, groupedDigits } from "../answering/grouped_digits.ts";
import { sizeText } from "../answering/size_text.ts";
import { durationText } from "./moment_text.ts";
import { progressLine } from "./progress_line.ts";

export interface WaitingLine {
  /** Shows the fd, if that is due; only then `current` is called. */
  look(current: () => FdEntry): void;
  end(): void;
}

export async function waitingLine(env: Environment): Promise<WaitingLine> {
  const startedAt = performance.now();
  const line = await progressLine(env, { startedAt });
  return {
    look(current) {
      if (!line.isDue()) return;
      const { id, lineCount, byteCount } = current();
      const so = `${counted(lineCount, "line", groupedDigits)}, ${sizeText(byteCount)}`;
      line.show(`waiting for ${formatFd(id)}: ${so}, ${durationText(performance.now() - startedAt)}`);
    },
    end: line.end,
  };
}
