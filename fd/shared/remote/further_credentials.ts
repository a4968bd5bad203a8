/**
 * Credentials past the environment's, in the order of AWS's tools: profile, web identity, container, instance. Temporary
 * ones are kept in a private file, so that not each call of fdtool asks for new ones.
 */

import { promisify } from "node:util";
import type { Environment } from "../../store/open_store.ts";
import { CredentialsError, environmentCredentials, RENEWAL_MARGIN_MS } from "./environment_credentials.ts";
import { chosenProfile, type Profile, readProfile } from "./read_profile.ts";
import { awsDomain, canonicalQuery, type Credentials, sha256Hex, signRequest } from "./sign_request.ts";
import { disk } from "../../disk/disk.ts";
import { utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { ifPossible } from "../../disk/errors.ts";
import { makePrivateDirectories, writePrivate } from "../../disk/private_files.ts";
import { randomName, statIfPossible } from "../../disk/file_calls.ts";
import { readSmallFile } from "./small_file.ts";
import { childText, xmlIn } from "./read_xml.ts";
import { isPrivateConnection } from "./store_url.ts";
import { connectionOptions } from "./connection_options.ts";

/** A place that has credentials. */
interface Provider {
  /** Says which credentials these are; undefined if they are not worth keeping. */
  identity: string | undefined;
  load(): Promise<Credentials>;
}

/** Returns credentials; kept ones unless `isRenewed`. Throws {@link CredentialsError}. */
export async function furtherCredentials(
  env: Environment,
  cacheDirectory: string | undefined,
  isRenewed: boolean,
): Promise<Credentials> {
  const { identity, load } = findProvider(env);
  if (cacheDirectory === undefined || identity === undefined) return await load();
  const path = `${cacheDirectory}/credentials-${(await sha256Hex(utf8Bytes(identity))).slice(0, 32)}`;
  const kept = keptCredentials(path);
  const leftMs = (kept?.expiresAtMs ?? 0) - Date.now();
  if (kept !== undefined && !isRenewed && leftMs > RENEWAL_MARGIN_MS) return kept;
  let credentials: Credentials;
  try {
    credentials = await load();
  } catch (thrown) {
    // Those that end soon are better than none.
    if (kept !== undefined && !isRenewed && leftMs > 0 && thrown instanceof CredentialsError) return kept;
    throw thrown;
  }
  const { expiresAtMs } = credentials;
  if (expiresAtMs !== undefined) {
    ifPossible(() => {
      makePrivateDirectories(cacheDirectory);
      keepCredentials(path, credentials, new Date(expiresAtMs));
    });
  }
  return credentials;
}

function findProvider(env: Environment): Provider {
  const name = chosenProfile(env);
  const profile = readProfile(env, name);
  if (profile === undefined && (env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"])) {
    throw new CredentialsError(`no profile "${name}" in the AWS configuration files`);
  }
  const fromProfile = profile === undefined ? undefined : profileProvider(env, name, profile, []);
  if (fromProfile !== undefined) return fromProfile;

  const tokenFile = env["AWS_WEB_IDENTITY_TOKEN_FILE"];
  const roleArn = env["AWS_ROLE_ARN"];
  if (tokenFile && roleArn) {
    const sessionName = env["AWS_ROLE_SESSION_NAME"] ?? "";
    const role = { role_arn: roleArn, role_session_name: sessionName, web_identity_token_file: tokenFile };
    return roleProvider(env, "", new Map(Object.entries(role)), []);
  }
  const container = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] ||
    env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  if (container) return { identity: `container ${container}`, load: () => containerCredentials(env) };
  return instanceProvider(env);
}

function instanceProvider(env: Environment): Provider {
  const endpoint = env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "";
  return { identity: `instance ${endpoint}`, load: () => instanceCredentials(env) };
}

/**
 * Returns undefined if the profile has no credentials. `seen`: the profiles whose roles depend on it. One that names itself
 * as source means its own keys.
 */
function profileProvider(
  env: Environment,
  name: string,
  profile: Profile,
  seen: readonly string[],
): Provider | undefined {
  if (profile.has("role_arn") && !seen.includes(name)) {
    return roleProvider(env, name, profile, [...seen, name]);
  }
  const accessKeyId = profile.get("aws_access_key_id");
  const secretAccessKey = profile.get("aws_secret_access_key");
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const sessionToken = profile.get("aws_session_token");
    const keys = { accessKeyId, secretAccessKey, sessionToken };
    return { identity: undefined, load: () => Promise.resolve(keys) };
  }
  if (seen.includes(name)) throw new CredentialsError(`the profiles ${seen.join(", ")} depend on each other`);
  const command = profile.get("credential_process");
  if (command !== undefined) {
    return { identity: `process ${name} ${command}`, load: () => processCredentials(env, command) };
  }
  if (profile.has("sso_session") || profile.has("sso_start_url") || profile.has("login_session")) {
    throw new CredentialsError(
      `profile "${name}" needs a login in a browser; give fdtool a profile with ` +
        `credential_process = aws configure export-credentials --profile ${name}`,
    );
  }
  return undefined;
}

