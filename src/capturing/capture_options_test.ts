import { assertEquals, assertThrows } from "@std/assert";
import { FdError } from "../../fd/system.ts";
import { UsageError } from "../calls/requests/usage_failure.ts";
import { captureOptionSpecs, parseCaptureOptions } from "./capture_options.ts";

Deno.test("without options, the contract's defaults apply", () => {
  assertEquals(parseCaptureOptions("capture", {}), {
    thresholdChars: 8000,
    always: false,
    pageSize: 4000,
    name: undefined,
    source: undefined,
    preview: "digest",
    isPreviewAsked: false,
    previewChars: 4000,
    about: undefined,
    maxBytes: undefined,
    tee: false,
    durable: false,
  });
});

Deno.test("a preview is as long as a page unless --preview-chars is given; a page shortened by it is a head", () => {
  const options = parseCaptureOptions("run", { preview: "both", "page-size": 100 });
  assertEquals([options.preview, options.previewChars], ["both", 100]);
  const short = parseCaptureOptions("capture", { preview: "page", "preview-chars": 7 });
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
    const thrown = assertThrows(
      () => parseCaptureOptions("capture", { [option]: value }),
      UsageError,
    );
    assertEquals("option" in thrown.failure && thrown.failure.option, `--${option}`);
  }
});

Deno.test("a name is accepted with or without ref:, and an invalid one is refused", () => {
  assertEquals(parseCaptureOptions("capture", { name: "ref:log" }).name, "log");
  assertEquals(parseCaptureOptions("capture", { name: "log" }).name, "log");
  assertThrows(() => parseCaptureOptions("capture", { name: "a/b" }), FdError);
});

Deno.test("help shows the default preview", () => {
  const { preview } = parseCaptureOptions("run", {});
  assertEquals(captureOptionSpecs()["preview"]?.help.includes(`default ${preview}`), true);
});
