/**
 * What an answer about a part or the whole of a live fd has to say besides: that it was looked at too early to be final
 * (SPEC section 1, law 7).
 *
 * @module
 */

import { type FdEntry, formatFd } from "../fd/mod.ts";

/** `message`, and of an fd that is live a sentence more. */
export function withLiveRemark(entry: FdEntry, message: string): string;
export function withLiveRemark(entry: FdEntry, message: string | undefined): string | undefined;
export function withLiveRemark(entry: FdEntry, message: string | undefined): string | undefined {
  if (entry.state !== "live") return message;
  const remark = `${formatFd(entry.id)} is still live: ${entry.byteCount} bytes of it had arrived.`;
  if (message === undefined) return remark;
  return `${message}${message.endsWith(".") ? "" : "."} ${remark}`;
}
