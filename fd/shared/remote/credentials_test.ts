// Promise: credentials are found where AWS's own tools find them, in their order; temporary ones are kept privately and
// renewed before they end, or when the store says that they ended.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { credentialSource } from "./credentials.ts";
import { CredentialsError } from "./environment_credentials.ts";
import { openObjectStore } from "./open_object_store.ts";
import { parseStoreUrl } from "./store_url.ts";

const HOUR_MS = 3_600_000;
const after = (ms: number) => new Date(Date.now() + ms).toISOString();

/** A home directory with AWS's files, and an environment in which nothing else is. */
function makeHome(files: Readonly<Record<string, string>>) {
  const home = Deno.makeTempDirSync({ prefix: "fdtool-home-" });
  Deno.mkdirSync(`${home}/.aws`);
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${home}/${name}`, text);
  return {
    home,
    env: { HOME: home, PATH: "/usr/bin:/bin", AWS_EC2_METADATA_DISABLED: "true" } as Record<string, string>,
    [Symbol.dispose]: () => Deno.removeSync(home, { recursive: true }),
  };
}

/** A server on this host that answers as `answer` does, and remembers what it was asked. */
function serve(answer: (request: Request, body: string) => Response | Promise<Response>) {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return await answer(request, body);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function found(env: Record<string, string>, cacheDirectory?: string) {
  return await credentialSource(env, cacheDirectory)(false);
}

async function reasonOf(env: Record<string, string>): Promise<string> {
  return (await assertRejects(() => found(env), CredentialsError)).message;
}

function credentialsXml(action: string, id: string): string {
  return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>` +
    `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t&amp;</SessionToken>` +
    `<Expiration>${after(HOUR_MS)}</Expiration></Credentials></${action}Result></${action}Response>`;
}

Deno.test("the environment goes before a profile; half of a pair is refused", async () => {
  using world = makeHome({ ".aws/credentials": "[default]\naws_access_key_id=P\naws_secret_access_key=s\n" });
  const env = { ...world.env, AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "x", AWS_SESSION_TOKEN: "t" };
  assertEquals(await found(env), { accessKeyId: "E", secretAccessKey: "x", sessionToken: "t" });
  assertEquals((await found(world.env)).accessKeyId, "P");
  const { AWS_SECRET_ACCESS_KEY: _, ...half } = env;
  assertStringIncludes(await reasonOf(half), "AWS_SECRET_ACCESS_KEY is not");
  assertStringIncludes(await reasonOf({ ...world.env, AWS_PROFILE: "none" }), 'no profile "none"');
});

Deno.test("profiles are read from both files, with comments, spaces and nested settings", async () => {
  using world = makeHome({
    ".aws/config": "# comment\n[default]\nregion=eu-1\n[profile  ci]\n" +
      "s3 =\n  aws_access_key_id = nested\naws_access_key_id = from-config\naws_secret_access_key = a=b # comment\n",
    ".aws/credentials": "[ci]\naws_access_key_id=from-credentials\n[other]\naws_access_key_id=no\n",
  });
  const { accessKeyId, secretAccessKey } = await found({ ...world.env, AWS_PROFILE: "ci" });
  assertEquals([accessKeyId, secretAccessKey], ["from-credentials", "a=b"]);
  const moved = {
    ...world.env,
    HOME: "/nonexistent",
    AWS_CONFIG_FILE: `${world.home}/.aws/config`,
    AWS_PROFILE: "ci",
  };
  assertEquals((await found(moved)).accessKeyId, "from-config");
});

