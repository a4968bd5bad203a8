// Promise: requests go to the host, path and region that the URL and the environment say, and what will not change is
// reported once, with what to do.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FdError } from "../../disk/errors.ts";
import { openObjectStore } from "./open_object_store.ts";
import { parseStoreUrl } from "./store_url.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };

/** Sends `use`'s requests to `answer` instead of the network; returns what they were. */
async function withAnswers(
  url: string,
  env: Record<string, string>,
  answer: () => Response,
  use: (store: ReturnType<typeof openObjectStore>) => Promise<unknown>,
): Promise<{ url: string; region: string }[]> {
  const sent: { url: string; region: string }[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    const [, region = ""] = /Credential=a\/\d{8}\/([^/]+)\//.exec(headers.get("authorization") ?? "") ?? [];
    sent.push({ url: String(input), region });
    return Promise.resolve(answer());
  };
  try {
    await use(openObjectStore(parseStoreUrl(url, "--store"), { env: { ...KEYS, ...env } }));
  } finally {
    globalThis.fetch = fetch;
  }
  return sent;
}

const date = () => new Date().toUTCString();
const written = () => new Response("", { headers: { etag: '"e"', date: date() } });

Deno.test("the bucket is in the host name or the path, at AWS's endpoint of the region or at the URL's", async () => {
  const home = Deno.makeTempDirSync();
  Deno.mkdirSync(`${home}/.aws`);
  Deno.writeTextFileSync(`${home}/.aws/config`, "[profile p]\nregion = ap-south-1\n");
  const cases: [string, Record<string, string>, string, string][] = [
    ["s3://team/a/b?region=eu-west-1", {}, "https://team.s3.eu-west-1.amazonaws.com/a/b/k", "eu-west-1"],
    ["s3://team", {}, "https://team.s3.us-east-1.amazonaws.com/k", "us-east-1"],
    [
      "s3://team",
      { AWS_REGION: "eu-1", AWS_DEFAULT_REGION: "x" },
      "https://team.s3.eu-1.amazonaws.com/k",
      "eu-1",
    ],
    ["s3://team", { AWS_DEFAULT_REGION: "eu-2" }, "https://team.s3.eu-2.amazonaws.com/k", "eu-2"],
    [
      "s3://team",
      { HOME: home, AWS_PROFILE: "p" },
      "https://team.s3.ap-south-1.amazonaws.com/k",
      "ap-south-1",
    ],
    ["s3://team?region=cn-north-1", {}, "https://team.s3.cn-north-1.amazonaws.com.cn/k", "cn-north-1"],
    ["s3://te.am", {}, "https://s3.us-east-1.amazonaws.com/te.am/k", "us-east-1"],
    ["s3://team/p?path-style=1", {}, "https://s3.us-east-1.amazonaws.com/team/p/k", "us-east-1"],
    ["s3://team/p?endpoint=https://o.example:8443", {}, "https://o.example:8443/team/p/k", "us-east-1"],
    [
      "s3://team/p?endpoint=https://o.example&path-style=0&region=auto",
      { AWS_REGION: "x" },
      "https://team.o.example/p/k",
      "auto",
    ],
  ];
  try {
    for (const [url, env, to, region] of cases) {
      const sent = await withAnswers(url, env, written, (store) => store.put("k", new Uint8Array(1)));
      assertEquals(sent, [{ url: to, region }]);
    }
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("a bucket in another region, an absent date or etag, and odd answers are refused by name, and not repeated", async () => {
  const error = (status: number, code: string, headers = {}) => () =>
    new Response(`<Error><Code>${code}</Code></Error>`, { status, headers: { date: date(), ...headers } });
  const cases: [() => Response, string, string][] = [
    [
      error(301, "PermanentRedirect", { "x-amz-bucket-region": "eu-9" }),
      "store_denied",
      "301 PermanentRedirect; the bucket is in region=eu-9",
    ],
    [error(400, "AuthorizationHeaderMalformed"), "store_denied", "400 AuthorizationHeaderMalformed"],
    [error(403, "AccessDenied"), "store_denied", "403 AccessDenied"],
    [error(405, "MethodNotAllowed"), "store_unfit", "PUT was answered with 405 MethodNotAllowed"],
    [() => new Response("", { headers: { etag: '"e"' } }), "store_unfit", "PUT had no Date"],
    [() => new Response("", { headers: { date: date() } }), "store_unfit", "PUT returned no ETag"],
  ];
  for (const [answer, kind, words] of cases) {
    const sent = await withAnswers("s3://team", {}, answer, async (store) => {
      const { failure } = await assertRejects(() => store.put("k", new Uint8Array(1)), FdError);
      assertEquals(failure.kind, kind);
      assertStringIncludes(JSON.stringify(failure), words);
    });
    assertEquals(sent.length, 1, words);
  }
});

Deno.test("a range that is not the one asked for breaks the promise of ranges", async () => {
  const part = (range: string | undefined, body: string, status = 206) => () =>
    new Response(body, {
      status,
      headers: { date: date(), "last-modified": date(), etag: "e", ...range && { "content-range": range } },
    });
  const broken = [
    part(undefined, "0123456789", 200),
    part("bytes 0-3/10", "0123"),
    part("bytes 2-5/10", "234"),
    part("bytes 2-4/10", "234"),
    part("bytes 2-5/4", "2345"),
    part("bytes 2-5/*", "2345"),
  ];
  const range = { from: 2, byteCount: 4 };
  for (const answer of broken) {
    await withAnswers("s3://team", {}, answer, async (store) => {
      const { failure } = await assertRejects(() => store.get("k", range), FdError);
      assertEquals(failure.kind === "store_unfit" && failure.promise, "ranges");
    });
  }
  for (const [at, length] of [["bytes 2-5/10", 4], ["bytes 2-3/4", 2]] as const) {
    await withAnswers("s3://team", {}, part(at, "x".repeat(length)), async (store) => {
      const object = await store.get("k", range);
      assert(object !== null);
      assertEquals([object.bytes.length, object.etag], [length, "e"]);
    });
  }
});
