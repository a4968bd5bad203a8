import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { kernelModuleText, KERNELS } from "../../scripts/build_kernel.ts";
import { BYTES_AFTER, kernelHunt, MAX_FOUND, plainHunt } from "./hunt_stems.ts";

Deno.test("assembling the hunt's kernel gives the shipped module", async () => {
  const shipped = readFileSync(new URL("hunt_kernel_wasm.ts", import.meta.url), "utf8");
  equal(await kernelModuleText(KERNELS[1]), shipped, "run scripts/build-kernel");
});

Deno.test("the kernel and the plain hunt find the same places in any bytes", () => {
  const kernel = kernelHunt();
  ok(kernel !== undefined);
  const plain = plainHunt();
  const word = fc.constantFrom(
    "error",
    "ERROR",
    "TypeError",
    "terror",
    "fail",
    "unfailing",
    "except",
    "abort",
    "Panic",
    "kill",
    "skill",
    "denied",
    "fatal",
    "critical",
    '" 500 ',
    '" 404 ',
    "\x1b[31merror",
    "rror",
  );
  const piece = fc.oneof(
    word,
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(" ", "\n", "_", "-"),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 80 }), fc.nat(40), (pieces, skipped) => {
    const content = new TextEncoder().encode(pieces.join(""));
    const from = 16 + Math.min(skipped, content.length);
    const to = 16 + content.length;
    const found = [kernel, plain].map((each) => {
      each.bytes.fill(0x0a, 0, to + BYTES_AFTER);
      each.bytes.set(content, 16);
      const count = each.hunt(from, to);
      return [...each.found.subarray(0, count)];
    });
    deepStrictEqual(found[0], found[1]);
  }));
});

Deno.test("the hunt finds words in any case where they start, and at most as many as are requested", () => {
  const hunt = plainHunt();
  const text = "\nerror Error terror TypeError unfailing FAIL x_error";
  hunt.bytes.set(new TextEncoder().encode(text), 16);
  const count = hunt.hunt(16, 16 + text.length);
  deepStrictEqual([...hunt.found.subarray(0, count)].map((at) => text.slice(at - 17, at - 13)), [
    "erro",
    "Erro",
    "Erro",
    "FAIL",
  ]);
  const many = new TextEncoder().encode(" fail".repeat(MAX_FOUND + 9));
  for (const each of [kernelHunt()!, hunt]) {
    each.bytes.set(many, 16);
    equal(each.hunt(16, 16 + many.length), MAX_FOUND);
  }
});
