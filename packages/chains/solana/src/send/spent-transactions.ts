// Transactions of one lane that nodes call processed or expired before they were stored. They are stored and sent
// before any node is asked about them by id: the id is the relayer's signature, and completes the transaction that a
// node simulated.

export type SpentTransactions = {
  /** Marks a transaction to be stored although it is not expected to land: the relayer need not afford it. */
  readonly storeFirst: (transactionId: string) => void;
  readonly costsNothing: (transactionId: string) => boolean;
  /**
   * Marks a stored and sent transaction that every node calls expired. In memory only: after a restart it is stored
   * again.
   */
  readonly giveUp: (transactionId: string) => void;
  readonly wasGivenUp: (transactionId: string) => boolean;
};

export function createSpentTransactions(): SpentTransactions {
  const stored = new Map<string, 'stored first' | 'given up'>();
  return {
    storeFirst: (transactionId) => remember(stored, transactionId, 'stored first'),
    costsNothing: (transactionId) => stored.has(transactionId),
    giveUp: (transactionId) => remember(stored, transactionId, 'given up'),
    wasGivenUp: (transactionId) => stored.get(transactionId) === 'given up',
  };
}

/** More than are in flight at any time; a transaction that is evicted is stored once more. */
const MOST = 10_000;

function remember<Mark>(marks: Map<string, Mark>, transactionId: string, mark: Mark): void {
  marks.delete(transactionId);
  marks.set(transactionId, mark);
  const [oldest] = marks.keys();
  if (marks.size > MOST && oldest !== undefined) marks.delete(oldest);
}
