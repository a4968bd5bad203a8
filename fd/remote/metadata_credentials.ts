/**
 * Credentials that AWS gives to a container ("Container credential provider", AWS SDKs reference guide) or to an instance
 * (instance metadata service, version 2 only, since version 1 answers forged requests).
 */

import type { Environment } from "../store/open_store.ts";
import { CredentialsError } from "./environment_credentials.ts";
import { credentialsOfJson, fetchText } from "./fetch_text.ts";
import type { Credentials } from "./sign_request.ts";
import { readSmallFile } from "./small_file.ts";
import { isPrivateConnection } from "./store_url.ts";

const CONTAINER = "the container's credential service";
const CONTAINER_HOST = "http://169.254.170.2";
/** Hosts that plain http may go to besides this one: those of ECS and EKS. */
const CONTAINER_HOSTS = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"];

const INSTANCE = "the instance metadata service";
const INSTANCE_HOST = "http://169.254.169.254";
const INSTANCE_HOSTS = ["169.254.169.254", "[fd00:ec2::254]"];

const TIMEOUT_MS = 5000;
/** Outside of EC2 nothing answers, and the caller waits for this. */
const INSTANCE_TIMEOUT_MS = 1000;

/** Asks the service that the environment names. */
export async function containerCredentials(env: Environment): Promise<Credentials> {
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const full = env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  const written = relative ? CONTAINER_HOST + relative : full ?? "";
  if (!isAllowed(written, CONTAINER_HOSTS)) {
    throw new CredentialsError(`AWS_CONTAINER_CREDENTIALS_FULL_URI may not be used: ${written}`);
  }
  const token = containerToken(env);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: token };
  return credentialsOfJson(
    CONTAINER,
    await fetchText(CONTAINER, written, { headers, timeoutMs: TIMEOUT_MS }),
  );
}

function containerToken(env: Environment): string | undefined {
  const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const token = file ? readSmallFile(file)?.trim() : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  if (file && token === undefined) throw new CredentialsError(`cannot read the container's token ${file}`);
  if (!token) return undefined;
  if (/[\r\n]/.test(token)) throw new CredentialsError("the container's token has line breaks");
  return token;
}

/** Asks the metadata service of an EC2 instance. */
export async function instanceCredentials(env: Environment): Promise<Credentials> {
  if (env["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") throw none();
  const host = (env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || INSTANCE_HOST).replace(/\/$/, "");
  if (!isAllowed(host, INSTANCE_HOSTS)) {
    throw new CredentialsError(`AWS_EC2_METADATA_SERVICE_ENDPOINT may not be used: ${host}`);
  }
  let token: string;
  try {
    token = await fetchText(INSTANCE, `${host}/latest/api/token`, {
      method: "PUT",
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": "300" },
      timeoutMs: INSTANCE_TIMEOUT_MS,
    });
  } catch (thrown) {
    if (thrown instanceof CredentialsError && thrown.isUnreachable) throw none();
    throw thrown;
  }
  const get = (path: string) =>
    fetchText(INSTANCE, `${host}/latest/meta-data/iam/security-credentials/${path}`, {
      headers: { "x-aws-ec2-metadata-token": token },
      timeoutMs: TIMEOUT_MS,
    });
  const role = (await get("")).split("\n")[0]!.trim();
  if (!/^[\w+=,.@-]+$/.test(role)) throw none();
  return credentialsOfJson(INSTANCE, await get(role));
}

function none(): CredentialsError {
  return new CredentialsError(
    "no credentials found (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE)",
  );
}

function isAllowed(written: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(written)) return false;
  const url = new URL(written);
  return isPrivateConnection(url) || (url.protocol === "http:" && hosts.includes(url.hostname));
}