Deno.test("credential_process is run, kept in a private file, and run again when its keys end", async () => {
  using world = makeHome({});
  const script = (endsAt: string) =>
    `#!/bin/sh\necho x >>${world.home}/runs\n` +
    `echo '{"Version":1,"AccessKeyId":"K'$(wc -l <${world.home}/runs)'","SecretAccessKey":"s","SessionToken":"t"${endsAt}}'\n`;
  Deno.writeTextFileSync(
    `${world.home}/.aws/config`,
    `[default]\ncredential_process = sh ${world.home}/give 'a b'\n`,
  );
  const give = (endsAt: string) => Deno.writeTextFileSync(`${world.home}/give`, script(endsAt));
  const runs = () => Deno.readTextFileSync(`${world.home}/runs`).length / 2;
  const cache = `${world.home}/cache/x`;

  give(`,"Expiration":"${after(HOUR_MS)}"`);
  assertEquals((await found(world.env, cache)).accessKeyId.trim(), "K1");
  assertEquals((await found(world.env, cache)).accessKeyId, "K1", "kept for the next call");
  const [{ name }] = [...Deno.readDirSync(cache)] as [Deno.DirEntry];
  assertEquals((Deno.statSync(`${cache}/${name}`).mode ?? 0) & 0o777, 0o600);
  assertEquals((Deno.statSync(cache).mode ?? 0) & 0o777, 0o700);
  assertEquals((await credentialSource(world.env, cache)(true)).accessKeyId, "K2", "renewed on demand");
  assertEquals((await found(world.env, cache)).accessKeyId, "K2");
  Deno.writeTextFileSync(`${cache}/${name}`, "{broken");
  assertEquals((await found(world.env, cache)).accessKeyId, "K3", "a damaged file is as good as none");
  assertEquals((await found(world.env)).accessKeyId, "K4", "without a cache nothing is kept");

  // Keys that end soon are replaced; if that fails, they are used to their end.
  give(`,"Expiration":"${after(60_000)}"`);
  assertEquals((await credentialSource(world.env, cache)(true)).accessKeyId, "K5");
  const source = credentialSource(world.env, cache);
  assertEquals((await source(false)).accessKeyId, "K6");
  assertEquals((await source(false)).accessKeyId, "K7", "also within a process");
  Deno.writeTextFileSync(`${world.home}/give`, "exit 3");
  assertEquals((await found(world.env, cache)).accessKeyId, "K7");
  assertStringIncludes(await reasonOf(world.env), "credential_process failed (3)");
  Deno.writeTextFileSync(`${world.home}/give`, 'echo \'{"AccessKeyId":"A"}\'');
  assertStringIncludes(await reasonOf(world.env), "no valid credentials");
  assertEquals(runs(), 7);
});

Deno.test("a role is assumed with the keys of its source profile", async () => {
  await using sts = serve((request, body) => {
    const form = new URLSearchParams(body);
    assertEquals(form.get("RoleArn"), "arn:aws:iam::1:role/r");
    assertEquals(form.get("ExternalId"), "x y");
    assertStringIncludes(request.headers.get("authorization") ?? "", "Credential=BASE/");
    assertStringIncludes(request.headers.get("authorization") ?? "", "/eu-1/sts/aws4_request");
    return new Response(credentialsXml(form.get("Action")!, "ROLE"));
  });
  using world = makeHome({
    ".aws/config":
      "[profile r]\nrole_arn=arn:aws:iam::1:role/r\nsource_profile=base\nexternal_id=x y\nregion=eu-1\n" +
      "[profile base]\naws_access_key_id=BASE\naws_secret_access_key=s\n" +
      "[profile own]\nrole_arn=arn:aws:iam::1:role/r\nsource_profile=own\nexternal_id=x y\nregion=eu-1\n" +
      "aws_access_key_id=BASE\naws_secret_access_key=s\n" +
      "[profile a]\nrole_arn=arn:x\nsource_profile=b\n[profile b]\nrole_arn=arn:x\nsource_profile=a\n" +
      "[profile mfa]\nrole_arn=arn:x\nsource_profile=base\nmfa_serial=1\n" +
      "[profile sso]\nsso_session=x\n",
  });
  const env = { ...world.env, AWS_ENDPOINT_URL_STS: sts.url };
  for (const AWS_PROFILE of ["r", "own"]) {
    const credentials = await found({ ...env, AWS_PROFILE });
    assertEquals([credentials.accessKeyId, credentials.sessionToken], ["ROLE", "t&"]);
    assert(credentials.expiresAtMs! > Date.now());
  }
  assertStringIncludes(await reasonOf({ ...env, AWS_PROFILE: "a" }), "depend on each other");
  assertStringIncludes(await reasonOf({ ...env, AWS_PROFILE: "mfa" }), "mfa_serial");
  assertStringIncludes(
    await reasonOf({ ...env, AWS_PROFILE: "sso" }),
    "aws configure export-credentials --profile sso",
  );
  const plain = { ...env, AWS_PROFILE: "r", AWS_ENDPOINT_URL_STS: "http://sts.example.com" };
  assertStringIncludes(await reasonOf(plain), "not https://");
});

Deno.test("a web identity's token is exchanged without a signature", async () => {
  await using sts = serve((request, body) => {
    const form = new URLSearchParams(body);
    assertEquals([form.get("WebIdentityToken"), form.get("RoleSessionName")], ["the token", "job"]);
    assertEquals(request.headers.get("authorization"), null);
    return new Response(credentialsXml("AssumeRoleWithWebIdentity", "WEB"));
  });
  using world = makeHome({ token: "the token\n" });
  const env = {
    ...world.env,
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_WEB_IDENTITY_TOKEN_FILE: `${world.home}/token`,
    AWS_ROLE_ARN: "arn:aws:iam::1:role/r",
    AWS_ROLE_SESSION_NAME: "job",
  };
  assertEquals((await found(env)).accessKeyId, "WEB");
  const missing = { ...env, AWS_WEB_IDENTITY_TOKEN_FILE: "/nonexistent" };
  assertStringIncludes(await reasonOf(missing), "cannot read the web identity token");
});

