// Ends what a rehearsal left open: a confirmed cap is released, an unpaid intent is canceled. What can't be ended is named.
import type { Journal, OpenIntent } from './journal.ts';
import type { Rehearsal } from './rehearsal.ts';

export type CleanedUp = {
  readonly flow: OpenIntent['flow'];
  readonly paymentIntentId: string;
  /** `open`: it could not be ended; `said` tells why. */
  readonly how: 'completed' | 'released' | 'canceled' | 'failed' | 'open';
  readonly said: string;
};

type Deps = Pick<Rehearsal, 'merchantOf'> & { readonly journal: Journal };

export async function cleanUp({ journal, merchantOf }: Deps): Promise<readonly CleanedUp[]> {
  const cleaned: CleanedUp[] = [];
  for (const { flow, paymentIntentId } of journal.open()) {
    const ended = await endIntent(merchantOf(flow).api, flow, paymentIntentId);
    if (ended.how !== 'open') journal.write({ kind: 'ended', paymentIntentId, how: ended.how });
    cleaned.push({ flow, paymentIntentId, ...ended });
  }
  return cleaned;
}

type Ended = Pick<CleanedUp, 'how' | 'said'>;

async function endIntent(
  { upto, intents }: ReturnType<Rehearsal['merchantOf']>['api'],
  flow: OpenIntent['flow'],
  paymentIntentId: string,
): Promise<Ended> {
  const found = await intents.get(paymentIntentId);
  const status = found.ok ? found.situation.paymentIntent.status : undefined;
  if (status === 'completed') return { how: 'completed', said: 'it was paid meanwhile' };
  if (status === 'canceled' || status === 'failed') return { how: status, said: 'it had ended already' };
  if (flow === 'upto') {
    const released = await upto.release({ paymentIntentId });
    if (released.ok) return { how: 'released', said: 'the signed cap was given up, nothing was charged' };
  }
  const canceled = await intents.cancel(paymentIntentId);
  if (canceled.ok) return { how: 'canceled', said: 'nobody had begun to pay it' };
  return {
    how: 'open',
    said: `it is ${status ?? 'unknown'} and can’t be ended: ${canceled.code}: ${canceled.message}`,
  };
}
