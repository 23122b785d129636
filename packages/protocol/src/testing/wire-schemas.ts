// All wire shapes, keyed by the title of their table in docs/reference/wire.md.
import type { z } from 'zod/mini';
import * as wire from '../index.ts';

export const WIRE_SCHEMAS: Readonly<Record<string, z.core.$ZodType>> = {
  Acceptance: wire.acceptance,
  'Acceptance extra': wire.acceptanceExtra,
  'Payment required': wire.paymentRequired,
  'Fallback recommendation': wire.fallbackRecommendation,
  'Create intent request': wire.createIntentRequest,
  'Payment header': wire.evmPaymentHeader,
  'Settle request': wire.settleRequest,
  'Settle response': wire.settleResponse,
  'Payment intent': wire.paymentIntent,
  'Intent snapshot': wire.intentSnapshot,
  Payment: wire.payment,
  Event: wire.paymentEvent,
  'Endpoint configuration': wire.endpointConfiguration,
  'Up-to confirm response': wire.uptoConfirmResponse,
  'Up-to settle request': wire.uptoSettleRequest,
  'Up-to settle response': wire.uptoSettleResponse,
  'Up-to release request': wire.uptoReleaseRequest,
  'Internal up-to settle request': wire.internalUptoSettleRequest,
  'Intent status response': wire.intentStatusResponse,
  'Notify request': wire.notifyRequest,
  'Notify response': wire.notifyResponse,
  'Prepare request': wire.prepareRequest,
  'Prepare response': wire.prepareResponse,
  'Signable response': wire.signableResponse,
  'Relay request': wire.relayRequest,
  'Relay response': wire.relayResponse,
  Error: wire.errorBody,
};
