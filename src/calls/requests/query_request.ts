/**
 * The request that `query` answers (contract, Agents).
 */

import { countField, defineRequest, flagField, NEEDED_TEXT, type RequestOf } from "./request_fields.ts";
import { nameRule, sharedFields } from "./shared_fields.ts";

const { fdOrFileField, nameField } = sharedFields();

/** The amount shown by default. */
export const DEFAULT_CHARS = 8000;
/** How long a filter may run by default. */
export const DEFAULT_TIMEOUT = "60s";
/** The memory that a filter may use by default, and its range: jq and its stack need half of the least. */
export const DEFAULT_MEMORY = "1GiB";
export const MIN_MEMORY_BYTES = 2 ** 27;
/** All that 32-bit addresses reach. */
export const MAX_MEMORY_BYTES = 2 ** 32;

export const QUERY_REQUEST = defineRequest({
  fd: fdOrFileField,
  filter: {
    ...NEEDED_TEXT,
    description: "filter in jq's language",
  },
  raw: flagField("Write strings as text, without quotes.", { short: "r", aliases: ["raw-output"] }),
  slurp: flagField("Apply the filter once, to a list of all values.", { short: "s" }),
  null_input: flagField("Apply the filter once, to null; it reads values with input and inputs.", {
    short: "n",
  }),
  stream: flagField("Apply the filter to [path, leaf] pairs: for documents too large to load whole.", {
    help: "apply the filter to [path, leaf] pairs, for documents too large to load whole",
  }),
  max_chars: countField(`Show at most this many chars of results (default ${DEFAULT_CHARS}).`, {
    help: `show at most N chars of results (default ${DEFAULT_CHARS})`,
  }),
  extract_to_new_fd: flagField("Store all results as a new fd and return its handle.", {
    name: "extract",
    help: "store all results as a new fd and print its handle",
  }),
  name: nameField,
  timeout: {
    kind: "text",
    description: `Time limit, such as "90s" or "10m" (default ${DEFAULT_TIMEOUT}).`,
    option: { value: "TIME", help: `stop after TIME, such as 90s or 10m (default ${DEFAULT_TIMEOUT})` },
  },
  memory: {
    kind: "text",
    option: { value: "SIZE", help: `memory that the filter may use, up to 4G (default ${DEFAULT_MEMORY})` },
  },
}, [nameRule()]);

export type QueryRequest = RequestOf<typeof QUERY_REQUEST.fields>;
