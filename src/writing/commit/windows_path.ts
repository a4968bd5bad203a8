/** Paths of Windows that do not lead where they seem to. */

import { fail } from "../../../fd/mod.ts";

/** Devices, also with an ending. */
const DEVICE =
  /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\..*)?$/i;

/**
 * Refuses one name of a path: of a device instead of a file; with a final dot or space, which Windows leaves out, so that
 * another file is written; with a colon, which names a hidden stream of a file.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function refuseOnWindows(name: string, path: string): void {
  const wanted = DEVICE.test(name)
    ? "a file: this is a device of Windows"
    : /[. ]$/.test(name)
    ? "a path whose names do not end with a dot or a space, which Windows leaves out"
    : name.includes(":")
    ? "a path without a colon after the drive, which names a hidden stream"
    : undefined;
  if (wanted !== undefined) fail({ kind: "invalid_parameter", field: "path", got: path, wanted });
}
