// What the contract suite of the reader store needs of a store under test.
import type { NetworkId } from '@svc-pay/protocol';
import type { ReaderSource, ReaderStore } from '../index.ts';

export type ReaderHarness = {
  readonly network: NetworkId;
  /** Its rows are no other network's. */
  readonly otherNetwork: NetworkId;
  readonly reader: ReaderStore;
  readonly nowMs: () => number;
  /** A payout of the network names the processor, or is a direct payout in the token. */
  readonly offer: (source: ReaderSource) => Promise<void>;
  /** An authorization in that token that was claimed here. */
  readonly claim: (token: string) => Promise<{ readonly payer: string; readonly nonce: string }>;
};
