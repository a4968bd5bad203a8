import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { readTarHeader, TAR_BLOCK_BYTES, tarHeader, tarPadding } from "./tar_header.ts";

const GIB = 2 ** 30;

Deno.test("tar header: a header reads back as written, and any changed byte is detected", () => {
  fc.assert(fc.property(
    fc.stringMatching(/^[a-z]{1,20}\/[A-Za-z0-9.]{1,60}$/),
    fc.nat({ max: 8 * GIB - 1 }),
    fc.nat(),
    fc.nat({ max: TAR_BLOCK_BYTES - 1 }),
    fc.integer({ min: 1, max: 255 }),
    (name, byteCount, mtimeSeconds, at, change) => {
      const member = { name, byteCount, mtimeSeconds };
      const block = tarHeader(member);
      assertEquals(block.length, TAR_BLOCK_BYTES);
      assertEquals(readTarHeader(block), member);
      block[at]! ^= change;
      assertEquals(readTarHeader(block), undefined);
    },
  ));
});

Deno.test("tar header: a size beyond eleven octal digits is in a preceding pax record", () => {
  const small = tarHeader({ name: "d/x", byteCount: 8 * GIB - 1, mtimeSeconds: 0 });
  assertEquals([small.length, small.toString("latin1", 124, 136)], [512, "77777777777\0"]);
  const big = tarHeader({ name: "d/x", byteCount: 20 * GIB, mtimeSeconds: 0 });
  assertEquals(big.length, 3 * TAR_BLOCK_BYTES);
  assertEquals([big[156], big.toString("latin1", 0, 14)], ["x".charCodeAt(0), "d/PaxHeaders/x"]);
  assertEquals(big.toString("latin1", 512, 512 + 20), "20 size=21474836480\n");
  assertEquals(big.toString("latin1", 1024, 1027), "d/x");
});

Deno.test("tar header: content is padded to whole blocks", () => {
  assertEquals([0, 1, 511, 512, 513].map(tarPadding), [0, 511, 1, 0, 511]);
});
