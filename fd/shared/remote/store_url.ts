/**
 * The URL of a shared store: `s3://BUCKET/PREFIX?endpoint=…&region=…&path-style=1&sse=…`. It names a place and holds no
 * secrets: URLs end up in logs, shell histories and process lists. A value that may be a secret is never repeated in a
 * failure.
 */

import { refuse } from "../../disk/errors.ts";
import type { Environment } from "../../store/open_store.ts";

/** A place on an object store. */
export interface StoreAddress {
  /**
   * The URL with the parameters that name the place only (`endpoint`), in one spelling: equal for all URLs of one store.
   * It appears in failures, and caches are kept by it.
   */
  place: string;
  bucket: string;
  /** Of each key: empty, or ends in `/`. */
  prefix: string;
  /** `https://host:port`; undefined for AWS. */
  endpoint: string | undefined;
  /** Undefined: that of the environment or profile. */
  region: string | undefined;
  /** Whether the bucket is in the path instead of the host name. Default: for any endpoint but AWS's. */
  isPathStyle: boolean;
  /** Encryption by the server: its name in S3, and the id of a key for `aws:kms`. */
  encryption: { algorithm: "AES256" | "aws:kms"; keyId?: string | undefined } | undefined;
}

const PARAMETERS = ["endpoint", "region", "path-style", "sse", "insecure-http"] as const;
type Parameter = typeof PARAMETERS[number];

/** Words in the names of parameters by which people try to pass secrets. */
const SECRET_WORDS = /key|secret|token|password|credential|signature|^x-amz-/i;

const FORM = "s3://BUCKET/PREFIX?endpoint=…&region=…&path-style=1&sse=…";
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX_PART = /^[A-Za-z0-9._-]+$/;
const MAX_PREFIX_CHARS = 512;

/** Whether `written` is the URL of a shared store, valid or not, and not a directory. */
export function isStoreUrl(written: string): boolean {
  return /^s3:\/\//i.test(written);
}

/**
 * Parses the URL of a shared store. Without an endpoint in it, that of AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL in `env`
 * counts. Throws `invalid_parameter`, whose field is `field` ("--store").
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseStoreUrl } from "./store_url.ts";
 * const { bucket, prefix, place } = parseStoreUrl("s3://team/ci/?region=eu-west-1", "--store");
 * assertEquals([bucket, prefix, place], ["team", "ci/", "s3://team/ci"]);
 * ```
 */
