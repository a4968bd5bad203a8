// Promise: a URL names one place, holds no secrets, and whatever it says is either obeyed or refused by name.

import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { anyChar } from "../../../tests/contents.ts";
import { FdError } from "../../disk/errors.ts";
import { isStoreUrl, parseStoreUrl } from "./store_url.ts";

function failureOf(url: string) {
  const { failure } = assertThrows(() => parseStoreUrl(url, "--store"), FdError);
  assert(failure.kind === "invalid_parameter", failure.kind);
  return failure;
}

Deno.test("a URL's parts, with defaults for AWS and for other endpoints", () => {
  assertEquals(parseStoreUrl("s3://team-ci", "--store"), {
    place: "s3://team-ci",
    bucket: "team-ci",
    prefix: "",
    endpoint: undefined,
    region: undefined,
    isPathStyle: false,
    encryption: undefined,
  });
  const kms = "arn%3Aaws%3Akms%3Aeu-west-1%3A111%3Akey/a-b";
  assertEquals(
    parseStoreUrl(
      `s3://b.c.d/x/y/?region=auto&endpoint=https%3A%2F%2FEXAMPLE.com:443%2F&path-style=0&sse=aws:kms:${kms}`,
      "--store",
    ),
    {
      place: "s3://b.c.d/x/y?endpoint=https://example.com",
      bucket: "b.c.d",
      prefix: "x/y/",
      endpoint: "https://example.com",
      region: "auto",
      isPathStyle: false,
      encryption: { algorithm: "aws:kms", keyId: "arn:aws:kms:eu-west-1:111:key/a-b" },
    },
  );
  assertEquals(parseStoreUrl("s3://b.c.d", "--store").isPathStyle, true, "no certificate covers a.b.s3.…");
  assertEquals(parseStoreUrl("s3://bcd?endpoint=http://127.0.0.1:7070", "--store").isPathStyle, true);
});

Deno.test("plain http goes to this host only", () => {
  for (const host of ["localhost:1", "127.0.0.1", "127.9.9.9:80", "[::1]:9000", "0x7f.1"]) {
    assert(
      parseStoreUrl(`s3://bcd?endpoint=http://${host}`, "--store").endpoint?.startsWith("http://"),
      host,
    );
  }
  for (const host of ["example.com", "10.0.0.1", "localhost.example.com", "127.0.0.1.nip.io", "[::2]"]) {
    assertEquals(failureOf(`s3://bcd?endpoint=http://${host}`).field, "endpoint of --store", host);
  }
});

Deno.test("with insecure-http=1 plain http goes to private networks too, and no further", () => {
  const parse = (host: string) =>
    parseStoreUrl(`s3://bcd?endpoint=http://${host}&insecure-http=1`, "--store").endpoint;
  for (
    const host of [
      "10.1.2.3:9000",
      "172.20.0.1",
      "192.168.0.9",
      "[fd00::1]",
      "minio.ci.svc",
      "nas.local",
      "minio",
    ]
  ) {
    assertEquals(parse(host), `http://${host}`);
  }
  for (const host of ["example.com", "172.32.0.1", "11.0.0.1", "10.evil.com", "minio.svc.com", "[2001::1]"]) {
    assertEquals(
      failureOf(`s3://bcd?endpoint=http://${host}&insecure-http=1`).field,
      "endpoint of --store",
      host,
    );
  }
});

Deno.test("the endpoint of AWS's variables counts for a URL without one, by the same rules", () => {
  const env = { AWS_ENDPOINT_URL: "https://all.example", AWS_ENDPOINT_URL_S3: "https://s3.example" };
  assertEquals(parseStoreUrl("s3://bcd", "--store", env).place, "s3://bcd?endpoint=https://s3.example");
  assertEquals(
    parseStoreUrl("s3://bcd?endpoint=https://own.example", "--store", env).endpoint,
    "https://own.example",
  );
  assertEquals(
    parseStoreUrl("s3://bcd", "--store", { AWS_ENDPOINT_URL: env.AWS_ENDPOINT_URL }).endpoint,
    "https://all.example",
  );
  assertThrows(
    () => parseStoreUrl("s3://bcd", "--store", { AWS_ENDPOINT_URL: "http://example.com" }),
    FdError,
  );
});

