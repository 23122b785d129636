// The block that a client names in notify: a hint, which the ledger is asked about.
import { type BlockName, readBlockIndex, readBlockName } from '../token/block-name.ts';

export type NamedBlock = {
  /** Null where the client names none. */
  readonly ledger: string | null;
  readonly index: bigint;
};

/** Fields of the request as they came: they may be anything. */
export type BlockHints = {
  readonly transactionId?: unknown;
  readonly ledgerCanisterId?: unknown;
  readonly ledgerBlockIndex?: unknown;
  readonly canisterTxId?: unknown;
};

/** Undefined where no block is named. `canisterTxId` is read where `ledgerBlockIndex` is absent, then `transactionId`. */
export function readNamedBlock(hints: BlockHints): NamedBlock | undefined {
  const { transactionId, ledgerCanisterId, ledgerBlockIndex, canisterTxId } = hints;
  const name = typeof transactionId === 'string' ? readBlockName(transactionId) : undefined;
  const index = indexOf(ledgerBlockIndex) ?? indexOf(canisterTxId) ?? name?.index;
  if (index === undefined) return undefined;
  const isNamed = typeof ledgerCanisterId === 'string' && ledgerCanisterId !== '';
  return { ledger: isNamed ? ledgerCanisterId : (name?.ledger ?? null), index };
}

/** The ledger of the intent that the client means; undefined where it is none of them. */
export function chooseBlock({ ledger, index }: NamedBlock, ledgers: readonly string[]): BlockName | undefined {
  const meant = ledger === null ? ledgers[0] : ledgers.find((known) => known === ledger);
  return meant === undefined ? undefined : { ledger: meant, index };
}

function indexOf(given: unknown): bigint | undefined {
  if (typeof given === 'number') return Number.isSafeInteger(given) ? readBlockIndex(String(given)) : undefined;
  return typeof given === 'string' ? readBlockIndex(given) : undefined;
}
