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

/** A module with unused functions and variables, for rustc to warn of. */
function untidy(number: number, unusedCount: number): string {
  return repeat(
    unusedCount,
    (_, at) =>
      `fn helper_${
        word(number)
      }_${at}(first: u32, second: u32) -> u32 {\n    let spare = first;\n    second\n}\n`,
  ) + `\npub fn total(values: &[u32]) -> u32 {\n    values.iter().sum()\n}\n`;
}

const WRONG_TYPE = `pub fn parse_amount(text: &str) -> u32 {
    let trimmed = text.trim();
    trimmed.len().to_string()
}
`;

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
    name: "cargo-build-wrong-type-among-warnings",
    facts: ["error[E0308]: mismatched types", "--> crates/invoice/src/lib.rs:32:5"],
    files: () => {
      const files = workspace(40, (number) => untidy(number, 12));
      files["crates/invoice/src/lib.rs"] = untidy(46, 5) + "\n" + WRONG_TYPE;
      files["crates/invoice/Cargo.toml"] =
        `[package]\nname = "invoice"\nversion = "0.3.1"\nedition = "2021"\n`;
      return files;
    },
    command: "cargo build --keep-going --color always",
  },
  {
    name: "cargo-build-unknown-name-one-job",
    facts: ["error[E0425]: cannot find value `tarif` in this scope", "--> crates/account/src/lib.rs:2:14"],
    files: () => {
      const files = workspace(30, (number) => untidy(number, 15));
      files["crates/account/src/lib.rs"] =
        `pub fn fee(base: u32, tariff: u32) -> u32 {\n    (base) * tarif + tariff\n}\n`;
      return files;
    },
    command: "CARGO_BUILD_JOBS=1 cargo build --keep-going",
  },
  {
    name: "cargo-test-one-of-2000-fails",
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
  {
    name: "cargo-build-with-warnings-succeeds",
    sound: true,
    facts: ["Finished `dev` profile"],
    files: () => workspace(25, (number) => untidy(number, 6)),
    command: "cargo build --color always",
  },
  {
    name: "clippy-denied-lint-among-warnings",
    facts: ["error: index is out of bounds", "--> crates/credit/src/lib.rs:73:5"],
    files: () => {
      const source = (number: number) =>
        repeat(
          14,
          (part) =>
            `pub fn ${part}_of(values: &Vec<u32>) -> bool {\n    let found = values.len() > 0;\n    return found == true;\n}\n`,
        ) +
        (word(number) === "credit"
          ? "\npub fn last_rate() -> u32 {\n    let rates = [3, 5, 8];\n    rates[3]\n}\n"
          : "");
      return workspace(25, source);
    },
    command: "cargo clippy --keep-going --color always",
  },
];
