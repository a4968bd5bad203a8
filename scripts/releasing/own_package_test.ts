// Promise: a publisher sets the repository once, in package.json, and every link of what is published follows from it.

import { assertEquals, assertThrows } from "@std/assert";
import { imageLabels } from "./container_file.ts";
import { type OwnPackage, pageFields } from "./own_package.ts";

const OWN: OwnPackage = {
  name: "a",
  version: "1.0.0",
  description: "b",
  license: "MIT",
  keywords: [],
  dependencies: {},
};

Deno.test("without a repository no page is named", () => {
  assertEquals(pageFields(OWN), {});
  assertEquals(imageLabels(OWN)["org.opencontainers.image.source"], undefined);
});

Deno.test("repository, homepage and bugs follow from one address, however it is written", () => {
  const url = "https://github.com/someone/fdtool";
  for (const repository of [url, `${url}.git`, `${url}/`, { type: "git", url: `git+${url}.git` }]) {
    const own = { ...OWN, repository };
    assertEquals(pageFields(own), {
      homepage: `${url}#readme`,
      repository: { type: "git", url: `git+${url}.git` },
      bugs: { url: `${url}/issues` },
    });
    assertEquals(imageLabels(own)["org.opencontainers.image.source"], url);
    assertEquals(imageLabels(own)["org.opencontainers.image.url"], `${url}#readme`);
  }
});

Deno.test("a homepage of its own wins, and an unknown host gets no page of issues", () => {
  const own = { ...OWN, repository: "https://git.example.org/fdtool", homepage: "https://example.org" };
  assertEquals(pageFields(own), {
    homepage: "https://example.org",
    repository: { type: "git", url: "git+https://git.example.org/fdtool.git" },
  });
});

Deno.test("a repository without an https address and a label that would end early are refused", () => {
  assertThrows(() => pageFields({ ...OWN, repository: "git@example.org:fdtool" }), Error, "https");
  assertThrows(() => imageLabels({ ...OWN, description: 'a "b"' }), Error, "label");
});
