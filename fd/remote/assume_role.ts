/**
 * Temporary credentials of a role, from AWS STS: `AssumeRole` with other credentials, `AssumeRoleWithWebIdentity` with the
 * token that Kubernetes or a CI system puts in a file (AWS STS API reference).
 */

import type { Environment } from "../store/open_store.ts";
import { CredentialsError } from "./environment_credentials.ts";
import { checkedCredentials, fetchText } from "./fetch_text.ts";
import { childText, readXml, type XmlElement, XmlError } from "./read_xml.ts";
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

/** Assumes `role` with `credentials`. */
export async function assumeRole(
  env: Environment,
  role: RoleRequest,
  credentials: Credentials,
): Promise<Credentials> {
  const body = formOf(
    "AssumeRole",
    role,
    role.externalId === undefined ? {} : { ExternalId: role.externalId },
  );
  const { url, region } = endpointOf(env, role);
  const headers = await signRequest({
    method: "POST",
    host: url.host,
    path: "/",
    query: "",
    headers: FORM_HEADERS,
    bodySha256: await sha256Hex(new TextEncoder().encode(body)),
  }, { credentials, region, service: "sts", nowMs: Date.now() });
  return await request("AssumeRole", url, headers, body, env);
}

/** Assumes `role` with the token in `tokenFile`. */
export async function assumeRoleWithToken(
  env: Environment,
  role: RoleRequest,
  tokenFile: string,
): Promise<Credentials> {
  const token = readSmallFile(tokenFile)?.trim();
  if (token === undefined) throw new CredentialsError(`cannot read the web identity token ${tokenFile}`);
  const body = formOf("AssumeRoleWithWebIdentity", role, { WebIdentityToken: token });
  return await request("AssumeRoleWithWebIdentity", endpointOf(env, role).url, FORM_HEADERS, body, env);
}

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

function formOf(action: string, role: RoleRequest, more: Record<string, string>): string {
  return canonicalQuery({
    Action: action,
    Version: "2011-06-15",
    RoleArn: role.roleArn,
    RoleSessionName: role.sessionName || "fdtool",
    ...role.durationSeconds === undefined ? {} : { DurationSeconds: role.durationSeconds },
    ...more,
  });
}

function endpointOf(env: Environment, role: RoleRequest): { url: URL; region: string } {
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || role.region || "us-east-1";
  const written = env["AWS_ENDPOINT_URL_STS"] || `https://sts.${region}.${awsDomain(region)}`;
  if (!URL.canParse(written) || !isPrivateConnection(new URL(written))) {
    throw new CredentialsError(`AWS_ENDPOINT_URL_STS is not https://: ${written}`);
  }
  return { url: new URL(written), region };
}

async function request(
  action: string,
  url: URL,
  headers: Record<string, string>,
  body: string,
  env: Environment,
): Promise<Credentials> {
  const text = await fetchText(SERVICE, url.origin, {
    method: "POST",
    headers,
    body,
    timeoutMs: TIMEOUT_MS,
    env,
  });
  let element: XmlElement | undefined;
  try {
    element = readXml(text);
  } catch (thrown) {
    if (!(thrown instanceof XmlError)) throw thrown;
  }
  for (const name of [`${action}Result`, "Credentials"]) {
    element = element?.children.find((child) => child.name === name);
  }
  const field = (name: string) => element && childText(element, name);
  return checkedCredentials(SERVICE, {
    accessKeyId: field("AccessKeyId"),
    secretAccessKey: field("SecretAccessKey"),
    sessionToken: field("SessionToken"),
    expiration: field("Expiration"),
  });
}
