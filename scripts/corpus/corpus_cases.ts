/** All cases. @module */

import { C_CASES } from "./c_cases.ts";
import { CI_CASES } from "./ci_cases.ts";
import type { CorpusCase } from "./corpus_case.ts";
import { GIT_CASES } from "./git_cases.ts";
import { GO_CASES } from "./go_cases.ts";
import { JAVA_CASES } from "./java_cases.ts";
import { NODE_CASES } from "./node_cases.ts";
import { NODE_CHECK_CASES } from "./node_check_cases.ts";
import { NODE_TEST_CASES } from "./node_test_cases.ts";
import { NOISY_CASES } from "./noisy_cases.ts";
import { ODD_CASES } from "./odd_cases.ts";
import { OPS_CASES } from "./ops_cases.ts";
import { PYTHON_CASES } from "./python_cases.ts";
import { PYTHON_TEST_CASES } from "./python_test_cases.ts";
import { REAL_PROJECT_CASES } from "./real_project_cases.ts";
import { RUST_CASES } from "./rust_cases.ts";
import { SCRIPT_CASES } from "./script_cases.ts";
import { SERVER_CASES } from "./server_cases.ts";
import { SYSTEM_CASES } from "./system_cases.ts";

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
  ...REAL_PROJECT_CASES,
  ...RUST_CASES,
  ...SCRIPT_CASES,
  ...SERVER_CASES,
  ...SYSTEM_CASES,
];
