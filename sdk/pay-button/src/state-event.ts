import type { Learned } from './flow/scene.ts';
import type { Stage, StageName } from './stage.ts';

/** What `svc-pay-state` carries each time the button comes to another stage. */
export type StateDetail = {
  readonly state: StageName;
  /** The merchant's name for what is paid, as the button was told. */
  readonly order: string | null;
  readonly paymentIntentId: string | null;
  readonly transactionId: string | null;
  /** As far as this page knows: `yes` and `no` are the service's word, or nothing was sent at all. */
  readonly moneyMoved: 'no' | 'yes' | 'unknown';
  /** Why it failed; null at other stages. */
  readonly code: string | null;
};

const UNKNOWN: ReadonlySet<StageName> = new Set(['pay', 'confirming', 'sending', 'settling', 'checking', 'unknown']);

export function stateDetail(stage: Stage, order: string | undefined, learned: Learned): StateDetail {
  const moved = stage.name === 'paid' || stage.name === 'mismatched';
  return {
    state: stage.name,
    order: order ?? null,
    paymentIntentId: learned.paymentIntentId ?? null,
    transactionId: learned.transactionId ?? null,
    moneyMoved: moved ? 'yes' : UNKNOWN.has(stage.name) ? 'unknown' : 'no',
    code: stage.name === 'failed' ? stage.code : null,
  };
}
