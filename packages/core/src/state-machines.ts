// Every state machine, by the name of its thing. The docs, the schema and the house rules are held to this list.
import { ACCOUNT_TRANSITIONS } from './account/account-transitions.ts';
import { DELIVERY_TRANSITIONS } from './delivery/delivery-transitions.ts';
import { EVENT_REPLAY_TRANSITIONS } from './delivery/event-replay-transitions.ts';
import { ENDPOINT_TRANSITIONS } from './endpoint/endpoint-transitions.ts';
import { INTENT_TRANSITIONS } from './intent/intent-transitions.ts';
import { BATCH_TRANSITIONS } from './lane/batch-transitions.ts';
import { RELAYER_TRANSITIONS } from './lane/relayer-transitions.ts';
import { PAYMENT_TRANSITIONS } from './payment/payment-transitions.ts';
import { PAYOUT_TRANSITIONS } from './payout/payout-transitions.ts';
import { REFUND_TRANSITIONS } from './refund/refund-transitions.ts';
import { SETTLEMENT_TRANSITIONS } from './settlement/settlement-transitions.ts';
import { STRANDED_TRANSITIONS } from './stranded/stranded-transitions.ts';
import type { Transitions } from './transitions.ts';

export const STATE_MACHINES = {
  account: ACCOUNT_TRANSITIONS,
  payout: PAYOUT_TRANSITIONS,
  intent: INTENT_TRANSITIONS,
  payment: PAYMENT_TRANSITIONS,
  settlement: SETTLEMENT_TRANSITIONS,
  refund: REFUND_TRANSITIONS,
  batch: BATCH_TRANSITIONS,
  relayer: RELAYER_TRANSITIONS,
  stranded: STRANDED_TRANSITIONS,
  endpoint: ENDPOINT_TRANSITIONS,
  delivery: DELIVERY_TRANSITIONS,
  event_replay: EVENT_REPLAY_TRANSITIONS,
} as const satisfies Readonly<Record<string, Transitions<string>>>;
