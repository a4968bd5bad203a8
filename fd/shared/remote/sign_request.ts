/**
 * Signs requests with AWS Signature Version 4 ("Signature Version 4 signing process", AWS General Reference). All headers
 * given are signed, so that a proxy that drops a condition makes the request fail.
 *
 * Sums are those of Web Crypto, because loading `node:crypto` costs 26 M instructions and that 2 M.
 */

import { hexOf, utf8Bytes } from "../../bytes/utf8_bytes.ts";

/** Keys for signing. Temporary keys have a session token and an end. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  expiresAtMs?: number | undefined;
}

/** A request to sign. */
export interface UnsignedRequest {
  method: string;
  /** As `URL.host`: without the scheme's default port. */
  host: string;
  /** Percent-encoded. */
  path: string;
  /** As {@link canonicalQuery} writes it. */
  query: string;
  /** Names in lower case; values without white space at the ends. */
  headers: Readonly<Record<string, string>>;
  /** sha-256 of the body, in hex. */
  bodySha256: string;
}

/** The limits of a signature: whose it is, where and when it is valid. */
export interface SigningScope {
  credentials: Credentials;
  region: string;
  service: string;
  nowMs: number;
}

/** The sha-256 of no bytes, in hex. */
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Returns the headers to send: those given, the date, the session token and `authorization`. */
export async function signRequest(
  request: UnsignedRequest,
  { credentials, region, service, nowMs }: SigningScope,
): Promise<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = time.slice(0, 8);
  const sent: Record<string, string> = { ...request.headers, "x-amz-date": time };
  if (credentials.sessionToken !== undefined) sent["x-amz-security-token"] = credentials.sessionToken;
  const signed: Record<string, string> = { ...sent, host: request.host };
  const names = Object.keys(signed).sort();
  const canonical = [
    request.method,
    request.path,
    request.query,
    ...names.map((name) => `${name}:${signed[name]}`),
    "",
    names.join(";"),
    request.bodySha256,
  ].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${await sha256Hex(utf8Bytes(canonical))}`;
  const key = await signingKey(credentials.secretAccessKey, date, region, service);
  const signature = hexOf(await hmacSha256(key, toSign));
  sent["authorization"] = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, ` +
    `SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return sent;
}

/** Writes a query as it is signed and sent: sorted by name, and percent-encoded except for unreserved chars. */
export function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.keys(parameters).sort()
    .map((name) => `${percentEncoded(name)}=${percentEncoded(parameters[name]!)}`).join("&");
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns the sha-256 of `bytes` in hex. */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Returns the HMAC-SHA-256 of `text` with `key`. */
export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8Bytes(text)));
}

let lastKey: { of: string; key: Uint8Array<ArrayBuffer> } | undefined;

/** A key is valid for a day; the last one is kept. */
async function signingKey(
  secret: string,
  date: string,
  region: string,
  service: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const of = [secret, date, region, service].join("\n");
  if (lastKey?.of === of) return lastKey.key;
  let key: Uint8Array<ArrayBuffer> = utf8Bytes(`AWS4${secret}`);
  for (const part of [date, region, service, "aws4_request"]) key = await hmacSha256(key, part);
  lastKey = { of, key };
  return key;
}

/** Returns the domain of AWS's services in `region`: China has its own. */
export function awsDomain(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}
