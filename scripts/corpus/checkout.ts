/** The folder of this checkout. @module */

import { fileURLToPath } from "node:url";

export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
