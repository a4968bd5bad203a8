import { assertEquals, assertThrows } from "@std/assert";
import { FdError } from "../../fd/mod.ts";
import { UsageError } from "../requests/usage_failure.ts";
import { captureOptions, captureWishes } from "./capture_options.ts";

Deno.test("without options the contract's defaults hold", () => {
  assertEquals(captureWishes("capture", {}, "page"), {
    thresholdChars: 8000,
    always: false,
    pageSize: 4000,
    name: undefined,
    source: undefined,
    preview: "page",
    previewChars: 4000,
    maxBytes: undefined,
    tee: false,
    durable: false,
    isPreviewAsked: false,
  });
});

Deno.test("a preview is as long as a page, unless its chars are given; a shorter page is a head", () => {
  const wishes = captureWishes("run", { "page-size": 100 }, "both");
  assertEquals([wishes.preview, wishes.previewChars], ["both", 100]);
  const short = captureWishes("capture", { "preview-chars": 7 }, "page");
  assertEquals([short.preview, short.previewChars], ["head", 7]);
});

Deno.test("numbers out of range are usage errors that name the option", () => {
  const cases: [string, number][] = [
    ["threshold", -1],
    ["threshold", 16_777_217],
    ["page-size", 0],
    ["preview-chars", 0],
    ["max-bytes", -1],
    ["max-bytes", 1.5],
  ];
  for (const [option, value] of cases) {
    const thrown = assertThrows(() => captureWishes("capture", { [option]: value }, "page"), UsageError);
    assertEquals("option" in thrown.failure && thrown.failure.option, `--${option}`);
  }
});

Deno.test("a name may be given with or without ref:, and must be one", () => {
  assertEquals(captureWishes("capture", { name: "ref:log" }, "page").name, "log");
  assertEquals(captureWishes("capture", { name: "log" }, "page").name, "log");
  assertThrows(() => captureWishes("capture", { name: "a/b" }, "page"), FdError);
});

Deno.test("help says the default preview of the command", () => {
  assertEquals(captureOptions("both")["preview"]?.help.includes("default both"), true);
});