export function parseStoreUrl(written: string, field: string, env: Environment = {}): StoreAddress {
  if (/^[a-z][\w+.-]*:\/\//i.test(written) && !isStoreUrl(written)) {
    refuse(field, written.replace(/\/\/[^/@]*@/, "//…@").replace(/\?.*/s, "?…"), `a directory, or ${FORM}`);
  }
  const [, authority = "", path = "", , query = "", fragment] =
    /^s3:\/\/([^/?#]*)([^?#]*)(\?([^#]*))?(#.*)?$/is.exec(written) ?? [];
  if (authority.includes("@")) refuseSecret(field, written.slice(0, 5) + "…@…");
  if (fragment !== undefined) refuse(field, fragment, `${FORM}, without #`);
  if (!BUCKET.test(authority) || authority.includes("..")) {
    refuse(
      field,
      authority || written.replace(/[:?@].*/s, "…"),
      `a bucket of 3 to 63 of a-z 0-9 . -, as in ${FORM}`,
    );
  }
  const prefix = parsePrefix(path, field);
  const parameters = parseParameters(query, field);
  const mayBePlain = parseFlag(parameters, "insecure-http", field) === true;
  const named = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined;
  const endpoint = parseEndpoint(parameters.get("endpoint") ?? named, field, mayBePlain);
  const region = parameters.get("region");
  if (region !== undefined && !/^[A-Za-z0-9-]{1,64}$/.test(region)) {
    refuse(`region of ${field}`, region, "a region such as eu-west-1");
  }
  return {
    place: `s3://${authority}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`}${
      endpoint === undefined ? "" : `?endpoint=${endpoint}`
    }`,
    bucket: authority,
    prefix,
    endpoint,
    region,
    isPathStyle: parseFlag(parameters, "path-style", field) ??
      // A bucket with a dot is not covered by the certificate of the virtual hosts.
      (endpoint !== undefined || authority.includes(".")),
    encryption: parseEncryption(parameters.get("sse"), field),
  };
}

function parsePrefix(path: string, field: string): string {
  const trimmed = path.replace(/^\//, "").replace(/\/$/, "");
  if (trimmed === "") return "";
  const isValid = trimmed.length <= MAX_PREFIX_CHARS &&
    trimmed.split("/").every((part) => PREFIX_PART.test(part) && part !== "." && part !== "..");
  if (!isValid) refuse(field, path, `a prefix of A-Z a-z 0-9 . _ - and single /, as in ${FORM}`);
  return `${trimmed}/`;
}

function parseParameters(query: string, field: string): Map<Parameter, string> {
  const parameters = new Map<Parameter, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = PARAMETERS.find((parameter) => parameter === name);
    if (known === undefined) {
      if (SECRET_WORDS.test(name)) refuseSecret(field, `${name}=…`);
      refuse(`parameter of ${field}`, name, `one of ${PARAMETERS.join(", ")}`);
    }
    if (parameters.has(known)) refuse(`parameter of ${field}`, name, "each parameter once");
    if (value === "") refuse(`${name} of ${field}`, value, "a value");
    parameters.set(known, value);
  }
  return parameters;
}

/** Returns scheme, host and port. */
function parseEndpoint(written: string | undefined, field: string, mayBePlain: boolean): string | undefined {
  if (written === undefined) return undefined;
  const named = `endpoint of ${field}`;
  const wanted = "https://HOST or https://HOST:PORT";
  if (!URL.canParse(written)) refuse(named, written.includes("@") ? "…@…" : written, wanted);
  const url = new URL(written);
  if (url.username !== "" || url.password !== "" || written.includes("@")) {
    refuseSecret(field, "endpoint=…@…");
  }
  const isBare = url.pathname === "/" && url.search === "" && url.hash === "" && !/[?#]/.test(written);
  if ((url.protocol !== "https:" && url.protocol !== "http:") || !isBare) refuse(named, written, wanted);
  if (isPrivateConnection(url) || mayBePlain && isPrivateHost(url.hostname)) return url.origin;
  const plain =
    "plain http only to localhost, 127.0.0.1 or [::1], and with insecure-http=1 within a private network";
  return refuse(named, url.origin, `https:// (${plain})`);
}

/** Addresses of RFC 1918 and RFC 4193, and names that only a private network knows. */
function isPrivateHost(host: string): boolean {
  return /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host) || /^\[f[cd]/.test(host) ||
    /(?:^|\.)(?:svc|svc\.cluster\.local|local|internal)$/.test(host) || /^[a-z0-9_-]+$/.test(host);
}

/** Whether connections to `url` are encrypted or stay on this host. Requests carry content and signatures. */
export function isPrivateConnection({ protocol, hostname }: URL): boolean {
  // `URL` writes all forms of IPv4 addresses as four decimal numbers.
  return protocol === "https:" ||
    (protocol === "http:" && /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname));
}

function parseFlag(
  parameters: ReadonlyMap<Parameter, string>,
  name: Parameter,
  field: string,
): boolean | undefined {
  const written = parameters.get(name);
  if (written === undefined) return undefined;
  if (written === "1" || written === "true") return true;
  if (written === "0" || written === "false") return false;
  return refuse(`${name} of ${field}`, written, "1 or 0");
}

function parseEncryption(written: string | undefined, field: string): StoreAddress["encryption"] {
  if (written === undefined) return undefined;
  if (written === "AES256" || written === "aws:kms") return { algorithm: written };
  const keyId = /^aws:kms:([\w:/-]{1,256})$/.exec(written)?.[1];
  if (keyId === undefined) refuse(`sse of ${field}`, written, "AES256, aws:kms or aws:kms:KEY-ID");
  return { algorithm: "aws:kms", keyId };
}

function refuseSecret(field: string, got: string): never {
  return refuse(
    field,
    got,
    "a URL without credentials (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE)",
  );
}
