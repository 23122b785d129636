// Answers whether open authorizations were used, and by what. Each node answers at its own finalized height.
import {
  type AuthorizationReader,
  type AuthorizationState,
  heightOfMost,
  majorityOf,
  type OpenAuthorization,
  viewKey,
} from '@svc-pay/core';
import { collectNodeViews, firstNodeView } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { readAuthorizationStates } from './read-authorization-status.ts';
import { type FinalNode, readFinalNodes } from './read-finality.ts';
import { TRACE_PATIENCE_MS, traceAuthorizations } from './trace-authorizations.ts';

export async function readAuthorizations(nodes: readonly JsonRpc[]): Promise<AuthorizationReader> {
  const final = await readFinalNodes(nodes);
  const [first, ...others] = final;
  return {
    finalizedTimeSeconds: heightOfMost([
      first.finalizedTimeSeconds,
      ...others.map((other) => other.finalizedTimeSeconds),
    ]),
    readStates: async (authorizations, asked) => {
      const collect = asked === 'quorum' ? collectNodeViews : firstNodeView;
      const views = await collect(final, (node: FinalNode) => statesAt(node, authorizations));
      const answered = asked === 'quorum' ? final.length : views.length;
      return authorizations.map((_, index) => {
        const told = views.flatMap((view) => view[index] ?? []);
        // What a quorum says was so at `finalizedTimeSeconds`; a use that one node alone reports may be later, or a lie.
        return majorityOf(told, (state) => state, answered)?.[0] ?? 'open';
      });
    },
    traceOutcomes: async (traced) => {
      const views = await collectNodeViews(
        final,
        ({ node, finalizedNumber }) => traceAuthorizations(node, traced, finalizedNumber),
        TRACE_PATIENCE_MS,
      );
      return traced.map((_, index) => {
        const told = views.flatMap((outcomes) => outcomes[index] ?? []);
        return majorityOf(told, viewKey)?.[0];
      });
    },
  };
}

async function statesAt(
  { node, finalizedNumber, finalizedTimeSeconds }: FinalNode,
  authorizations: readonly OpenAuthorization[],
): Promise<readonly AuthorizationState[]> {
  const used = await readAuthorizationStates(node, authorizations, finalizedNumber);
  return authorizations.map(({ validBeforeSeconds }, index) => {
    if (used[index] !== false) return 'used';
    return validBeforeSeconds < finalizedTimeSeconds ? 'over' : 'open';
  });
}
