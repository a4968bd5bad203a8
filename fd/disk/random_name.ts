/** Names that nobody else comes upon. @module */

/** A part of a file's name that is another one each time: 48 random bits, as digits and small letters. */
export function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48).toString(36);
}
