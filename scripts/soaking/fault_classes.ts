/** All classes of faults, in the order in which a soak runs them. */

import { damage } from "./damage.ts";
import { damagedLogs } from "./damaged_logs.ts";
import { diskCalls } from "./disk_calls.ts";
import type { FaultClass } from "./fault_class.ts";
import { hostileArchives } from "./hostile_archives.ts";
import { hostileCommands } from "./hostile_commands.ts";
import { hostileSettings } from "./hostile_settings.ts";
import { forgedRecords, hostileArguments, hostileBinary, hostileJson, wildUtf8 } from "./hostile_input.ts";
import { injectedCalls, killedSteps, kills } from "./kills.ts";
import { neighbours } from "./neighbours.ts";
import { newFds } from "./new_fds.ts";
import { powerLoss } from "./power_loss.ts";
import { sharedClones } from "./shared_clones.ts";
import { sharedForged } from "./shared_forged.ts";
import { sharedNames } from "./shared_names.ts";
import { sharedStore } from "./shared_store.ts";
import { smallDisks } from "./small_disks.ts";
import { storms } from "./storms.ts";
import { underWine } from "./under_wine.ts";
import { walks } from "./walks.ts";

/** Inside of one process, with the disk under the store replaced, damaged or watched. */
export const INNER_CLASSES: readonly FaultClass[] = [
  diskCalls,
  powerLoss,
  damage,
  damagedLogs,
  hostileArguments,
  hostileJson,
  forgedRecords,
  wildUtf8,
  newFds,
  hostileArchives,
  hostileSettings,
  neighbours,
  sharedClones,
  sharedNames,
  sharedStore,
];

/** On the binary, from outside. */
export const OUTER_CLASSES: readonly FaultClass[] = [
  hostileBinary,
  hostileCommands,
  injectedCalls,
  killedSteps,
  smallDisks,
  sharedForged,
  kills,
  storms,
  underWine,
  walks,
];
