// Promise: signatures are those of AWS. The cases and signatures are from AWS: the Signature Version 4 test suite, and the
// examples in "Authenticating Requests: Using the Authorization Header" of the S3 API reference.

import { assertEquals } from "@std/assert";
import {
  canonicalQuery,
  EMPTY_SHA256,
  sha256Hex,
  signRequest,
  type UnsignedRequest,
} from "./sign_request.ts";

const SUITE = {
  credentials: {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  },
  region: "us-east-1",
  service: "service",
  nowMs: Date.UTC(2015, 7, 30, 12, 36, 0),
};
const S3 = {
  credentials: {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  },
  region: "us-east-1",
  service: "s3",
  nowMs: Date.UTC(2013, 4, 24),
};

async function signatureOf(request: Partial<UnsignedRequest>, scope: typeof SUITE): Promise<string> {
  const headers = await signRequest({
    method: "GET",
    host: "example.amazonaws.com",
    path: "/",
    query: "",
    headers: {},
    bodySha256: EMPTY_SHA256,
    ...request,
  }, scope);
  return /Signature=([0-9a-f]{64})$/.exec(headers["authorization"]!)![1]!;
}

Deno.test("signatures of the Signature Version 4 test suite", async () => {
  const cases: [string, Partial<UnsignedRequest>, string][] = [
    ["get-vanilla", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    ["post-vanilla", { method: "POST" }, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    [
      "get-vanilla-query-order-key-case",
      { query: canonicalQuery({ Param2: "value2", Param1: "value1" }) },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "get-vanilla-query-unreserved",
      {
        query: canonicalQuery({
          "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz":
            "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        }),
      },
      "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    ],
    [
      "get-vanilla-utf8-query",
      { query: canonicalQuery({ "ሴ": "bar" }) },
      "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ],
    [
      "post-header-key-sort",
      { method: "POST", headers: { "my-header1": "value1" } },
      "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ],
    [
      "post-x-www-form-urlencoded",
      {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        bodySha256: await sha256Hex(new TextEncoder().encode("Param1=value1")),
      },
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ];
  for (const [name, request, signature] of cases) {
    assertEquals(await signatureOf(request, SUITE), signature, name);
  }
});

Deno.test("signatures of the examples of S3", async () => {
  const host = "examplebucket.s3.amazonaws.com";
  const body = await sha256Hex(new TextEncoder().encode("Welcome to Amazon S3."));
  const cases: [Partial<UnsignedRequest>, string][] = [
    [
      { path: "/test.txt", headers: { range: "bytes=0-9", "x-amz-content-sha256": EMPTY_SHA256 } },
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      {
        method: "PUT",
        path: "/test%24file.text",
        headers: {
          date: "Fri, 24 May 2013 00:00:00 GMT",
          "x-amz-content-sha256": body,
          "x-amz-storage-class": "REDUCED_REDUNDANCY",
        },
        bodySha256: body,
      },
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    [
      {
        query: canonicalQuery({ prefix: "J", "max-keys": "2" }),
        headers: { "x-amz-content-sha256": EMPTY_SHA256 },
      },
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ];
  for (const [request, signature] of cases) {
    assertEquals(await signatureOf({ host, ...request }, S3), signature);
  }
});

Deno.test("the date, the scope, the signed headers and a session token are sent", async () => {
  const headers = await signRequest(
    {
      method: "GET",
      host: "h",
      path: "/",
      query: "",
      headers: { "if-match": '"e"' },
      bodySha256: EMPTY_SHA256,
    },
    { ...S3, credentials: { ...S3.credentials, sessionToken: "t" } },
  );
  assertEquals(headers["x-amz-date"], "20130524T000000Z");
  assertEquals(headers["x-amz-security-token"], "t");
  assertEquals(headers["if-match"], '"e"');
  assertEquals(
    headers["authorization"]!.replace(/[0-9a-f]{64}$/, "…"),
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
      "SignedHeaders=host;if-match;x-amz-date;x-amz-security-token, Signature=…",
  );
});
