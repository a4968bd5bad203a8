/**
 * Credentials that a profile's `credential_process` prints ("Process credential provider", AWS SDKs reference guide).
 */

import type { Environment } from "../store/open_store.ts";
import { CredentialsError } from "./environment_credentials.ts";
import { credentialsOfJson } from "./fetch_text.ts";
import type { Credentials } from "./sign_request.ts";

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024;
const SERVICE = "credential_process";

/** Runs `command` in a shell, as AWS's SDKs do. What it prints on stderr is not repeated: it may hold secrets. */
export async function processCredentials(env: Environment, command: string): Promise<Credentials> {
  const { exec } = await import("node:child_process");
  const text = await new Promise<string>((resolve, reject) => {
    exec(command, { env: { ...env }, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new CredentialsError(`${SERVICE} failed (${error.code ?? error.signal ?? "unknown"})`));
    });
  });
  return credentialsOfJson(SERVICE, text);
}
