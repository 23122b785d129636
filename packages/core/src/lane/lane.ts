// A lane is one relayer key on one network: the only writer of that key's nonces. Payments queue per network; a lane takes
// what waits, puts it into transactions, and records what the chain made of each payment.
import type { NetworkId } from '@svc-pay/protocol';
import { parseNetwork } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { AuthorizationKind } from '../settle/claim-payment.ts';
import type { SignedTransfer } from '../settle/signed-transfer.ts';

/** The relayer's address as the chain spells it, in lower case on EVM. */
export type Lane = { readonly network: NetworkId; readonly relayer: string };

export const LANE_DRAIN = 'lane';

export function laneKey({ network, relayer }: Lane): string {
  return `${network}/${relayer}`;
}

export function parseLaneKey(key: string): Lane {
  const slash = key.lastIndexOf('/');
  const network = parseNetwork(key.slice(0, slash));
  if (slash < 0 || network === undefined) throw new Error(`${key} names no lane`);
  return { network, relayer: key.slice(slash + 1) };
}

/** One payment on its way to the chain, with all that its transaction and its books need. */
export type LaneItem = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly intentId: Id<'paymentIntent'>;
  readonly intentCode: bigint;
  /** Its place in the queue. */
  readonly number: bigint;
  /** Since a batch with it reverted as a whole: no transaction carries it among more than this. */
  readonly batchLimit?: number;
  readonly asset: string;
  readonly processor: string;
  readonly kind: AuthorizationKind;
  /** A contract wallet answered for the signature. */
  readonly byContract: boolean;
  readonly payer: string;
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 0x-hex, 32 bytes. */
  readonly nonce: string;
  /** 0x-hex, as the payer's wallet sent it. */
  readonly signature: string;
  readonly payout: {
    readonly id: bigint;
    readonly merchant: string;
    readonly feeBps: number;
    readonly splits: readonly { readonly to: string; readonly bps: number }[];
  };
  /** Blocks, counting its own, before it is called completed. */
  readonly confirmations: number;
  /** Where the payer signed a whole transaction instead of an authorization; `signature` is its bytes then. */
  readonly transfer?: SignedTransfer;
  /** Its money lies with the processor already: a stranger submitted the authorization. */
  readonly recovery?: Recovery;
};

export type Recovery = {
  /** `settle` completes the payment with it, `return` sends it back whole. */
  readonly deed: 'settle' | 'return';
  /** The token's transfer that brought it. */
  readonly transactionId: string;
  readonly logIndex: number;
};

/** A batch whose end is not known yet, with every transaction ever signed for it. */
export type FlyingBatch = {
  readonly id: string;
  readonly nonce: bigint;
  readonly status: 'signed' | 'broadcast';
  /** When it was last offered to the chain; when it was signed, if it never was. */
  readonly sentAtMs: number;
  readonly transactions: readonly SignedTransaction[];
  /** In the order in which the transaction carries them. */
  readonly items: readonly LaneItem[];
};

export type SignedTransaction = {
  readonly transactionId: string;
  readonly raw: Uint8Array;
  /** When it was stored; absent before. */
  readonly signedAtMs?: number;
};
