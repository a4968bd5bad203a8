/** Requests to the services that have credentials. */

import type { Environment } from "../store/open_store.ts";
import { connectionOptions } from "./connection_options.ts";
import { CredentialsError } from "./environment_credentials.ts";
import type { Credentials } from "./sign_request.ts";

const TRIES = 2;

/**
 * Returns the body of a successful answer. `service` names the server in failures.
 *
 * @throws {CredentialsError}
 */
export async function fetchText(
  service: string,
  url: string,
  init: {
    method?: string;
    headers?: Record<string, string>;
    body?: string;
    timeoutMs: number;
    /** May name certificates. */
    env?: Environment;
  },
): Promise<string> {
  const connection = connectionOptions(new URL(url), init.env ?? {});
  for (let left = TRIES - 1;; left--) {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url, {
        method: init.method ?? "GET",
        headers: init.headers ?? {},
        ...init.body === undefined ? {} : { body: init.body },
        redirect: "manual",
        ...connection,
        signal: AbortSignal.timeout(init.timeoutMs),
      });
      text = await answer.text();
    } catch {
      if (left > 0) continue;
      throw new CredentialsError(`${service} does not answer`, true);
    }
    if (answer.status === 200) return text;
    if (answer.status >= 500 && left > 0) continue;
    const code = /<Code>([\w.]+)<\/Code>/.exec(text)?.[1] ?? "";
    throw new CredentialsError(`${service} answered ${answer.status} ${code}`.trim(), answer.status >= 500);
  }
}

/** The JSON in which containers, instances and processes return credentials; the session token has either name. */
export function credentialsOfJson(service: string, text: string): Credentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CredentialsError(`${service} returned invalid JSON`);
  }
  const fields = typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  return credentialsFrom(service, (name) => typeof fields[name] === "string" ? fields[name] : undefined);
}

/** Returns the credentials of which `field` gives the parts by AWS's names. Throws {@link CredentialsError} if it has none. */
export function credentialsFrom(service: string, field: (name: string) => string | undefined): Credentials {
  const [accessKeyId, secretAccessKey] = [field("AccessKeyId"), field("SecretAccessKey")];
  const expiration = field("Expiration");
  const expiresAtMs = expiration === undefined ? undefined : Date.parse(expiration);
  if (!accessKeyId || !secretAccessKey || Number.isNaN(expiresAtMs)) {
    throw new CredentialsError(`${service} returned no valid credentials`);
  }
  return { accessKeyId, secretAccessKey, sessionToken: field("Token") ?? field("SessionToken"), expiresAtMs };
}
