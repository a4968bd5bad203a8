/**
 * `doctor`: what is installed where, whether it works there, and what to do where it does not.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { examineHarness, examineProgram } from "../harnesses/doctor/examine_harness.ts";
import { examineStore } from "../harnesses/doctor/examine_store.ts";
import { HARNESS_NAMES, HARNESSES } from "../harnesses/harnesses.ts";
import { sharedStoreOf, storePathOf } from "../answers/parts/open_host_store.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import type { Finding } from "../harnesses/harness.ts";
import { harnessOf } from "../harnesses/settings_order.ts";

export const command = defineOperation({
  fields: { harness: { kind: "text", isArgument: true } },
  usage: `[${HARNESS_NAMES.join("|")}]`,
  example: "fdtool doctor codex",
  exitCodes: { 0: "no problems (notes are not problems)", 1: "problems found; each is listed with its fix" },
  async answer({ harness: written }, host) {
    const asked = written === undefined ? undefined : harnessOf("doctor", written);
    const store = storePathOf(host);
    const shared = sharedStoreOf(host) === undefined
      ? []
      : await (await import("../harnesses/doctor/examine_shared_store.ts")).examineSharedStore(host);
    const findings = [
      examineProgram(host),
      ...examineStore(store, host),
      ...shared,
      ...(asked === undefined ? HARNESSES : [asked]).flatMap((harness) =>
        examineHarness(harness, host, harness === asked)
      ),
    ].sort((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
    const problems = findings.filter(({ state }) => state === "problem").length;
    return {
      exitCode: problems === 0 ? 0 : 1,
      answer: {
        type: "doctor_report",
        facts: {
          ok: problems === 0,
          version: host.version,
          store,
          problems,
          finding: findings,
        },
        message: `${problems === 0 ? "No problem" : counted(problems, "problem")} found.`,
      },
    };
  },
});

/** The worst first. */
const STATES = ["problem", "note", "ok"] as const satisfies readonly Finding["state"][];
