const FIRST_RECEIPT_INDEX = 2;
const RECEIPT_BITS = 30;

/**
 * Log index under which money of a transaction without logs is set aside. What pays no intent has an index of the intent that
 * it names. It takes no other's place: the transaction may pay another intent, or have several of which it pays none.
 */
export const receiptIndex = (intentCode: bigint): number =>
  FIRST_RECEIPT_INDEX + Number(BigInt.asUintN(RECEIPT_BITS, intentCode));
