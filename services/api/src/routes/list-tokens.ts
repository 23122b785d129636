import { listTokens as list } from '@svc-pay/core';
import { tokenList } from '@svc-pay/protocol';
import { answerJson } from './answer-json.ts';
import type { KeyedRoute } from './route.ts';

export const listTokens: KeyedRoute = {
  operationId: 'listTokens',
  method: 'GET',
  path: '/sdk/public/tokens',
  access: 'publishable',
  scope: 'read',
  summary: 'List the tokens that the account takes',
  description:
    'Every token that is enabled for the account in the mode of the key: test tokens with a test key, live ones with a live ' +
    'key. `available` says whether an intent would offer it now; if not, `error` and `message` say why.',
  responses: { 200: { description: 'The tokens', schema: { name: 'TokenList', schema: tokenList } } },
  refusals: [],
  async handle({ ports }, { caller }) {
    return answerJson(await list(ports, caller));
  },
};
