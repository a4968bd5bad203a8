/**
 * Temporary credentials of a role, from AWS STS: `AssumeRole` with other credentials, `AssumeRoleWithWebIdentity` with the
 * token that Kubernetes or a CI system puts in a file (AWS STS API reference).
 */

import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import type { Environment } from "../store/open_store.ts";
import { CredentialsError } from "./environment_credentials.ts";
import { credentialsFrom, fetchText } from "./fetch_text.ts";
import { childText, xmlIn } from "./read_xml.ts";
import { awsDomain, canonicalQuery, type Credentials, sha256Hex, signRequest } from "./sign_request.ts";
import { readSmallFile } from "./small_file.ts";
import { isPrivateConnection } from "./store_url.ts";

/** A role to assume. */
export interface RoleRequest {
  roleArn: string;
  sessionName?: string | undefined;
  externalId?: string | undefined;
  durationSeconds?: string | undefined;
  region?: string | undefined;
}

const SERVICE = "AWS STS";
const TIMEOUT_MS = 10_000;

/** Assumes `role` with the credentials or the file of a token that are given. */
export async function assumeRole(
  env: Environment,
  role: RoleRequest,
  by: Credentials | { tokenFile: string },
): Promise<Credentials> {
  const token = "tokenFile" in by ? readSmallFile(by.tokenFile)?.trim() : undefined;
  if ("tokenFile" in by && token === undefined) {
    throw new CredentialsError(`cannot read the web identity token ${by.tokenFile}`);
  }
  const action = token === undefined ? "AssumeRole" : "AssumeRoleWithWebIdentity";
  const parameters = {
    Action: action,
    Version: "2011-06-15",
    RoleArn: role.roleArn,
    RoleSessionName: role.sessionName || "fdtool",
    DurationSeconds: role.durationSeconds,
    ExternalId: token === undefined ? role.externalId : undefined,
    WebIdentityToken: token,
  };
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  const body = canonicalQuery(Object.fromEntries(given));
  const { url, region } = endpointOf(env, role);
  const bodySha256 = await sha256Hex(utf8Bytes(body));
  const request = { method: "POST", host: url.host, path: "/", query: "", headers: FORM_HEADERS, bodySha256 };
  const scope = { region, service: "sts", nowMs: Date.now() };
  const headers = "tokenFile" in by ? FORM_HEADERS : signRequest(request, { ...scope, credentials: by });
  const text = await fetchText(SERVICE, url.origin, {
    method: "POST",
    headers,
    body,
    timeoutMs: TIMEOUT_MS,
    env,
  });
  let element = xmlIn(text);
  for (const name of [`${action}Result`, "Credentials"]) {
    element = element?.children.find((child) => child.name === name);
  }
  return credentialsFrom(SERVICE, (name) => element && childText(element, name));
}

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

function endpointOf(env: Environment, role: RoleRequest): { url: URL; region: string } {
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || role.region || "us-east-1";
  const written = env["AWS_ENDPOINT_URL_STS"] || `https://sts.${region}.${awsDomain(region)}`;
  if (!URL.canParse(written) || !isPrivateConnection(new URL(written))) {
    throw new CredentialsError(`AWS_ENDPOINT_URL_STS is not https://: ${written}`);
  }
  return { url: new URL(written), region };
}
