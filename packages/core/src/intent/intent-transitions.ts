import type { IntentStatus } from '@svc-pay/protocol';
import type { Transitions } from '../transitions.ts';

/**
 * An intent that expires unpaid is canceled. After a failed payment that moved no money the intent is payable again.
 */
export const INTENT_TRANSITIONS = {
  requires_payment: ['processing', 'completed', 'mismatched', 'canceled', 'failed'],
  processing: ['completed', 'mismatched', 'failed', 'requires_payment'],
  mismatched: ['completed', 'canceled'],
  completed: [{ to: 'processing', only: 'reorg' }],
  failed: [],
  canceled: [],
} as const satisfies Transitions<IntentStatus>;
