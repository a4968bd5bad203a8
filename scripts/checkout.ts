/** The folder of this checkout. */

import { fileURLToPath } from "node:url";

export const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
