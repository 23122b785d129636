// The ways to pay an intent with transactions of the payer's own.
import { fieldsOf } from './fields.ts';
import { readSituation, type Situation } from './read-situation.ts';

export type RegularAnswer = {
  readonly situation: Situation;
  /** Names the intent on chain; undefined where the answer does not say it. */
  readonly intentCode: number | undefined;
  /** As they came: a wallet reads what it can pay. */
  readonly regular: readonly unknown[];
};

export function readRegular(status: number, body: unknown, paymentIntentId: string): RegularAnswer | undefined {
  const situation = status === 200 ? readSituation(body, paymentIntentId) : undefined;
  const fields = fieldsOf(body);
  const code = fieldsOf(fields?.['paymentIntent'])?.['intentCode'];
  const options = fields?.['regular'];
  if (situation === undefined || !Array.isArray(options)) return undefined;
  return {
    situation,
    intentCode: typeof code === 'number' && Number.isSafeInteger(code) && code >= 0 ? code : undefined,
    regular: options,
  };
}
