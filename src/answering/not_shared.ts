import type { FdFailure } from "../../fd/system.ts";

/** Says that an fd is only on this host, and why. */
export function notSharedRemark(failure: FdFailure | undefined): string {
  const why = failure === undefined ? "" : `: ${reasonOf(failure)}`;
  return `Not shared yet${why}. It is on this host, and shared by a later call or by fdtool sync.`;
}

function reasonOf(failure: FdFailure): string {
  return "reason" in failure ? failure.reason : failure.kind;
}