function roleProvider(env: Environment, name: string, profile: Profile, seen: readonly string[]): Provider {
  if (profile.has("mfa_serial")) throw new CredentialsError(`profile "${name}" needs a code (mfa_serial)`);
  const tokenFile = profile.get("web_identity_token_file");
  const [roleArn, externalId = "", sessionName = ""] = ["role_arn", "external_id", "role_session_name"]
    .map((setting) => profile.get(setting));
  if (tokenFile !== undefined) {
    const load = () => assumeRole(env, profile, { tokenFile });
    return { identity: `web identity ${roleArn} ${tokenFile}`, load };
  }
  const source = roleSource(env, name, profile, seen);
  return {
    identity: `role ${name} ${roleArn} ${externalId} ${sessionName} ${source.identity ?? ""}`,
    load: async () => await assumeRole(env, profile, await source.load()),
  };
}

/** Returns the provider of the credentials with which a role is assumed. */
function roleSource(env: Environment, name: string, profile: Profile, seen: readonly string[]): Provider {
  const sourceName = profile.get("source_profile");
  if (sourceName !== undefined) {
    const settings = readProfile(env, sourceName);
    const source = settings && profileProvider(env, sourceName, settings, seen);
    if (source === undefined) throw new CredentialsError(`source_profile "${sourceName}" has no credentials`);
    return source;
  }
  const kind = profile.get("credential_source");
  if (kind === "Ec2InstanceMetadata") return instanceProvider(env);
  if (kind === "EcsContainer") return { identity: "container", load: () => containerCredentials(env) };
  const fromEnvironment = kind === "Environment" ? environmentCredentials(env) : undefined;
  if (fromEnvironment === undefined) {
    throw new CredentialsError(
      `profile "${name}" has a role, but no source_profile or credential_source with credentials`,
    );
  }
  return { identity: "environment", load: () => Promise.resolve(fromEnvironment) };
}

const PROCESS = "credential_process";
const PROCESS_TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024;

/** Runs `command` in a shell, as AWS's SDKs do. What it prints on stderr is not repeated: it may hold secrets. */
async function processCredentials(env: Environment, command: string): Promise<Credentials> {
  const { exec } = await import("node:child_process");
  const options = { env: { ...env }, timeout: PROCESS_TIMEOUT_MS, maxBuffer: MAX_BYTES };
  const { stdout } = await promisify(exec)(command, options).catch(({ code, signal }) => {
    throw new CredentialsError(`${PROCESS} failed (${code ?? signal ?? "unknown"})`);
  });
  return credentialsOfJson(PROCESS, stdout);
}

/**
 * Returns the credentials kept in the private file at `path`, if they are there and whole. Losing the file costs a request, so
 * every failure is that of a missing file.
 */
function keptCredentials(path: string): Credentials | undefined {
  // Another user's file could make fdtool send content to that user's account.
  const stat = statIfPossible(path);
  if (stat?.isFile() !== true || process.geteuid !== undefined && stat.uid !== process.geteuid()) {
    return undefined;
  }
  return ifPossible(() => credentialsOfJson("the cache", readSmallFile(path) ?? ""), CredentialsError);
}

/** Keeps credentials that end at `end`, in the form of AWS's services. */
function keepCredentials(
  path: string,
  { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }: Credentials,
  end: Date,
): void {
  const temporaryPath = `${path}.${randomName()}`;
  const text = JSON.stringify({ AccessKeyId, SecretAccessKey, SessionToken, Expiration: end.toISOString() });
  writePrivate(temporaryPath, utf8Bytes(text));
  disk.rename(temporaryPath, path);
}

// Temporary credentials of a role, from AWS STS: `AssumeRole` with other credentials, `AssumeRoleWithWebIdentity` with the
// token that Kubernetes or a CI system puts in a file (AWS STS API reference).

const STS = "AWS STS";
const STS_TIMEOUT_MS = 10_000;