Deno.test("a URL with credentials is refused, and the failure does not repeat them", () => {
  const secrets = [
    "s3://AKIAXX:hunter22@bucket/p",
    "s3://hunter22@bucket",
    "https://k:hunter22@example.com",
    "s3://bucket?access_key=hunter22",
    "s3://bucket?secretAccessKey=hunter22",
    "s3://bucket?session-token=hunter22",
    "s3://bucket?X-Amz-Signature=hunter22",
    "s3://bucket?endpoint=https://k:hunter22@example.com",
    "s3://bucket?endpoint=hunter22@example.com",
    "s3://bucket?endpoint=https%3A%2F%2Fhunter22%40example.com",
    "s3://bucket?nonsense=hunter22",
  ];
  for (const url of secrets) assert(!JSON.stringify(failureOf(url)).includes("hunter22"), url);
});

Deno.test("what a URL cannot say is refused by name", () => {
  const refused: [string, string, string][] = [
    ["s3://", "--store", "s3…"],
    ["/tmp/store", "--store", "/tmp/store"],
    ["s3://Bucket", "--store", "Bucket"],
    ["s3://a..b", "--store", "a..b"],
    ["s3://bucket/a//b", "--store", "/a//b"],
    ["s3://bucket/../b", "--store", "/../b"],
    ["s3://bucket/a%2fb", "--store", "/a%2fb"],
    ["s3://bucket/ä", "--store", "/ä"],
    ["s3://bucket/a#b", "--store", "#b"],
    ["s3://bucket?acl=public", "parameter of --store", "acl"],
    ["s3://bucket?region=a&region=b", "parameter of --store", "region"],
    ["s3://bucket?region=", "region of --store", ""],
    ["s3://bucket?region=a%20b", "region of --store", "a b"],
    ["s3://bucket?region=%zz", "region of --store", "%zz"],
    ["s3://bucket?path-style=maybe", "path-style of --store", "maybe"],
    ["s3://bucket?sse=none", "sse of --store", "none"],
    ["s3://bucket?endpoint=example.com", "endpoint of --store", "example.com"],
    ["s3://bucket?endpoint=ftp://example.com", "endpoint of --store", "ftp://example.com"],
    ["s3://bucket?endpoint=https://example.com/s3", "endpoint of --store", "https://example.com/s3"],
  ];
  for (const [url, field, got] of refused) {
    const failure = failureOf(url);
    assertEquals([failure.field, failure.got], [field, got], url);
  }
});

const part = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,9}$/);
const bucket = fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,20}[a-z0-9]$/);

Deno.test("property: equal places have equal names, whatever the spelling and the other parameters", () => {
  fc.assert(fc.property(
    bucket,
    fc.array(part, { maxLength: 3 }),
    fc.option(fc.constantFrom("https://s3.example.com", "http://127.0.0.1:9000"), { nil: undefined }),
    fc.shuffledSubarray(["region=eu-1", "path-style=1", "sse=AES256"]),
    fc.boolean(),
    (name, parts, endpoint, others, slash) => {
      const parameters = [...others, ...endpoint === undefined ? [] : [`endpoint=${endpoint}`]];
      const url = `s3://${[name, ...parts].join("/")}${slash ? "/" : ""}?${parameters.join("&")}`;
      const address = parseStoreUrl(url, "--store");
      assertEquals(address.bucket, name);
      assertEquals(address.prefix, parts.map((each) => `${each}/`).join(""));
      assertEquals(address.endpoint, endpoint);
      const again = parseStoreUrl(address.place, "--store");
      assertEquals([again.place, again.bucket, again.prefix], [address.place, name, address.prefix]);
      assertEquals(again.endpoint, endpoint);
    },
  ));
});

Deno.test("property: any text after s3:// is an address or an invalid_parameter", () => {
  fc.assert(fc.property(fc.string({ unit: anyChar }), (text) => {
    assert(isStoreUrl(`s3://${text}`));
    try {
      const { bucket, prefix } = parseStoreUrl(`s3://${text}`, "--store");
      assert(/^[a-z0-9.-]+$/.test(bucket) && /^([A-Za-z0-9._-]+\/)*$/.test(prefix));
    } catch (thrown) {
      assert(thrown instanceof FdError && thrown.failure.kind === "invalid_parameter", String(thrown));
    }
  }));
});
