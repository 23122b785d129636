// Waits until the block of a payment is final, and reads the transaction again: the same block, the same logs.

import type { SeenReceipt } from './chain-facts.ts';
import { agree, type Check, holds } from './check.ts';
import { checkBooks, checkEvents } from './check-payment.ts';
import type { PaymentFacts } from './payment-facts.ts';
import { type Rehearsal, waitFor } from './rehearsal.ts';

export const FINAL = 'block is final';

/** `patienceMs` 0: finality is not waited for. */
export type FinalityOptions = { readonly patienceMs: number };

export async function checkFinality(
  { chain, merchantOf, stopping }: Pick<Rehearsal, 'chain' | 'merchantOf' | 'stopping'>,
  { asked, payment, receipt }: PaymentFacts,
  { patienceMs }: FinalityOptions,
): Promise<readonly Check[]> {
  const final = await waitFor(
    async () => {
      const finalized = await chain.block('finalized');
      return finalized.number >= receipt.blockNumber ? finalized : undefined;
    },
    patienceMs,
    stopping,
  );
  if (final === undefined) return [holds(FINAL, false, `block ${receipt.blockNumber} is not final in time`)];
  const [block, again] = [await chain.block(receipt.blockNumber), await chain.receipt(receipt.transactionId)];
  const now = await merchantOf(asked.flow).api.payments.get(payment.id);
  return [
    holds(FINAL, true, `block ${receipt.blockNumber}, final up to ${final.number}`),
    agree('block hash', { before: receipt.blockHash, chain: block.hash, receipt: again?.blockHash }),
    holds(
      'logs are the same when final',
      again !== undefined && logsOf(again) === logsOf(receipt),
      `${again?.logs.length ?? 0} logs, ${receipt.logs.length} before`,
    ),
    agree('payment when final', { expected: 'completed', payment: now.ok ? now.payment.status : now.code }),
  ];
}

/** Books and events as they were read again after the block became final: none came twice. */
export function checkAgain(facts: PaymentFacts): readonly Check[] {
  return [
    summed('books are the same when final', checkBooks(facts)),
    summed('events are the same when final', checkEvents(facts)),
  ];
}

function summed(id: string, checks: readonly Check[]): Check {
  const red = checks.filter(({ ok }) => !ok).map((check) => `${check.id}: ${check.seen}`);
  return holds(id, red.length === 0, red.length === 0 ? `${checks.length} checks are green again` : red.join('; '));
}

const logsOf = ({ logs }: SeenReceipt): string =>
  JSON.stringify(logs.map(({ address, topics, data }) => [address, topics, data]));
