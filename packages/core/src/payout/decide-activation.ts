// Decides what an activation of a direct payout writes. Both signatures are checked before; here it must fit to what the
// account has, and to what the wallet is used for already.
import type { NetworkId } from '@svc-pay/protocol';
import { type ActivationTerms, MAX_REPLACED, type PayoutActivation, type WalletUse } from './activation.ts';
import { isChange } from './judge-activation.ts';
import { storedActivation } from './read-activation.ts';

/** A direct payout that is not disabled. */
export type StoredDirectPayout = {
  readonly activation: PayoutActivation;
  readonly activeFromMs: number;
};

/** A payout that has the wallet on the same network and is not disabled. */
export type WalletInUse = Pick<ActivationTerms, 'accountId' | 'mode' | 'use'>;

export type ActivationFacts = {
  readonly installation: string;
  /** The newest direct payout of the account, mode, network and token. */
  readonly newest: StoredDirectPayout | undefined;
  /** Of all direct payouts of the network, disabled ones too; zero if there is none. */
  readonly highestNumber: bigint;
  readonly walletInUse: readonly WalletInUse[];
  readonly nowMs: number;
  readonly delayMs: number;
};

export type ActivationProblem =
  | 'activation_of_other_installation'
  /** The number was taken meanwhile, or is far above the next one. */
  | 'activation_number'
  /** Signed too long ago, or for the future. */
  | 'activation_time'
  /** It replaces another wallet than the account has. */
  | 'activation_replaces_other'
  /** An earlier change has not taken effect yet. */
  | 'activation_change_pending'
  /** Only replaced wallets approved the last changes: an operator must approve this one. */
  | 'activation_needs_operator'
  /** The wallet is exclusive to another account, or used otherwise by this one. */
  | 'wallet_in_use';

export type ActivationDecision =
  | { readonly step: 'create'; readonly activeFromMs: number }
  /** The same activation again. */
  | { readonly step: 'keep'; readonly activeFromMs: number }
  | { readonly step: 'refuse'; readonly code: ActivationProblem };

/** Numbers may be left out, so that several activations can be signed at once. */
const MAX_NUMBER_STEP = 1_000n;
/** The owners of a contract wallet may need days to sign, and after a restore it is entered again. */
const MAX_AGE_SECONDS = 30n * 86_400n;
const MAX_AHEAD_SECONDS = 600n;

export function decideActivation(given: PayoutActivation, facts: ActivationFacts): ActivationDecision {
  const { newest, highestNumber, nowMs, delayMs } = facts;
  if (newest !== undefined && sameActivation(newest.activation, given))
    return { step: 'keep', activeFromMs: newest.activeFromMs };
  if (given.installation !== facts.installation) return refuse('activation_of_other_installation');
  if (given.number <= highestNumber || given.number > highestNumber + MAX_NUMBER_STEP)
    return refuse('activation_number');
  const ageSeconds = BigInt(Math.floor(nowMs / 1_000)) - given.signedAtSeconds;
  if (ageSeconds > MAX_AGE_SECONDS || ageSeconds < -MAX_AHEAD_SECONDS) return refuse('activation_time');
  if (newest !== undefined && newest.activeFromMs > nowMs) return refuse('activation_change_pending');
  if (given.replaces !== (newest?.activation.wallet ?? null)) return refuse('activation_replaces_other');
  const { replaced } = given;
  if (replaced !== undefined && (newest === undefined || !sameActivation(newest.activation, replaced)))
    return refuse('activation_replaces_other');
  if (depthOf(given) > MAX_REPLACED) return refuse('activation_needs_operator');
  if (facts.walletInUse.some((other) => contradicts(given, other))) return refuse('wallet_in_use');
  // The services count from the time that was signed, which may be some minutes ahead.
  const fromMs = Math.max(nowMs, Number(given.signedAtSeconds) * 1_000);
  return { step: 'create', activeFromMs: isChange(given) ? fromMs + delayMs : fromMs };
}

const refuse = (code: ActivationProblem) => ({ step: 'refuse', code }) as const;

/**
 * A transfer to an exclusive wallet by an authorization that an account claimed is that account's payment, whoever sent
 * it. So no other account has the wallet, and one account says the same of it everywhere.
 */
function contradicts(given: WalletInUse, other: WalletInUse): boolean {
  const same = given.accountId === other.accountId && given.mode === other.mode;
  const exclusive = (use: WalletUse) => use === 'exclusive';
  return same ? given.use !== other.use : exclusive(given.use) || exclusive(other.use);
}

function sameActivation(one: PayoutActivation, other: PayoutActivation): boolean {
  return JSON.stringify(storedActivation(one)) === JSON.stringify(storedActivation(other));
}

function depthOf({ replaced }: PayoutActivation): number {
  return replaced === undefined ? 0 : 1 + depthOf(replaced);
}

export type NextActivation = Pick<ActivationTerms, 'accountId' | 'mode' | 'asset' | 'wallet' | 'use'> & {
  readonly network: NetworkId;
};

/** The terms that wallet and approver sign next. */
export function nextTerms(
  wanted: NextActivation,
  { installation, newest, highestNumber, nowMs }: Omit<ActivationFacts, 'delayMs' | 'walletInUse'>,
): ActivationTerms {
  return {
    installation,
    ...wanted,
    number: highestNumber + 1n,
    replaces: newest?.activation.wallet ?? null,
    signedAtSeconds: BigInt(Math.floor(nowMs / 1_000)),
  };
}
