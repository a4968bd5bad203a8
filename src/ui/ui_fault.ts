/** A request of the page that cannot be answered as it is. */
export class UiFault extends Error {
  override readonly name = "UiFault";
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Reads a whole number from a query. Without the parameter, returns `otherwise`, or refuses if that is undefined. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise?: number | undefined },
): number {
  const written = query.get(name);
  if (written === null && otherwise !== undefined) return otherwise;
  const number = written !== null && /^[0-9]{1,16}$/.test(written) ? Number(written) : NaN;
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new UiFault(400, `Invalid ${name} ${JSON.stringify(written)}: expected ${least} to ${most}`);
}

/** Reads a text from a query; refuses if it is missing. */
export function textIn(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text === null || text === "") throw new UiFault(400, `The parameter ${name} is missing.`);
  return text;
}
