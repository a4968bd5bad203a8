/** All cases. */

import { C_CASES } from "./cases/c_cases.ts";
import { CI_CASES } from "./cases/ci_cases.ts";
import type { CorpusCase } from "./corpus_case.ts";
import { GIT_CASES } from "./cases/git_cases.ts";
import { GO_CASES } from "./cases/go_cases.ts";
import { JAVA_CASES } from "./cases/java_cases.ts";
import { NODE_CASES } from "./cases/node_cases.ts";
import { NODE_CHECK_CASES } from "./cases/node_check_cases.ts";
import { NODE_TEST_CASES } from "./cases/node_test_cases.ts";
import { NOISY_CASES } from "./cases/noisy_cases.ts";
import { ODD_CASES } from "./cases/odd_cases.ts";
import { OPS_CASES } from "./cases/ops_cases.ts";
import { PYTHON_CASES } from "./cases/python_cases.ts";
import { PYTHON_TEST_CASES } from "./cases/python_test_cases.ts";
import { RUST_CASES } from "./cases/rust_cases.ts";
import { SCRIPT_CASES } from "./cases/script_cases.ts";
import { SERVER_CASES } from "./cases/server_cases.ts";
import { textCases } from "./text_cases.ts";
import { SYSTEM_CASES } from "./cases/system_cases.ts";

export const CASES: readonly CorpusCase[] = [
  ...C_CASES,
  ...CI_CASES,
  ...GIT_CASES,
  ...GO_CASES,
  ...JAVA_CASES,
  ...NODE_CASES,
  ...NODE_CHECK_CASES,
  ...NODE_TEST_CASES,
  ...NOISY_CASES,
  ...ODD_CASES,
  ...OPS_CASES,
  ...PYTHON_CASES,
  ...PYTHON_TEST_CASES,
  ...RUST_CASES,
  ...SCRIPT_CASES,
  ...SERVER_CASES,
  ...SYSTEM_CASES,
  ...textCases(),
].map((each) => ({ sound: false, facts: [], ...each }));
