/**
 * Finds credentials as AWS's own tools do: environment; profile; web identity; container; instance. What is past the
 * environment is loaded when needed. Temporary credentials are renewed before they end.
 */

import type { Environment } from "../../store/open_store.ts";
import { environmentCredentials, RENEWAL_MARGIN_MS } from "./environment_credentials.ts";
import type { Credentials } from "./sign_request.ts";

/** Returns credentials that are valid for some minutes. `isRenewed`: not those that were returned before. */
type CredentialSource = (isRenewed: boolean) => Promise<Credentials>;

/** Makes the source for `env`. Temporary credentials are kept in `cacheDirectory`, if it is given. */
export function credentialSource(env: Environment, cacheDirectory: string | undefined): CredentialSource {
  let current: Promise<Credentials> | undefined;
  let endsAtMs = Infinity;
  return async (isRenewed) => {
    if (isRenewed || Date.now() > endsAtMs - RENEWAL_MARGIN_MS) current = undefined;
    try {
      const credentials = await (current ??= findCredentials(env, cacheDirectory, isRenewed));
      endsAtMs = credentials.expiresAtMs ?? Infinity;
      return credentials;
    } catch (thrown) {
      current = undefined;
      throw thrown;
    }
  };
}

async function findCredentials(
  env: Environment,
  cacheDirectory: string | undefined,
  isRenewed: boolean,
): Promise<Credentials> {
  const fromEnvironment = environmentCredentials(env);
  if (fromEnvironment !== undefined) return fromEnvironment;
  const { furtherCredentials } = await import("./further_credentials.ts");
  return await furtherCredentials(env, cacheDirectory, isRenewed);
}
