// Answers what became of the authorizations of held payments. Each node answers at its own finalized height, and a quorum
// must agree.
import { type HeldPayment, type HeldReader, type HeldVerdict, majorityOf, viewKey } from '@svc-pay/core';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { readAuthorizationStatuses } from './read-authorization-status.ts';
import { type FinalNode, readFinalNodes } from './read-finality.ts';
import { TRACE_PATIENCE_MS, traceAuthorizations } from './trace-authorizations.ts';

export async function readHeld(nodes: readonly JsonRpc[]): Promise<HeldReader> {
  const final = await readFinalNodes(nodes);
  return {
    judge: async (payments) => {
      const views = await collectNodeViews(final, (node) => viewOf(node, payments), TRACE_PATIENCE_MS);
      return payments.map((_, index) => {
        const told = views.flatMap((view) => view[index] ?? []);
        return majorityOf(told, viewKey)?.[0] ?? { verdict: 'undecided' };
      });
    },
  };
}

/** Asks one node everything, at the height that the same node calls final. */
async function viewOf(
  { node, finalizedNumber }: FinalNode,
  payments: readonly HeldPayment[],
): Promise<readonly HeldVerdict[]> {
  const items = payments.map(({ item }) => item);
  const statuses = await readAuthorizationStatuses(node, items, finalizedNumber);
  const taken = payments.filter((_, index) => statuses[index] === 'taken');
  const outcomes = await traceAuthorizations(node, taken.map(tracedOf), finalizedNumber);
  return payments.map((payment, index): HeldVerdict => {
    const outcome = outcomes[taken.indexOf(payment)];
    if (statuses[index] === 'free') return { verdict: 'free' };
    return outcome === undefined ? { verdict: 'undecided' } : { verdict: 'taken', outcome };
  });
}

function tracedOf({ item, claimedAtSeconds, signedTransactionIds }: HeldPayment) {
  const { asset, processor, payer, nonce, kind, capAtomic } = item;
  return { asset, processor, payer, nonce, kind, capAtomic, claimedAtSeconds, item, signedTransactionIds };
}
