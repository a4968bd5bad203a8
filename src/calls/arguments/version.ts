/** The version that `--version` says; `tests/house_test.ts` holds it to package.json's. */
export const VERSION = "0.1.0";
