import { findSupported } from '@svc-pay/core';
import { x402Supported } from '@svc-pay/protocol/x402';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';

export const supported: KeyedRoute = {
  operationId: 'x402Supported',
  method: 'GET',
  path: '/x402/supported',
  access: 'secret',
  scope: 'read',
  summary: 'What a stock x402 seller can sell by',
  description:
    'Schemes and networks that the account can be paid on, for versions 1 and 2 of x402. `extra.tokens` lists the tokens of ' +
    'one dollar with the address that each is paid to, for `payTo`.',
  responses: { 200: { description: 'Kinds', schema: { name: 'X402Supported', schema: x402Supported } } },
  refusals: [],
  async handle({ ports }, { caller }) {
    return answerJson(await findSupported(ports, caller));
  },
};
