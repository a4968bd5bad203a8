/** All cases. */

import { CI_CASES } from "./cases/ci_cases.ts";
import type { CorpusCase } from "./corpus_case.ts";
import { GO_CASES } from "./cases/go_cases.ts";
import { JAVA_CASES } from "./cases/java_cases.ts";
import { NODE_TEST_CASES } from "./cases/node_test_cases.ts";
import { NOISY_CASES } from "./cases/noisy_cases.ts";
import { ODD_CASES } from "./cases/odd_cases.ts";
import { PYTHON_TEST_CASES } from "./cases/python_test_cases.ts";
import { RUST_CASES } from "./cases/rust_cases.ts";
import { SCRIPT_CASES } from "./cases/script_cases.ts";
import { SERVER_CASES } from "./cases/server_cases.ts";
import { textCases } from "./text_cases.ts";
import { SYSTEM_CASES } from "./cases/system_cases.ts";

export const CASES: readonly CorpusCase[] = [
  ...CI_CASES,
  ...GO_CASES,
  ...JAVA_CASES,
  ...NODE_TEST_CASES,
  ...NOISY_CASES,
  ...ODD_CASES,
  ...PYTHON_TEST_CASES,
  ...RUST_CASES,
  ...SCRIPT_CASES,
  ...SERVER_CASES,
  ...SYSTEM_CASES,
  ...textCases(),
].map((each) => ({ sound: false, facts: [], ...each }));
