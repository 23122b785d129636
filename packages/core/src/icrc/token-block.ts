// A block of a token ledger.
import type { IcrcAccount } from '@svc-pay/protocol/icp';

export type TokenTransfer = {
  /** Of a transfer by allowance too the account that was debited. */
  readonly from: IcrcAccount;
  readonly to: IcrcAccount;
  readonly amountAtomic: bigint;
  readonly memo: Uint8Array | null;
};

export type TokenBlock = {
  readonly index: bigint;
  readonly hash: Uint8Array;
  /** Null for the first block of the ledger. */
  readonly parentHash: Uint8Array | null;
  readonly timestampNs: bigint;
  /** Null for everything else: a mint, a burn, an approval, an unknown kind. */
  readonly transfer: TokenTransfer | null;
};
