/** cargo, rustc, clippy. */

import { type CorpusCase, manyFiles, repeat, word } from "../corpus_case.ts";

/** A workspace of `count` small crates; `source` makes the lib.rs of one. */
function workspace(count: number, source: (number: number) => string): Record<string, string> {
  return {
    "Cargo.toml": `[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n`,
    ...manyFiles(count, (number) => [`crates/${word(number)}/src/lib.rs`, source(number)]),
    ...manyFiles(count, (number) => [
      `crates/${word(number)}/Cargo.toml`,
      `[package]\nname = "${word(number)}"\nversion = "0.${number % 7}.${number % 11}"\nedition = "2021"\n`,
    ]),
  };
}

/** A module with unused functions and variables, for rustc to warn of. */
function untidy(number: number, unusedCount: number): string {
  return repeat(
    unusedCount,
    (at) =>
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
  const each = (at: number) =>
    at === wrongAt
      ? `    #[test]\n    fn rounds_half_up() {\n        assert_eq!(super::rounded(250, 100), 3, "half cents go up");\n    }\n`
      : `    #[test]\n    fn ${word(number)}_keeps_${
        word(at)
      }() {\n        assert_eq!(super::rounded(${at} * 100, 100), ${at});\n    }\n`;
  return `pub fn rounded(value: u32, by: u32) -> u32 {\n    (value + by / 2 - 1) / by\n}\n\n` +
    `#[cfg(test)]\nmod tests {\n${repeat(count, each)}}\n`;
}

export const RUST_CASES: readonly CorpusCase[] = [
  {
    name: "cargo-build-wrong-type-among-warnings",
    tools: "cargo, rustc",
    place: "middle",
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
    tools: "cargo, rustc",
    place: "start",
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
    tools: "cargo test",
    place: "middle",
    facts: ["crates/coupon/src/lib.rs:", "half cents go up", "left: 2", "right: 3"],
    files: () => workspace(40, (number) => tests(number, 50, word(number) === "coupon" ? 33 : -1)),
    command: "cargo test --quiet >/dev/null 2>&1; cargo test --no-fail-fast",
  },
  {
    name: "cargo-test-2000-pass",
    tools: "cargo test",
    place: "none",
    facts: [],
    files: () => workspace(40, (number) => tests(number, 50)),
    command: "cargo test --no-fail-fast --color always",
  },
  {
    name: "cargo-build-with-warnings-succeeds",
    tools: "cargo, rustc",
    place: "none",
    facts: ["Finished `dev` profile"],
    files: () => workspace(25, (number) => untidy(number, 6)),
    command: "cargo build --color always",
  },
  {
    name: "clippy-denied-lint-among-warnings",
    tools: "cargo clippy",
    place: "end",
    facts: ["error: index is out of bounds", "--> crates/credit/src/lib.rs:73:5"],
    files: () => {
      const source = (number: number) =>
        repeat(
          14,
          (at) =>
            `pub fn ${
              word(at)
            }_of(values: &Vec<u32>) -> bool {\n    let found = values.len() > 0;\n    return found == true;\n}\n`,
        ) +
        (word(number) === "credit"
          ? "\npub fn last_rate() -> u32 {\n    let rates = [3, 5, 8];\n    rates[3]\n}\n"
          : "");
      return workspace(25, source);
    },
    command: "cargo clippy --keep-going --color always",
  },
  {
    name: "rust-program-panics-among-workers",
    tools: "rustc, a threaded program",
    place: "middle",
    facts: ["panicked at src/main.rs:", "ledger out of balance: 1200 != 1190"],
    files: () => ({
      "src/main.rs": `use std::thread;

fn settle(worker: usize, batch: usize) -> usize {
    println!("[worker-{worker}] batch {batch}: 100 postings read, 100 written, checksum {:08x}", worker * 7919 + batch * 31);
    if worker == 5 && batch == 61 {
        let (debit, credit) = (1200, 1190);
        assert!(debit == credit, "ledger out of balance: {debit} != {credit}");
    }
    batch
}

fn main() {
    let workers: Vec<_> = (0..8)
        .map(|worker| {
            thread::Builder::new()
                .name(format!("worker-{worker}"))
                .spawn(move || (0..150).map(|batch| settle(worker, batch)).sum::<usize>())
                .unwrap()
        })
        .collect();
    let mut lost = 0;
    for worker in workers {
        if worker.join().is_err() {
            lost += 1;
        }
    }
    println!("all workers done, {lost} lost");
}
`,
    }),
    command: "rustc --edition 2021 -O src/main.rs -o main && RUST_BACKTRACE=1 ./main",
  },
  {
    name: "rust-backtrace-with-causes",
    tools: "rustc, RUST_BACKTRACE=full",
    place: "middle",
    facts: ["cannot load rates: row 900 of rates.csv", "Caused by: ParseIntError { kind: InvalidDigit }"],
    files: () => ({
      "src/main.rs": `use std::{error::Error, fmt};

#[derive(Debug)]
struct BadRow { line: usize, source: std::num::ParseIntError }
impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "row {} of rates.csv", self.line) }
}
impl Error for BadRow { fn source(&self) -> Option<&(dyn Error + 'static)> { Some(&self.source) } }

fn read(line: usize, text: &str) -> Result<u32, BadRow> {
    text.parse().map_err(|source| BadRow { line, source })
}

fn deep(depth: usize, line: usize, text: &str) -> u32 {
    if depth > 0 { return std::hint::black_box(deep(depth - 1, line, text)) + 1; }
    match read(line, text) {
        Ok(rate) => rate,
        Err(bad) => {
            eprintln!("cannot load rates: {bad}\\nCaused by: {:?}", bad.source().unwrap());
            Err::<u32, _>(bad).unwrap()
        }
    }
}

fn main() {
    for line in 1..900 {
        println!("DEBUG loader: row {line} accepted, currency EUR, rate {}", line * 13);
    }
    let worker = std::thread::spawn(|| deep(60, 900, "12x4"));
    let _ = worker.join();
    for line in 901..1500 {
        println!("DEBUG loader: row {line} accepted, currency EUR, rate {}", line * 13);
    }
}
`,
    }),
    command: "rustc --edition 2021 -g src/main.rs -o main && RUST_BACKTRACE=full ./main",
  },
];
