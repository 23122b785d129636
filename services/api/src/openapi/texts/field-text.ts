/** Description and example; without an example it is made from the schema: an enumeration, a truth value, a nested shape. */
type FieldText = readonly [description: string, example?: unknown];
export type FieldTexts = Readonly<Record<string, FieldText>>;

const RANDOM_PART = '01k9z3v5w8q2r4s6t7x0y1abcd';

export const EXAMPLE_IDS = {
  account: `acct_${RANDOM_PART}`,
  endpoint: `we_${RANDOM_PART}`,
  event: `evt_${RANDOM_PART}`,
  intent: `pi_${RANDOM_PART}`,
  payment: `pay_${RANDOM_PART}`,
  recovery: `rec_${RANDOM_PART}`,
  refund: `re_${RANDOM_PART}`,
  request: `req_${RANDOM_PART}`,
} as const;