/** Assumes the role of a profile with the credentials or the file of a token that are given. */
async function assumeRole(
  env: Environment,
  profile: Profile,
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
    RoleArn: profile.get("role_arn"),
    RoleSessionName: profile.get("role_session_name") || "fdtool",
    DurationSeconds: profile.get("duration_seconds"),
    ExternalId: token === undefined ? profile.get("external_id") : undefined,
    WebIdentityToken: token,
  };
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  const body = canonicalQuery(Object.fromEntries(given));
  const { url, region } = endpointOf(env, profile.get("region"));
  const bodySha256 = await sha256Hex(utf8Bytes(body));
  const request = { method: "POST", host: url.host, path: "/", query: "", headers: FORM_HEADERS, bodySha256 };
  const scope = { region, service: "sts", nowMs: Date.now() };
  const headers = "tokenFile" in by
    ? FORM_HEADERS
    : await signRequest(request, { ...scope, credentials: by });
  const text = await fetchText(STS, url.origin, {
    method: "POST",
    headers,
    body,
    timeoutMs: STS_TIMEOUT_MS,
    env,
  });
  let element = xmlIn(text);
  for (const name of [`${action}Result`, "Credentials"]) {
    element = element?.children.find((child) => child.name === name);
  }
  return credentialsFrom(STS, (name) => element && childText(element, name));
}

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

function endpointOf(env: Environment, ofRole: string | undefined): { url: URL; region: string } {
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || ofRole || "us-east-1";
  const written = env["AWS_ENDPOINT_URL_STS"] || `https://sts.${region}.${awsDomain(region)}`;
  if (!URL.canParse(written) || !isPrivateConnection(new URL(written))) {
    throw new CredentialsError(`AWS_ENDPOINT_URL_STS is not https://: ${written}`);
  }
  return { url: new URL(written), region };
}

// Credentials that AWS gives to a container ("Container credential provider", AWS SDKs reference guide) or to an instance
// (instance metadata service, version 2 only, since version 1 answers forged requests).

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
async function containerCredentials(env: Environment): Promise<Credentials> {
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const full = env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  const written = relative ? CONTAINER_HOST + relative : full ?? "";
  if (!isAllowed(written, CONTAINER_HOSTS)) {
    throw new CredentialsError(`AWS_CONTAINER_CREDENTIALS_FULL_URI may not be used: ${written}`);
  }
  const token = containerToken(env);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: token };
  const text = await fetchText(CONTAINER, written, { headers, timeoutMs: TIMEOUT_MS });
  return credentialsOfJson(CONTAINER, text);
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
async function instanceCredentials(env: Environment): Promise<Credentials> {
  if (env["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") throw none();
  const host = (env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || INSTANCE_HOST).replace(/\/$/, "");
  if (!isAllowed(host, INSTANCE_HOSTS)) {
    throw new CredentialsError(`AWS_EC2_METADATA_SERVICE_ENDPOINT may not be used: ${host}`);
  }
  const headers = { "x-aws-ec2-metadata-token-ttl-seconds": "300" };
  const request = { method: "PUT", headers, timeoutMs: INSTANCE_TIMEOUT_MS };
  const token = await fetchText(INSTANCE, `${host}/latest/api/token`, request).catch((thrown) => {
    throw thrown instanceof CredentialsError && thrown.isUnreachable ? none() : thrown;
  });
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

// Requests to the services that have credentials.

const TRIES = 2;

/**
 * Returns the body of a successful answer. `service` names the server in failures.
 *
 * @throws {CredentialsError}
 */
async function fetchText(
  service: string,
  url: string,
  /** `env` may name certificates. */
  { timeoutMs, env = {}, ...init }: RequestInit & { timeoutMs: number; env?: Environment },
): Promise<string> {
  const connection = connectionOptions(new URL(url), env);
  for (let left = TRIES - 1;; left--) {
    let answer: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      answer = await fetch(url, { ...init, redirect: "manual", ...connection, signal });
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
function credentialsOfJson(service: string, text: string): Credentials {
  const value: unknown = ifPossible(() => JSON.parse(text), SyntaxError);
  if (value === undefined) throw new CredentialsError(`${service} returned invalid JSON`);
  const fields = typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  return credentialsFrom(service, (name) => typeof fields[name] === "string" ? fields[name] : undefined);
}

/** Returns the credentials of which `field` gives the parts by AWS's names. Throws {@link CredentialsError} if it has none. */
function credentialsFrom(service: string, field: (name: string) => string | undefined): Credentials {
  const [accessKeyId, secretAccessKey] = [field("AccessKeyId"), field("SecretAccessKey")];
  const expiration = field("Expiration");
  const expiresAtMs = expiration === undefined ? undefined : Date.parse(expiration);
  if (!accessKeyId || !secretAccessKey || Number.isNaN(expiresAtMs)) {
    throw new CredentialsError(`${service} returned no valid credentials`);
  }
  return { accessKeyId, secretAccessKey, sessionToken: field("Token") ?? field("SessionToken"), expiresAtMs };
}