Deno.test("a container's service is asked with its token, and no other host over plain http", async () => {
  const json = { AccessKeyId: "C", SecretAccessKey: "s", Token: "t", Expiration: after(HOUR_MS) };
  await using service = serve((request) =>
    request.headers.get("authorization") === "secret"
      ? Response.json(json)
      : new Response("", { status: 403 })
  );
  using world = makeHome({ token: "secret\n" });
  const env = { ...world.env, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.url}/get` };
  const { accessKeyId, sessionToken } = await found({
    ...env,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: `${world.home}/token`,
  });
  assertEquals([accessKeyId, sessionToken], ["C", "t"]);
  assertStringIncludes(await reasonOf(env), "answered 403");
  const elsewhere = { ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://10.0.0.1/get" };
  assertStringIncludes(await reasonOf(elsewhere), "may not be used");
});

Deno.test("an instance is asked with a session token (IMDSv2), last of all", async () => {
  const json = {
    Code: "Success",
    AccessKeyId: "I",
    SecretAccessKey: "s",
    Token: "t",
    Expiration: after(HOUR_MS),
  };
  await using service = serve((request) => {
    if (request.method === "PUT") return new Response("session");
    if (request.headers.get("x-aws-ec2-metadata-token") !== "session") {
      return new Response("", { status: 401 });
    }
    return request.url.endsWith("/security-credentials/") ? new Response("my-role\n") : Response.json(json);
  });
  using world = makeHome({});
  const env: Record<string, string> = { ...world.env, AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url };
  assertStringIncludes(await reasonOf(env), "set AWS_ACCESS_KEY_ID");
  delete env["AWS_EC2_METADATA_DISABLED"];
  assertEquals((await found(env)).accessKeyId, "I");
  assertEquals(service.asked, [
    "PUT /latest/api/token",
    "GET /latest/meta-data/iam/security-credentials/",
    "GET /latest/meta-data/iam/security-credentials/my-role",
  ]);
});

Deno.test("keys that end in the middle are fetched again once, and the request is repeated", async () => {
  const ended = new Set<string>();
  await using server = serve((request) => {
    const key = /Credential=(\w+)\//.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    if (!ended.has(key)) {
      return new Response("", { headers: { etag: '"e"', date: new Date().toUTCString() } });
    }
    return new Response("<Error><Code>ExpiredToken</Code></Error>", { status: 400 });
  });
  using world = makeHome({});
  const give =
    `echo x >>${world.home}/runs; echo "{\\"AccessKeyId\\":\\"K$(grep -c x ${world.home}/runs)\\",` +
    `\\"SecretAccessKey\\":\\"s\\",\\"SessionToken\\":\\"t\\",\\"Expiration\\":\\"${after(HOUR_MS)}\\"}"`;
  Deno.writeTextFileSync(`${world.home}/give`, give);
  Deno.writeTextFileSync(
    `${world.home}/.aws/config`,
    `[default]\ncredential_process = sh ${world.home}/give\n`,
  );
  const address = parseStoreUrl(`s3://bucket?endpoint=${server.url}&sse=aws:kms:key-1`, "--store");
  const store = openObjectStore(address, { env: world.env, cacheDirectory: `${world.home}/cache` });
  await store.put("data/0", new Uint8Array(9));
  ended.add("K1");
  await store.put("data/1", new Uint8Array(9));
  assertEquals(server.asked, ["PUT /bucket/data/0", "PUT /bucket/data/1", "PUT /bucket/data/1"]);
  for (let key = 2; key < 9; key++) ended.add(`K${key}`);
  await assertRejects(() => store.put("data/2", new Uint8Array(9)), Error, "store_denied");
  assertEquals(server.asked.length, 5, "no more than once");
});

Deno.test("conditions, encryption and the real sum of the body are sent and signed", async () => {
  let headers = new Headers();
  await using server = serve((request) => {
    headers = request.headers;
    return new Response("", { headers: { etag: '"e"', date: new Date().toUTCString() } });
  });
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  const address = parseStoreUrl(`s3://bucket?endpoint=${server.url}&region=r-1&sse=aws:kms:key-1`, "--store");
  const store = openObjectStore(address, { env });
  await store.create("k", new TextEncoder().encode("Welcome to Amazon S3."));
  assertEquals(headers.get("if-none-match"), "*");
  assertEquals(headers.get("x-amz-server-side-encryption"), "aws:kms");
  assertEquals(headers.get("x-amz-server-side-encryption-aws-kms-key-id"), "key-1");
  assertEquals(
    headers.get("x-amz-content-sha256"),
    "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
  );
  assertStringIncludes(headers.get("authorization")!, "/r-1/s3/aws4_request");
  assertStringIncludes(
    headers.get("authorization")!,
    "SignedHeaders=content-type;host;if-none-match;x-amz-content",
  );
  await store.replace("k", new Uint8Array(1), "abc");
  assertEquals(headers.get("if-match"), '"abc"');
});
