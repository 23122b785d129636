// What the contract suite of the store of token ledgers needs of a store under test.
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { IcrcStore, NotifiedIntent } from '../index.ts';
import type { StoredProof } from './apply-harness.ts';
import type { StoredRows } from './store-harness.ts';

export type LedgerIntent = { readonly intentId: Id<'paymentIntent'>; readonly intentCode: bigint };

export type IcrcHarness = {
  readonly network: NetworkId;
  readonly ledger: string;
  /** Account of the payout that the intents are paid to, and of a payout of another merchant. */
  readonly merchant: string;
  readonly rival: string;
  /** When the first payout was made. */
  readonly beganAtMs: number;
  readonly icrc: IcrcStore;
  readonly owner: Pick<NotifiedIntent, 'accountId' | 'mode'>;
  readonly nowMs: () => number;
  /** Of one dollar. */
  readonly offer: (terms?: {
    readonly expectedSender?: string;
    readonly expiresInMs?: number;
  }) => Promise<LedgerIntent>;
  /** Cancels what expired by then. */
  readonly expire: (nowMs: number) => Promise<number>;
  readonly read: () => Promise<StoredRows>;
  readonly statusOf: (intentId: string) => Promise<string | undefined>;
  readonly proofs: () => Promise<readonly StoredProof[]>;
};

export const DOLLAR_ATOMIC = 1_000_000n;
