/** Credentials of the environment, and what all sources of credentials share. */

import type { Environment } from "../../store/open_store.ts";
import type { Credentials } from "./sign_request.ts";

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
