/**
 * The short form of `scripts/soak` for the binary: a round or two of each class from fixed seeds. What this system does
 * not offer (strace, namespaces) is skipped with its reason.
 */

import { assertNothingFound, emptyReport, runRounds } from "../scripts/soaking/fault_class.ts";
import { OUTER_CLASSES } from "../scripts/soaking/fault_classes.ts";

for (const faultClass of OUTER_CLASSES) {
  const skipped = faultClass.unable?.();
  Deno.test({
    name: `soak, ${faultClass.name}: ${faultClass.what}${
      skipped === undefined ? "" : ` (skipped: ${skipped})`
    }`,
    ignore: skipped !== undefined,
    async fn() {
      const report = emptyReport(faultClass);
      await runRounds(faultClass, report, 1, ({ rounds, runs }) => rounds < 1 || rounds < 3 && runs < 10);
      assertNothingFound(report);
    },
  });
}
