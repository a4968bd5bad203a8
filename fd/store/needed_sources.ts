/** Sources of fds that belong to writes to users' files. They stay on the host. */

/**
 * Source of fds with the previous content of replaced files. Preserved for the whole age limit, regardless of the
 * quota.
 */
export const BACKUP_SOURCE = "backup";
/** Source of fds with a plan as it was applied. */
export const PLAN_SOURCE = "plan";
/** Source of fds with a request that waits for the answer to an inquiry. */
export const INQUIRY_SOURCE = "inquiry";

/** Sources the writing side still needs: preserved for the whole age limit, regardless of the quota. */
export const NEEDED_SOURCES: readonly string[] = [BACKUP_SOURCE, PLAN_SOURCE, INQUIRY_SOURCE];
