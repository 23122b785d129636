// Life cycle of a relayer key: active, draining, retired, and back.
import type { RelayerStatus } from './relayer-transitions.ts';

export type RelayerChangeFacts = {
  /** Undefined for an unknown relayer. */
  readonly before: RelayerStatus | undefined;
  readonly wanted: RelayerStatus;
  /** Batches that are not final, replaced or dropped. */
  readonly unfinishedBatches: number;
  /** Queued payments and refunds that only this relayer can send. */
  readonly boundPayments: number;
  /** Transactions and texts that name this relayer and that a payer, or a merchant who refunds, may still sign and submit. */
  readonly signable: number;
};

export type RelayerDecision =
  | { readonly ok: true; readonly before: RelayerStatus; readonly changed: boolean }
  | { readonly ok: false; readonly code: 'relayer_unknown' | 'relayer_not_draining' }
  | { readonly ok: false; readonly code: 'relayer_has_unfinished'; readonly unfinished: number };

/**
 * A relayer retires only from draining, and only when nothing depends on its key: after a reorg it must be able to send
 * a mined batch again, and a payment bound to it would wait for ever.
 */
export function decideRelayerChange(facts: RelayerChangeFacts): RelayerDecision {
  const { before, wanted } = facts;
  if (before === undefined) return { ok: false, code: 'relayer_unknown' };
  if (before === wanted) return { ok: true, before, changed: false };
  if (wanted !== 'retired') return { ok: true, before, changed: true };
  if (before !== 'draining') return { ok: false, code: 'relayer_not_draining' };
  const unfinished = facts.unfinishedBatches + facts.boundPayments + facts.signable;
  if (unfinished > 0) return { ok: false, code: 'relayer_has_unfinished', unfinished };
  return { ok: true, before, changed: true };
}
