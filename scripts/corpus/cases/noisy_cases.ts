/** Faults among things that look like faults: passing tests that log errors, handled exceptions, names that hold "error". */

import { repeat, type WrittenCase } from "../corpus_case.ts";

export const NOISY_CASES: readonly WrittenCase[] = [
  {
    name: "cargo-test-names-hold-error-and-panic",
    question: "which path did the panic message lose",
    facts: ["thread 'error_tests::panic_message_keeps_the_path'", 'right: "cannot open /srv/rates.csv"'],
    files: () => ({
      "Cargo.toml": `[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n`,
      "src/lib.rs": `#[cfg(test)]\nmod error_tests {\n` +
        repeat(
          500,
          (part) =>
            `    #[test]\n    fn fails_with_error_${part}_and_panics() {\n        assert!(std::panic::catch_unwind(|| ()).is_ok());\n    }`,
        ) +
        `\n    #[test]\n    fn panic_message_keeps_the_path() {\n        let shown = format!("cannot open {}", "rates.csv");\n        assert_eq!(shown, "cannot open /srv/rates.csv");\n    }\n}\n`,
    }),
    command: "cargo test --color always",
  },
];
