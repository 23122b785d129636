// A direct payout is activated by two signatures: the wallet's own, and an approver's, who is the wallet that it replaces
// or an operator key named in the settings of API and settlement. Whoever can only write to the database can activate
// nothing.
import type { NetworkId } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';

/**
 * `exclusive`: only this installation has payments signed to the wallet, so any transfer by an authorization that it
 * claimed is its payment. `shared`: others do too, so a stranger's transaction counts only for a bound nonce.
 */
export const WALLET_USES = ['exclusive', 'shared'] as const;
export type WalletUse = (typeof WALLET_USES)[number];

/** What both sign. */
export type ActivationTerms = {
  /** `svc.installation.id`. */
  readonly installation: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: NetworkId;
  readonly asset: string;
  readonly wallet: string;
  readonly use: WalletUse;
  /** The payout id; rises with every activation on the network. */
  readonly number: bigint;
  /** The wallet that this one replaces, itself to renew it; null for the first of an account, mode, network and token. */
  readonly replaces: string | null;
  readonly signedAtSeconds: bigint;
};

/** Replacements in a row that only the replaced wallet approved; an operator approves the next one. */
export const MAX_REPLACED = 8;

export type PayoutActivation = ActivationTerms & {
  /** 0x-hex; of a contract wallet, what its `isValidSignature` accepts. */
  readonly walletSignature: string;
  readonly approver: string;
  /** Of the same message. An operator signs with a key. */
  readonly approverSignature: string;
  /**
   * Where the approver is the replaced wallet: that wallet's own activation, which makes it the account's. Without it
   * anybody could approve one wallet of theirs by another.
   */
  readonly replaced?: PayoutActivation;
};
