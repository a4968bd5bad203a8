/** Returns 48 random bits as digits and lowercase letters, for use in file names. */
export function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48).toString(36);
}
