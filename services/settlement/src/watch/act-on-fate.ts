// From what finalized logs prove to what is done about it.
import type { AuthorizationFate } from '@svc-pay/evm';
import { type ClaimedPayment, completeHeld, failHeld, recordStranding } from '@svc-pay/postgres/lanes';
import type { OpenNetwork } from '../open-networks.ts';
import type { WatchParts } from './watch-parts.ts';

/** For a payment that is held: it completes, by the chain's own word or by recovery, or it fails. */
export async function actOnHeld(
  { network, gasCoin }: OpenNetwork,
  { pool, clock, log }: WatchParts,
  payment: ClaimedPayment,
  fate: AuthorizationFate,
): Promise<void> {
  const details = { network, paymentId: payment.item.paymentId, intentId: payment.intentId };
  const nowMs = clock.nowMs();
  switch (fate.fate) {
    case 'settled': {
      const { transactionId } = fate.mined;
      const done = await completeHeld(pool, network, payment, fate.mined, gasCoin, nowMs);
      if (done) log('info', { ...details, transactionId }, 'a held payment is completed by its own event');
      else log('error', { ...details, transactionId }, 'a payment was settled by a transaction that no lane recorded');
      return;
    }
    case 'stranded': {
      const place = { transactionId: fate.transactionId, logIndex: fate.logIndex };
      const deed = await recordStranding(pool, { ...payment, network, place }, nowMs);
      if (deed !== undefined) log('warn', { ...details, ...place, deed }, 'an authorization was submitted around us');
      return;
    }
    case 'burned':
      await failHeld(pool, payment, 'authorization_already_used', nowMs);
      log(
        'info',
        { ...details, transactionId: fate.transactionId },
        'its authorization was canceled or used elsewhere',
      );
      return;
    case 'preempted':
      await failHeld(pool, payment, 'intent_not_payable', nowMs);
      log(
        'error',
        { ...details, transactionId: fate.transactionId },
        'its intent was settled by another authorization',
      );
      return;
    case 'untold':
      // The node keeps no logs that old.
      log('error', details, 'the chain calls a held payment used or settled, and has no log that says how');
  }
}
