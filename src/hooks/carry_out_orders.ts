/**
 * Carries out several changes of settings in order. If one fails, the answers of those before it are still reported.
 */

import { FdError } from "../../fd/mod.ts";
import type { WriteResult } from "../terms/answers.ts";
import { WriteError } from "../terms/write_failure.ts";
import type { SettingsOrder } from "./change_settings.ts";

export interface CarriedOut {
  answers: WriteResult[];
  failures: Error[];
}

/** Carries out `orders` until one fails. Throws that failure if nothing was written before it. */
export async function carryOutOrders(
  orders: readonly SettingsOrder[],
  carryOut: (order: SettingsOrder) => Promise<WriteResult>,
): Promise<CarriedOut> {
  const answers: WriteResult[] = [];
  for (const order of orders) {
    try {
      answers.push(await carryOut(order));
    } catch (thrown) {
      const wasWritten = answers.some(({ tx }) => tx !== undefined);
      if (!wasWritten || !(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
      return { answers, failures: [thrown] };
    }
  }
  return { answers, failures: [] };
}
