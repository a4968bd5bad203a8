/** Names for fds that some systems cannot keep as file names. */

import { fail } from "../disk/errors.ts";

/** Devices of Windows, also with an ending. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i;

/**
 * Refuses a name that would lead to a device of Windows, which drops a final dot too; and, on systems that take `Log` and
 * `log` for one file, a name that differs from one of `names` only in case, and would replace it.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function refuseUnfitName(name: string, names: () => readonly string[], platform: string): void {
  if (platform !== "win32" && platform !== "darwin") return;
  const refuse = (wanted: string): never =>
    fail({ kind: "invalid_parameter", field: "name", got: name, wanted });
  if (platform === "win32") {
    if (name.endsWith(".")) refuse("a name that does not end with a dot, which Windows leaves out");
    if (DEVICE.test(name)) refuse("a name that is not of a device of Windows");
  }
  const folded = name.toLowerCase();
  const twin = names().find((other) => other !== name && other.toLowerCase() === folded);
  if (twin !== undefined) refuse(`a name that differs from ref:${twin} in more than case`);
}
