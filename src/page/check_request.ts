/**
 * Decides which requests the page's server answers. Other users of the machine and other web sites can reach its port, so
 * each request needs the token, and the address that was printed: a site whose name was pointed at 127.0.0.1 sends its
 * own name as host.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Sent with every response. Content is shown as text only; the browser enforces that nothing else is possible. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Cache-Control": "no-store",
};

/** The header that a changing request must repeat the token in: a form or a link of another site cannot set it. */
const TOKEN_HEADER = "x-fdtool-token";

/** A longer address is refused before it is looked at. */
const MAX_URL_CHARS = 16_384;

/** The server's address and secret. */
interface ServedAt {
  port: number;
  token: string;
}

/** An allowed request: what is asked for below the token, and its parameters. */
export interface AllowedRequest {
  method: "GET" | "POST";
  /** Without a slash at the start: "", "page.css", "api/lines". */
  path: string;
  query: URLSearchParams;
}

/** Checks where a request comes from and what it may do; returns why it is refused, if it is. */
export function checkRequest(request: IncomingMessage, served: ServedAt): AllowedRequest | UiFault {
  const { headers, method, url = "" } = request;
  const origins = [`127.0.0.1:${served.port}`, `localhost:${served.port}`];
  const host = headers.host;
  if (host === undefined || !origins.includes(host)) {
    return new UiFault(421, "This server answers only under the address that fdtool printed.");
  }
  if (url.length > MAX_URL_CHARS) return new UiFault(414, "The address is too long.");
  const [, token = "", ...rest] = (url.split("?", 1)[0] ?? "").split("/");
  if (!isSame(token, served.token)) return new UiFault(403, "The token is missing or wrong.");
  const path = rest.join("/");
  const isCall = path.startsWith("api/");
  // Browsers say where a request comes from; a program such as curl does not.
  const site = headers["sec-fetch-site"];
  const isForeign = headers.origin !== undefined && headers.origin !== `http://${host}` ||
    isCall && site !== undefined && site !== "same-origin" && site !== "none";
  if (isForeign) return new UiFault(403, "Another site may not call this server.");
  if (method !== "GET" && method !== "POST") return new UiFault(405, "Only GET and POST are answered.");
  if (method === "POST") {
    const repeated = headers[TOKEN_HEADER];
    if (typeof repeated !== "string" || !isSame(repeated, served.token)) {
      return new UiFault(403, `The header ${TOKEN_HEADER} is missing or wrong.`);
    }
  }
  return { method, path, query: new URLSearchParams(url.slice(url.indexOf("?") + 1 || url.length)) };
}

/** Compares without telling by its time how much is right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** A request of the page that cannot be answered as it is. */
export class UiFault extends Error {
  override readonly name = "UiFault";
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Reads a whole number from a query. Without the parameter, returns `otherwise`, or refuses if that is undefined. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise?: number | undefined },
): number {
  const written = query.get(name);
  if (written === null && otherwise !== undefined) return otherwise;
  const number = written !== null && /^[0-9]{1,16}$/.test(written) ? Number(written) : NaN;
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new UiFault(400, `Invalid ${name} ${JSON.stringify(written)}: expected ${least} to ${most}`);
}

/** Reads a text from a query; refuses if it is missing. */
export function textIn(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text === null || text === "") throw new UiFault(400, `The parameter ${name} is missing.`);
  return text;
}
