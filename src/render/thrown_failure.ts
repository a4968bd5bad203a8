import { failureOfSystem, FdError, systemCode } from "../../fd/system.ts";
import type { Failure } from "./failure_text.ts";
import { UsageError } from "../requests/usage_failure.ts";
import { WriteError } from "../terms/write_failure.ts";

/** The failure that a thrown error carries, a system error's own, or else a bug in fdtool. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FdError || thrown instanceof UsageError) return thrown.failure;
  if (thrown instanceof WriteError) return { kind: "write_refused", failure: thrown.failure };
  if (systemCode(thrown) !== undefined && thrown instanceof Error && "path" in thrown) {
    return failureOfSystem(thrown, "read", "use", String(thrown.path));
  }
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { kind: "internal_error", what };
}
