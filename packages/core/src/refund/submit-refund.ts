// Takes what the merchant's wallet signed for a prepared refund: verifies it, reserves the amount and queues the refund. The
// same signature again answers the refund as it is now.
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { findToken } from '../token/find-token.ts';
import { type CreateRefundPorts, type RefundRefused, whenReachable } from './create-refund.ts';
import type { StoredRefund } from './refund.ts';
import type { RefundFamily, VerifiedRefund, WalletAnswer } from './refund-family.ts';
import { REFUND_STATUS } from './refund-transitions.ts';

export type SubmitRefundPorts = Pick<CreateRefundPorts, 'clock' | 'refunds' | 'refundFamilies' | 'chainReadFailed'> & {
  /** True if the idempotency key belongs to another request. */
  readonly isKeyReused: (caller: Caller, claim: IdempotencyClaim) => Promise<boolean>;
  readonly bindKey: (caller: Caller, claim: IdempotencyClaim, nowMs: number) => Promise<void>;
  /** Does not wait, and never throws. */
  readonly wakeLanes: (network: NetworkId) => void;
};

type RefundCall = {
  readonly caller: Caller;
  readonly refundId: Id<'refund'>;
  readonly claim: IdempotencyClaim | null;
};

export type ChangedRefund = { readonly ok: true; readonly refund: StoredRefund } | RefundRefused;

export async function submitRefund(
  ports: SubmitRefundPorts,
  call: RefundCall & { readonly answer: WalletAnswer },
): Promise<ChangedRefund> {
  return underKey(ports, call, async (refund) => {
    const family = ports.refundFamilies.find(({ owns }) => owns(refund.network));
    const signature = family?.kind === refund.kind ? family.read(call.answer) : undefined;
    if (family === undefined || signature === undefined)
      return {
        ok: false,
        code: 'malformed_request',
        param: refund.kind === 'transaction' ? 'transaction' : 'signature',
      };
    return whenReachable(ports, refund.network, () => submit(ports, call, refund, family, signature));
  });
}

/** Canceling a canceled refund answers the same again. */
export async function cancelRefund(ports: SubmitRefundPorts, call: RefundCall): Promise<ChangedRefund> {
  return underKey(ports, call, ({ id }) => ports.refunds.cancelPrepared(call.caller, id, ports.clock.nowMs()));
}

/** The key stands for its request; no answer is kept under it, because a refund moves on. */
async function underKey(
  ports: SubmitRefundPorts,
  { caller, refundId, claim }: RefundCall,
  change: (refund: StoredRefund) => Promise<ChangedRefund>,
): Promise<ChangedRefund> {
  if (claim !== null && (await ports.isKeyReused(caller, claim)))
    return { ok: false, code: 'idempotency_key_reused', param: 'Idempotency-Key' };
  const refund = await ports.refunds.load(caller, refundId);
  if (refund === undefined) return { ok: false, code: 'not_found' };
  const changed = await change(refund);
  if (changed.ok && claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
  return changed;
}

async function submit(
  ports: SubmitRefundPorts,
  { caller, answer }: { readonly caller: Caller; readonly answer: WalletAnswer },
  refund: StoredRefund,
  family: RefundFamily,
  signature: string,
): Promise<ChangedRefund> {
  const nowMs = ports.clock.nowMs();
  const isOpen = refund.status === REFUND_STATUS.prepared && (refund.expiresAtMs ?? 0) > nowMs;
  // What was submitted or canceled before is compared by the store, and no chain is asked.
  if (!isOpen) return ports.refunds.submit(caller, refund.id, { signature, byContract: false }, nowMs);
  const token = findToken(refund.tokenShortcode);
  if (token === undefined) return { ok: false, code: 'refund_not_available' };
  const verified = await verifyOpen(ports, caller, refund, () => family.verify(refund, token, answer));
  if (verified === 'taken') return ports.refunds.submit(caller, refund.id, { signature, byContract: false }, nowMs);
  if (!verified.ok && verified.code === 'refund_found_on_chain') return answerUsed(ports, caller, refund, signature);
  if (!verified.ok) return verified;
  const submitted = await ports.refunds.submit(caller, refund.id, verified.submitted, ports.clock.nowMs());
  if (submitted.ok) ports.wakeLanes(refund.network);
  return submitted;
}

/**
 * `taken`: the same refund was submitted meanwhile, and the chain may speak of that already. Of another one with its sequence
 * the chain need not be asked: this one is never taken.
 */
async function verifyOpen(
  { refunds }: SubmitRefundPorts,
  caller: Caller,
  { id, paymentId, sequence }: StoredRefund,
  verify: () => Promise<VerifiedRefund>,
): Promise<VerifiedRefund | 'taken'> {
  const isTaken = async () => (await refunds.load(caller, id))?.status !== REFUND_STATUS.prepared;
  try {
    const verified = await verify();
    return verified.ok || !(await isTaken()) ? verified : 'taken';
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    // Before the refund is read once more: a repeat of this call that took it just now moved the sequence too.
    const payment = await refunds.loadRefundable(caller, paymentId);
    if (await isTaken()) return 'taken';
    if (payment === undefined || sequence === null || sequence >= payment.nextSequence) throw problem;
    return { ok: false, code: 'refund_superseded' };
  }
}

/**
 * The chain shows a transfer under the refund's nonce. A repeat of this call submitted the refund meanwhile, another refund
 * with the nonce was faster, or nobody told the service: then it is recorded, and final logs tell what it moved.
 */
async function answerUsed(
  { clock, refunds }: SubmitRefundPorts,
  caller: Caller,
  refund: StoredRefund,
  signature: string,
): Promise<ChangedRefund> {
  const { accountId, mode, paymentId, kind, sequence, nonce, wallet, recipient } = refund;
  const isFound = { ok: false, code: 'refund_found_on_chain' } as const;
  if (kind === 'reported' || sequence === null || nonce === null) return isFound;
  const nowMs = clock.nowMs();
  const found = { id: newId('refund', nowMs), accountId, mode, paymentId, kind, sequence, nonce, wallet, recipient };
  const recorded = await refunds.recordFound(found, nowMs);
  if (!recorded.ok) return recorded;
  if (recorded.refund.id === refund.id)
    return refunds.submit(caller, refund.id, { signature, byContract: false }, nowMs);
  // What was found on chain was never prepared, so it expires at no time.
  return recorded.refund.expiresAtMs === null ? isFound : { ok: false, code: 'refund_superseded' };
}
