// Acts on an authorization outcome that finalized logs prove.
import type { ClaimedPayment, WatchDeps } from '@svc-pay/core';
import type { OpenNetwork } from '../send/open-networks.ts';
import type { AuthorizationOutcome } from './trace-authorizations.ts';

/** Ends a held payment: completed by the chain's proof or with its stranded money, or failed. */
export async function actOnHeld(
  { network, gasCoin }: OpenNetwork,
  { stranded, clock, log }: Pick<WatchDeps, 'stranded' | 'clock' | 'log'>,
  payment: ClaimedPayment,
  outcome: AuthorizationOutcome,
): Promise<void> {
  const details = { network, paymentId: payment.item.paymentId, intentId: payment.intentId };
  const nowMs = clock.nowMs();
  switch (outcome.outcome) {
    case 'settled': {
      const { transactionId } = outcome.mined;
      const done = await stranded.completeHeld(network, payment, outcome.mined, gasCoin, nowMs);
      if (done === 'completed') {
        log('held_payment_completed', { ...details, transactionId });
      }
      if (done === 'unrecorded') log('payment_settled_unrecorded', { ...details, transactionId });
      return;
    }
    case 'stranded': {
      const position = { transactionId: outcome.transactionId, logIndex: outcome.logIndex };
      const action = await stranded.recordStranding({ ...payment, network, position }, nowMs);
      if (action !== undefined) log('stranded_transfer_found', { ...details, ...position, action });
      return;
    }
    case 'burned':
      await stranded.failHeld(payment, 'authorization_already_used', nowMs);
      log('authorization_burned', { ...details, transactionId: outcome.transactionId });
      return;
    case 'preempted':
      await stranded.failHeld(payment, 'intent_not_payable', nowMs);
      log('intent_settled_by_other_authorization', { ...details, transactionId: outcome.transactionId });
      return;
    case 'untold':
      // The node keeps no logs from that time.
      log('held_payment_unexplained', details);
  }
}
