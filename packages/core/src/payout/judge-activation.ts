// Decides whether an activation allows to use a payout, and whose signatures it needs. API and settlement ask before every
// use, so that a row that somebody else wrote gets no money: everything that decides where money goes is compared with
// what was signed.
import { sameAddress } from '../token/address.ts';
import { type ActivationTerms, MAX_REPLACED, type PayoutActivation } from './activation.ts';

/** The payout as rows name it, whoever wrote them. */
export type UsedPayout = Pick<ActivationTerms, 'accountId' | 'mode' | 'network' | 'asset' | 'wallet' | 'number'>;

/** Whether the activation of a payout holds now; `unknown` while its wallet cannot be asked. */
export type CheckUsedPayout = (
  used: UsedPayout,
  activation: PayoutActivation,
) => Promise<'good' | 'refused' | 'unknown'>;

export type ActivationRules = {
  /** `svc.installation.id`. */
  readonly installation: string;
  /** Addresses of the operators who approve payouts, in lower case, from the settings of the process. */
  readonly approvers: ReadonlySet<string>;
  /** From the signing of a change to its effect. */
  readonly delayMs: number;
};

export type ActivationRefusal =
  /** The row is not of the form that we write. */
  | 'activation_unreadable'
  /** The rows name another payout than the one that was signed. */
  | 'activation_differs'
  /** The approver is neither an operator nor a wallet that an operator has approved for this account. */
  | 'activation_unapproved'
  /** Only replaced wallets approved the last changes, more than `MAX_REPLACED` in a row. */
  | 'activation_needs_operator'
  /** Signed for a time that has not come. */
  | 'activation_not_in_effect';

export type RequiredSignature = {
  readonly terms: ActivationTerms;
  readonly signer: string;
  readonly signature: string;
  /** An operator signs with a key: at another chain's address of a contract somebody else may live. */
  readonly keyOnly: boolean;
};

export type JudgedActivation =
  | {
      readonly ok: true;
      readonly signatures: readonly RequiredSignature[];
      readonly inEffectFromMs: number;
    }
  | { readonly ok: false; readonly code: ActivationRefusal };

export function judgeActivation(
  used: UsedPayout,
  activation: PayoutActivation | undefined,
  { installation, approvers, delayMs }: ActivationRules,
): JudgedActivation {
  if (activation === undefined) return refuse('activation_unreadable');
  if (!names(activation, used) || activation.installation !== installation) return refuse('activation_differs');
  const signatures: RequiredSignature[] = [];
  let link = activation;
  for (let depth = 0; depth <= MAX_REPLACED; depth += 1) {
    const { walletSignature, approver, approverSignature, replaced, ...terms } = link;
    const byOperator = approvers.has(approver);
    signatures.push(
      { terms, signer: link.wallet, signature: walletSignature, keyOnly: false },
      { terms, signer: approver, signature: approverSignature, keyOnly: byOperator },
    );
    if (byOperator) return { ok: true, signatures, inEffectFromMs: inEffectFromMs(activation, delayMs) };
    if (approver !== link.replaces || replaced === undefined || !precedes(replaced, link))
      return refuse('activation_unapproved');
    link = replaced;
  }
  return refuse('activation_needs_operator');
}

/** A first wallet, and the same wallet again, change nobody's money: they take effect at once. */
export function isChange({ replaces, wallet }: Pick<ActivationTerms, 'replaces' | 'wallet'>): boolean {
  return replaces !== null && replaces !== wallet;
}

function inEffectFromMs(activation: ActivationTerms, delayMs: number): number {
  const signedAtMs = Number(activation.signedAtSeconds) * 1_000;
  return isChange(activation) ? signedAtMs + delayMs : signedAtMs;
}

const refuse = (code: ActivationRefusal) => ({ ok: false, code }) as const;

/** Addresses of the rows are in any letter case, those of an activation in lower case. */
function names(activation: ActivationTerms, used: UsedPayout): boolean {
  return (
    activation.accountId === used.accountId &&
    activation.mode === used.mode &&
    activation.network === used.network &&
    sameAddress(activation.asset, used.asset) &&
    sameAddress(activation.wallet, used.wallet) &&
    activation.number === used.number
  );
}

/** `replaced` is of the same account, network and token, and its wallet is the one that approves. */
function precedes(replaced: PayoutActivation, { replaces, number, signedAtSeconds, ...terms }: PayoutActivation) {
  return (
    replaced.wallet === replaces &&
    replaced.number < number &&
    replaced.signedAtSeconds <= signedAtSeconds &&
    replaced.installation === terms.installation &&
    replaced.accountId === terms.accountId &&
    replaced.mode === terms.mode &&
    replaced.network === terms.network &&
    replaced.asset === terms.asset
  );
}
