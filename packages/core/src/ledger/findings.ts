// Collects what the ledger checks looked at and where they failed. Counts are complete, named differences limited: a
// broken table must not fill the terminal.
export const LEDGER_CHECKS = {
  entries: 'every payment has its entries, and they sum to zero',
  statuses: 'payments, settlements, intents and claims agree',
  overview: 'the figures of accounts are the sums of the books',
  events: 'every settlement on chain is one completed payment, and back',
  transfers: 'the token moved what the books say, to whom they say',
  gas: 'network cost and gas losses are what the receipts say',
  balances: 'the processor holds what is owed',
  nonces: 'every transaction of a relayer is known',
  direct: 'every direct payment is one use of its authorization with its transfer, and back',
  receipts: 'every payment that a payer called for is a payment or an unattributed receipt',
  blocks: 'every payment and refund on a token ledger is the transfer of its block',
} as const;
export type LedgerCheck = keyof typeof LEDGER_CHECKS;

export type LedgerDifference = {
  /** Ids of the payments, batches, transactions or accounts that differ. */
  readonly about: readonly string[];
  readonly message: string;
};

export type CheckedLine = {
  readonly check: LedgerCheck;
  /** Null for checks of the database only. */
  readonly network: string | null;
  readonly looked: number;
  readonly differing: number;
  /** At most `mostDifferences`. */
  readonly differences: readonly LedgerDifference[];
  /** Facts that are no fault. */
  readonly notes: readonly string[];
};

export type Findings = {
  readonly looked: (check: LedgerCheck, count?: number) => void;
  readonly differs: (check: LedgerCheck, about: readonly string[], message: string) => void;
  readonly note: (check: LedgerCheck, message: string) => void;
  readonly lines: () => readonly CheckedLine[];
};

export function createFindings(
  network: string | null,
  checks: readonly LedgerCheck[],
  mostDifferences: number,
): Findings {
  const open = new Map(
    checks.map((check) => [
      check,
      { check, network, looked: 0, differing: 0, differences: [] as LedgerDifference[], notes: [] as string[] },
    ]),
  );
  const lineOf = (check: LedgerCheck) => {
    const line = open.get(check);
    if (line === undefined) throw new Error(`${check} is not checked here`);
    return line;
  };
  return {
    looked: (check, count = 1) => {
      lineOf(check).looked += count;
    },
    differs: (check, about, message) => {
      const line = lineOf(check);
      line.differing += 1;
      if (line.differences.length < mostDifferences) line.differences.push({ about, message });
    },
    note: (check, message) => {
      lineOf(check).notes.push(message);
    },
    lines: () => [...open.values()],
  };
}
