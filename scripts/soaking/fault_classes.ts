/** All classes of faults, in the order in which a soak runs them. */

import { damage } from "./damage.ts";
import { diskCalls } from "./disk_calls.ts";
import type { FaultClass } from "./fault_class.ts";
import { hostileArchives } from "./hostile_archives.ts";
import { hostileCommands } from "./hostile_commands.ts";
import { forgedRecords, hostileJson } from "./hostile_input.ts";
import { injectedCalls, killedSteps, kills } from "./kills.ts";
import { neighbours } from "./neighbours.ts";
import { powerLoss } from "./power_loss.ts";
import { sharedForged } from "./shared_forged.ts";
import { sharedStore } from "./shared_store.ts";
import { underWine } from "./under_wine.ts";
import { walks } from "./walks.ts";

/** Inside of one process, with the disk under the store replaced, damaged or watched. */
export const INNER_CLASSES: readonly FaultClass[] = [
  diskCalls,
  powerLoss,
  damage,
  hostileJson,
  forgedRecords,
  hostileArchives,
  neighbours,
  sharedStore,
];

/** On the binary, from outside. */
export const OUTER_CLASSES: readonly FaultClass[] = [
  hostileCommands,
  injectedCalls,
  killedSteps,
  sharedForged,
  kills,
  underWine,
  walks,
];
