import { attemptPage, attemptQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { attemptBody } from './attempt-body.ts';
import { listBody, readList } from './list-page.ts';

export const listRefusedAttempts: KeyedRoute = {
  operationId: 'listRefusedAttempts',
  method: 'GET',
  path: '/sdk/attempts',
  access: 'secret',
  scope: 'read',
  quota: 'lists',
  query: attemptQuery,
  summary: 'List refused attempts to pay any intent',
  description:
    'Newest first, by time. Each pair of code and payer is kept once per intent, at most 20 of an intent, for three months. A ' +
    'payer is named as the header claimed: a refused signature proves nobody. A page may be shorter than `limit` although ' +
    '`hasMore` is true.',
  responses: { 200: { description: 'A page of attempts', schema: { name: 'AttemptPage', schema: attemptPage } } },
  refusals: ['cursor_invalid', 'time_range_invalid'],
  async handle({ ports }, { caller, query }) {
    const read = await readList(ports, caller, 'attempts', query);
    if (!read.ok) return read;
    const { page, createdAfterMs, createdBeforeMs } = read.asked;
    const found = await ports.lists.refusedAttempts(caller, { ...page, createdAfterMs, createdBeforeMs });
    return answerJson(
      listBody(ports.peppers[0], read.asked, found, ({ intentId, ...attempt }) => attemptBody(intentId, attempt)),
    );
  },
};
