/** The floor of every compiled call: a program that writes two bytes. */

import { writeSync } from "node:fs";

writeSync(1, "x\n");
