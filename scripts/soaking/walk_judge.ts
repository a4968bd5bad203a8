/** Compares the result of a call with the expected one. */

import { must } from "./inner_world.ts";
import type { Answer } from "./walk_doors.ts";
import type { PlannedStep } from "./walk_step.ts";

/** Throws unless the answer is the expected one, and updates the model. */
export async function judge(planned: PlannedStep, answer: Answer): Promise<void> {
  const { json = {}, error, code, stderr, wasKilled } = answer;
  const details = () =>
    `code ${code}, ${error ?? ""} ${JSON.stringify(json).slice(0, 600)} ${stderr.slice(0, 600)}`;
  must(!wasKilled || answer.json !== undefined, () => `it ended without an answer: ${details()}`);
  must(!/^\s+at .+[:(]\d+|internal_error|panic/m.test(stderr), () => `a fault of the program: ${details()}`);
  if (planned.error === undefined) {
    must(error === undefined, () => `it failed: ${details()}`);
    const wanted = planned.code ?? 0;
    must(code === undefined || code === wanted, () => `the exit code is not ${wanted}: ${details()}`);
  } else {
    const allowed = [planned.error].flat();
    must(
      error !== undefined && allowed.includes(error),
      () => `it did not fail with ${allowed}: ${details()}`,
    );
    must(
      code === undefined || code === (planned.code ?? 1) || (code === 2 && error === "invalid_parameter"),
      () => `the exit code of a failure: ${details()}`,
    );
  }
  await planned.check?.(answer, json);
}
