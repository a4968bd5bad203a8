/** cargo, rustc, clippy. */

import { manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

/** A workspace of `count` small crates; `source` makes the lib.rs of one. */
function workspace(count: number, source: (number: number) => string): Record<string, string> {
  return {
    "Cargo.toml": `[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n`,
    ...manyFiles(count, "crates/*/src/lib.rs", (_, number) => source(number)),
    ...manyFiles(
      count,
      "crates/*/Cargo.toml",
      (name, number) =>
        `[package]\nname = "${name}"\nversion = "0.${number % 7}.${number % 11}"\nedition = "2021"\n`,
    ),
  };
}

function tests(number: number, count: number, wrongAt = -1): string {
  const each = (part: string, at: number) =>
    at === wrongAt
      ? `    #[test]\n    fn rounds_half_up() {\n        assert_eq!(super::rounded(250, 100), 3, "half cents go up");\n    }\n`
      : `    #[test]\n    fn ${
        word(number)
      }_keeps_${part}() {\n        assert_eq!(super::rounded(${at} * 100, 100), ${at});\n    }\n`;
  return `pub fn rounded(value: u32, by: u32) -> u32 {\n    (value + by / 2 - 1) / by\n}\n\n` +
    `#[cfg(test)]\nmod tests {\n${repeat(count, each)}}\n`;
}

export const RUST_CASES: readonly WrittenCase[] = [
  {
    name: "cargo-test-one-of-2000-fails",
    question: "how are half cents rounded",
    facts: ["crates/coupon/src/lib.rs:", "half cents go up", "left: 2", "right: 3"],
    files: () => workspace(40, (number) => tests(number, 50, word(number) === "coupon" ? 33 : -1)),
    command: "cargo test --quiet >/dev/null 2>&1; cargo test --no-fail-fast",
  },
  {
    name: "cargo-test-2000-pass",
    sound: true,
    files: () => workspace(40, (number) => tests(number, 50)),
    command: "cargo test --no-fail-fast --color always",
  },
];
