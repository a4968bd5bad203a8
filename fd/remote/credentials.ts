/**
 * Finds credentials as AWS's own tools do: environment; profile; web identity; container; instance. What is past the
 * environment is loaded when needed. Temporary credentials are renewed before they end.
 */

import type { Environment } from "../store/open_store.ts";
import type { Credentials } from "./sign_request.ts";

/** The credentials of a store's requests. */
export interface CredentialSource {
  /** Returns credentials that are valid for some minutes. `isRenewed`: not those that were returned before. */
  get(isRenewed: boolean): Promise<Credentials>;
}

/** Makes the source for `env`. Temporary credentials are kept in `cacheDirectory`, if it is given. */
export function credentialSource(env: Environment, cacheDirectory: string | undefined): CredentialSource {
  let current: Promise<Credentials> | undefined;
  let endsAtMs = Infinity;
  return {
    async get(isRenewed) {
      if (isRenewed || Date.now() > endsAtMs - RENEWAL_MARGIN_MS) current = undefined;
      try {
        const credentials = await (current ??= findCredentials(env, cacheDirectory, isRenewed));
        endsAtMs = credentials.expiresAtMs ?? Infinity;
        return credentials;
      } catch (thrown) {
        current = undefined;
        throw thrown;
      }
    },
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

// Credentials of the environment, and what all sources of credentials share.

/** Temporary credentials are replaced when they have less than this left; AWS's tools do the same. */
export const RENEWAL_MARGIN_MS = 5 * 60_000;

/** Thrown if there are no credentials. `isUnreachable`: a service that has them did not answer. */
export class CredentialsError extends Error {
  constructor(reason: string, readonly isUnreachable = false) {
    super(reason);
  }
}

/** Returns the credentials in the environment's variables. */
export function environmentCredentials(env: Environment): Credentials | undefined {
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  if (!accessKeyId && !secretAccessKey) return undefined;
  if (!accessKeyId) throw new CredentialsError("AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not");
  if (!secretAccessKey) {
    throw new CredentialsError("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
  }
  return { accessKeyId, secretAccessKey, sessionToken: env["AWS_SESSION_TOKEN"] || undefined };
}
