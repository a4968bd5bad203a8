/** How connections are made, besides what the runtime does by itself. */

import { refuse } from "../../disk/errors.ts";
import type { Environment } from "../../store/open_store.ts";
import { readSmallFile } from "./small_file.ts";

const read = new Map<string, string>();

/**
 * Options for a request to `url`, of `fetch` in Bun; Deno ignores them. Plain http goes straight to its server, which is on this host or in a private network; https
 * by the proxy of the environment, if it has one, to a server whose certificate is of AWS_CA_BUNDLE, if that is set.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function connectionOptions({ protocol }: URL, env: Environment) {
  if (protocol === "http:") return { proxy: false };
  const path = env["AWS_CA_BUNDLE"];
  if (!path) return {};
  const ca = read.get(path) ?? readSmallFile(path);
  if (ca?.includes("-----BEGIN CERTIFICATE-----") !== true) {
    refuse("AWS_CA_BUNDLE", path, "a file of certificates (PEM)");
  }
  read.set(path, ca);
  return { tls: { ca } };
}
