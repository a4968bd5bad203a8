/**
 * Temporary credentials in a private file of the cache, named after a sum of where they are from. Losing the file costs a
 * request, so every failure is that of a missing file.
 */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { systemCode } from "../disk/errors.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { randomName } from "../disk/random_name.ts";
import { writeWhole } from "../disk/write_whole.ts";
import { readSmallFile } from "./small_file.ts";
import { type Credentials, sha256Hex } from "./sign_request.ts";

/** Returns the credentials kept for `identity`, if they are there and whole. */
export async function keptCredentials(
  cacheDirectory: string,
  identity: string,
): Promise<Credentials | undefined> {
  const path = await pathOf(cacheDirectory, identity);
  const text = isOwn(path) ? readSmallFile(path) : undefined;
  try {
    const kept: unknown = JSON.parse(text ?? "");
    return isCredentials(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps `credentials` for `identity`. */
export async function keepCredentials(
  cacheDirectory: string,
  identity: string,
  credentials: Credentials,
): Promise<void> {
  const path = await pathOf(cacheDirectory, identity);
  const temporaryPath = `${path}.${randomName()}`;
  try {
    makePrivateDirectories(cacheDirectory);
    const file = openPrivate(
      temporaryPath,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
    );
    try {
      writeWhole(file, new TextEncoder().encode(JSON.stringify(credentials)));
    } finally {
      disk.close(file);
    }
    disk.rename(temporaryPath, path);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

async function pathOf(cacheDirectory: string, identity: string): Promise<string> {
  const sum = await sha256Hex(new TextEncoder().encode(identity));
  return `${cacheDirectory}/credentials-${sum.slice(0, 32)}`;
}

/** Another user's file could make fdtool send content to that user's account. */
function isOwn(path: string): boolean {
  let facts;
  try {
    facts = disk.lstat(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
  return facts?.isFile() === true && (process.geteuid === undefined || facts.uid === process.geteuid());
}

function isCredentials(value: unknown): value is Credentials {
  if (typeof value !== "object" || value === null) return false;
  const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = value as Record<string, unknown>;
  return typeof accessKeyId === "string" && typeof secretAccessKey === "string" &&
    (sessionToken === undefined || typeof sessionToken === "string") && typeof expiresAtMs === "number";
}
