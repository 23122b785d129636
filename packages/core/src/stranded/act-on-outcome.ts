// Carries out what was decided about a held payment or an open authorization.
import type { LaneItem } from '../lane/lane.ts';
import { SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import type { AuthorizationChain } from './authorization-chain.ts';
import type { OutcomeDecision } from './decide-on-outcome.ts';
import type { ClaimedPayment, OpenAuthorization, StrandedStore } from './stranded-store.ts';

export type StrandedDeps = WatchBase & { readonly stranded: StrandedStore };

/** A held payment, or an open authorization with its payment if it has one. */
export type DecidedAuthorization = ClaimedPayment | (OpenAuthorization & { readonly item: LaneItem | null });

/** True when the authorization needs no further check. */
export async function actOnOutcome(
  { network, gasCoin }: Pick<AuthorizationChain, 'network' | 'gasCoin'>,
  { stranded, clock, log }: Pick<StrandedDeps, 'stranded' | 'clock' | 'log'>,
  authorization: DecidedAuthorization,
  decision: OutcomeDecision,
): Promise<boolean> {
  const details = { network, ...idsOf(authorization) };
  const nowMs = clock.nowMs();
  if (decision.action === 'close') return true;
  if (decision.action === 'queue') await stranded.queueHeld([heldOf(authorization)], nowMs);
  if (decision.action === 'complete') {
    const { mined } = decision;
    const done = await stranded.completeHeld(network, heldOf(authorization), mined, gasCoin, nowMs);
    const told = { ...details, transactionId: mined.transactionId };
    if (done === 'completed') log('held_payment_completed', told);
    if (done === 'unrecorded') log('payment_settled_unrecorded', told);
  }
  if (decision.action === 'fail') await stranded.failHeld(heldOf(authorization), decision.code, nowMs);
  if (decision.action === 'fail' || decision.action === 'report')
    log(decision.event, { ...details, transactionId: decision.transactionId });
  if (decision.action !== 'record_stranding') return false;
  const { position } = decision;
  const action = await stranded.recordStranding({ ...authorization, network, position }, nowMs);
  if (action !== undefined) log('stranded_transfer_found', { ...details, ...position, action });
  return action !== undefined;
}

function heldOf(authorization: DecidedAuthorization): ClaimedPayment {
  const { item, settlement } = authorization;
  if (item === null || settlement !== SETTLEMENT_STATUS.held)
    throw new Error(`the payment of intent ${authorization.intentId} is ${settlement}, not held`);
  return { ...authorization, item, settlement };
}

function idsOf(authorization: DecidedAuthorization) {
  const { intentId, item } = authorization;
  if (!('payer' in authorization)) return { intentId, paymentId: item?.paymentId };
  return { intentId, paymentId: authorization.paymentId, payer: authorization.payer };
}
