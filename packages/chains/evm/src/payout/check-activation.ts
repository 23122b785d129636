// Checks the activation of a direct payout before it is used. Signatures of keys are checked without the chain and
// remembered; a contract wallet is asked on its chain, and its yes is believed for a minute.
import { createHash } from 'node:crypto';
import {
  type ActivationRefusal,
  type ActivationRules,
  type Clock,
  judgeActivation,
  majorityOf,
  type PayoutActivation,
  type RequiredSignature,
  storedActivation,
  type UsedPayout,
} from '@svc-pay/core';
import type { Hex } from '@svc-pay/protocol';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askWallet, readWallet } from '../verify/chain-questions.ts';
import { readSignature } from '../verify/read-signature.ts';
import { recoverSigner } from '../verify/recover-signer.ts';
import { digestOfActivation } from './activation-message.ts';

export type ActivationVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ActivationRefusal | 'activation_signature_invalid' }
  /** The chain could not be asked, or its nodes contradict each other: nothing is known. */
  | { readonly ok: false; readonly code: 'chain_unavailable'; readonly problem: unknown };

/**
 * `used` is the payout as the rows name it: the account whose payment it is, and network, token, recipient and payout id
 * of the acceptance or the payment. An activation that can't be read is undefined. `nodes` are asked only if a contract wallet
 * signed.
 */
export type CheckActivation = (
  used: UsedPayout,
  activation: PayoutActivation | undefined,
  nodes: () => Promise<readonly JsonRpc[]>,
) => Promise<ActivationVerdict>;

export type ActivationCheckOptions = Omit<ActivationRules, 'installation'> & {
  readonly installation: () => Promise<string>;
  readonly clock: Clock;
  readonly log?: ActivationLog;
};

/** Codes of the log catalogue. */
export type ActivationLog = (
  event: 'payout_activation_accepted' | 'payout_activation_refused',
  details: object,
) => void;

const CONTRACT_YES_MS = 60_000;
/** A refused activation is logged again after this time. */
const REFUSED_AGAIN_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function createActivationCheck(options: ActivationCheckOptions): CheckActivation {
  const { clock, log = () => {}, approvers, delayMs } = options;
  /** By activation with its signatures: until when both signatures count as good. */
  const good = new Map<string, number>();

  const remember = (key: string, activation: PayoutActivation, untilMs: number) => {
    if (!good.has(key)) log('payout_activation_accepted', detailsOf(activation));
    if (good.size >= MAX_REMEMBERED) good.clear();
    good.set(key, untilMs);
  };

  const check: CheckActivation = async (used, activation, nodes) => {
    const installation = await options.installation();
    const judged = judgeActivation(used, activation, { installation, approvers, delayMs });
    if (!judged.ok) return judged;
    if (activation === undefined) throw new Error('an activation that can’t be read was judged good');
    const key = keyOf(activation);
    if ((good.get(key) ?? 0) < clock.nowMs()) {
      const verdict = await checkSignatures(judged.signatures, nodes);
      if (!verdict.ok) return verdict;
      remember(key, activation, verdict.byContract ? clock.nowMs() + CONTRACT_YES_MS : Number.POSITIVE_INFINITY);
    }
    return clock.nowMs() < judged.inEffectFromMs ? { ok: false, code: 'activation_not_in_effect' } : { ok: true };
  };

  /** By activation and code: when the refusal was last logged. */
  const refused = new Map<string, number>();
  return async (used, activation, nodes) => {
    const verdict = await check(used, activation, nodes);
    if (verdict.ok || verdict.code === 'chain_unavailable') return verdict;
    const key = `${verdict.code} ${used.accountId} ${used.number} ${keyOf(activation)}`;
    if ((refused.get(key) ?? Number.NEGATIVE_INFINITY) + REFUSED_AGAIN_MS <= clock.nowMs()) {
      if (refused.size >= MAX_REMEMBERED) refused.clear();
      refused.set(key, clock.nowMs());
      log('payout_activation_refused', { ...detailsOf(used), code: verdict.code });
    }
    return verdict;
  };
}

const detailsOf = ({ accountId, network, number, wallet, ...rest }: UsedPayout & { readonly approver?: string }) => ({
  accountId,
  network,
  payoutId: number.toString(),
  wallet,
  ...(rest.approver !== undefined && { approver: rest.approver }),
});

function keyOf(activation: PayoutActivation | undefined): string {
  if (activation === undefined) return '';
  return createHash('sha256')
    .update(JSON.stringify(storedActivation(activation)))
    .digest('base64');
}

type CheckedSignatures =
  | { readonly ok: true; readonly byContract: boolean }
  | Extract<ActivationVerdict, { readonly ok: false }>;

async function checkSignatures(
  required: readonly RequiredSignature[],
  nodes: () => Promise<readonly JsonRpc[]>,
): Promise<CheckedSignatures> {
  const rest = required.filter((signature) => !signedByKey(signature));
  if (rest.length === 0) return { ok: true, byContract: false };
  if (rest.some(({ keyOnly }) => keyOnly)) return { ok: false, code: 'activation_signature_invalid' };
  // An address without code answers nothing, so a yes also says that the wallet is on this chain.
  const calls = rest.map(({ terms, signer, signature }) =>
    askWallet(signer, digestOfActivation(terms), signature as Hex),
  );
  try {
    const views = await collectNodeViews(await nodes(), async (node) => {
      const answers = await node(calls);
      return answers.length === calls.length && answers.every(readWallet);
    });
    const [accepted] = majorityOf(views, String) ?? [];
    if (accepted === undefined) throw new Error('the nodes contradict each other about a contract wallet');
    return accepted ? { ok: true, byContract: true } : { ok: false, code: 'activation_signature_invalid' };
  } catch (problem) {
    return { ok: false, code: 'chain_unavailable', problem };
  }
}

function signedByKey({ terms, signer, signature }: RequiredSignature): boolean {
  const read = readSignature(Buffer.from(signature.slice(2), 'hex'));
  return read !== undefined && recoverSigner(digestOfActivation(terms), read) === signer;
}
