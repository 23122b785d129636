import type { PaymentStatus } from '@svc-pay/protocol';
import type { Transitions } from '../transitions.ts';

/** Canceled means claimed but never signed by the relayer: no money can have moved. */
export const PAYMENT_TRANSITIONS = {
  pending: ['completed', 'failed', 'canceled', 'mismatched'],
  mismatched: ['completed', 'refunded'],
  completed: ['refunded', { to: 'pending', only: 'reorg' }],
  failed: [],
  canceled: [],
  refunded: [],
} as const satisfies Transitions<PaymentStatus>;
