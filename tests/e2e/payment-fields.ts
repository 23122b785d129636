// What a payment must say of itself, by its own status: which fields are known, and which can't be known yet.
type Shown = Readonly<Record<string, unknown>>;

const FROM_THE_BEGINNING = ['payer', 'chain', 'tokenShortcode', 'decimals', 'amountUsd', 'rate'];
/** What a publishable key does not see. */
export const EARNINGS = ['feeAmount', 'splits', 'netAmount'];
const OF_A_RESULT = [...EARNINGS, 'returnedAmount', 'refundedAmount'];
const OF_A_FAILURE = ['failureCode', 'failureMessage'];
export const FIELDS = [...FROM_THE_BEGINNING, ...OF_A_RESULT, ...OF_A_FAILURE, 'explorerUrl'];

function isKnown(field: string, { status, transactionId }: Shown): boolean {
  if (FROM_THE_BEGINNING.includes(field)) return true;
  if (OF_A_RESULT.includes(field)) return status !== 'pending';
  if (OF_A_FAILURE.includes(field)) return status === 'failed';
  return transactionId !== null;
}

/** Fields that are null although known, that are told although unknown, or that are not there. */
export function wrongFields(payment: Shown): readonly string[] {
  return FIELDS.flatMap((field) => {
    if (!(field in payment)) return [`${field} is missing`];
    const isTold = payment[field] !== null;
    if (isTold === isKnown(field, payment)) return [];
    return [`${field} is ${JSON.stringify(payment[field])} of a payment that is ${String(payment['status'])}`];
  });
}
