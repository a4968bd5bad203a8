/**
 * Credentials past the environment's, in the order of AWS's tools: profile, web identity, container, instance. Temporary
 * ones are kept in a private file, so that not each call of fdtool asks for new ones.
 */

import type { Environment } from "../store/open_store.ts";
import { CredentialsError, environmentCredentials, RENEWAL_MARGIN_MS } from "./environment_credentials.ts";
import { assumeRole, type RoleRequest } from "./assume_role.ts";
import { containerCredentials, instanceCredentials } from "./metadata_credentials.ts";
import { chosenProfile, type Profile, readProfile } from "./read_profile.ts";
import { type Credentials, sha256Hex } from "./sign_request.ts";
import { credentialsOfJson } from "./fetch_text.ts";
import { disk } from "../disk/disk.ts";
import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import { ifPossible } from "../disk/errors.ts";
import { makePrivateDirectories, writePrivate } from "../disk/private_files.ts";
import { randomName, statIfPossible } from "../disk/file_calls.ts";
import { readSmallFile } from "./small_file.ts";

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
  const kept = await keptCredentials(cacheDirectory, identity);
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
  if (credentials.expiresAtMs !== undefined) await keepCredentials(cacheDirectory, identity, credentials);
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
    return webIdentityProvider(env, tokenFile, { roleArn, sessionName: env["AWS_ROLE_SESSION_NAME"] });
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

function webIdentityProvider(env: Environment, tokenFile: string, role: RoleRequest): Provider {
  return {
    identity: `web identity ${role.roleArn} ${tokenFile}`,
    load: () => assumeRole(env, role, { tokenFile }),
  };
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
  const roleArn = profile.get("role_arn");
  if (roleArn !== undefined && !seen.includes(name)) {
    return roleProvider(env, name, profile, roleArn, [...seen, name]);
  }
  const accessKeyId = profile.get("aws_access_key_id");
  const secretAccessKey = profile.get("aws_secret_access_key");
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const sessionToken = profile.get("aws_session_token");
    return {
      identity: undefined,
      load: () => Promise.resolve({ accessKeyId, secretAccessKey, sessionToken }),
    };
  }
  if (seen.includes(name)) {
    throw new CredentialsError(`the profiles ${seen.join(", ")} depend on each other`);
  }
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

function roleProvider(
  env: Environment,
  name: string,
  profile: Profile,
  roleArn: string,
  seen: readonly string[],
): Provider {
  const role: RoleRequest = {
    roleArn,
    sessionName: profile.get("role_session_name"),
    externalId: profile.get("external_id"),
    durationSeconds: profile.get("duration_seconds"),
    region: profile.get("region"),
  };
  if (profile.has("mfa_serial")) throw new CredentialsError(`profile "${name}" needs a code (mfa_serial)`);
  const tokenFile = profile.get("web_identity_token_file");
  if (tokenFile !== undefined) return webIdentityProvider(env, tokenFile, role);
  const source = roleSource(env, name, profile, seen);
  return {
    identity: `role ${name} ${roleArn} ${role.externalId ?? ""} ${role.sessionName ?? ""} ${
      source.identity ?? ""
    }`,
    load: async () => await assumeRole(env, role, await source.load()),
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

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024;
const SERVICE = "credential_process";

/** Runs `command` in a shell, as AWS's SDKs do. What it prints on stderr is not repeated: it may hold secrets. */
async function processCredentials(env: Environment, command: string): Promise<Credentials> {
  const { exec } = await import("node:child_process");
  const text = await new Promise<string>((resolve, reject) => {
    exec(command, { env: { ...env }, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new CredentialsError(`${SERVICE} failed (${error.code ?? error.signal ?? "unknown"})`));
    });
  });
  return credentialsOfJson(SERVICE, text);
}

/**
 * Returns the credentials kept for `identity` in a private file of the cache, if they are there and whole. Losing the file
 * costs a request, so every failure is that of a missing file.
 */
async function keptCredentials(cacheDirectory: string, identity: string): Promise<Credentials | undefined> {
  const path = await pathOf(cacheDirectory, identity);
  // Another user's file could make fdtool send content to that user's account.
  const stat = statIfPossible(path);
  if (stat?.isFile() !== true || process.geteuid !== undefined && stat.uid !== process.geteuid()) {
    return undefined;
  }
  try {
    return credentialsOfJson("the cache", readSmallFile(path) ?? "");
  } catch (thrown) {
    if (!(thrown instanceof CredentialsError)) throw thrown;
    return undefined;
  }
}

/** Keeps `credentials`, which end, for `identity`. */
async function keepCredentials(
  cacheDirectory: string,
  identity: string,
  { accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: Credentials,
): Promise<void> {
  const path = await pathOf(cacheDirectory, identity);
  const temporaryPath = `${path}.${randomName()}`;
  const text = JSON.stringify({
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(expiresAtMs!).toISOString(),
  });
  ifPossible(() => {
    makePrivateDirectories(cacheDirectory);
    writePrivate(temporaryPath, utf8Bytes(text));
    disk.rename(temporaryPath, path);
  });
}

async function pathOf(cacheDirectory: string, identity: string): Promise<string> {
  return `${cacheDirectory}/credentials-${(await sha256Hex(utf8Bytes(identity))).slice(0, 32)}`;
}
