import { overviewView, readOverviewRange } from '@svc-pay/core';
import { MAX_OVERVIEW_INTERVALS, overview, overviewQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';

export const getOverview: KeyedRoute = {
  operationId: 'getOverview',
  method: 'GET',
  path: '/sdk/overview',
  access: 'secret',
  scope: 'read',
  quota: 'lists',
  query: overviewQuery,
  summary: 'Get the figures of a time',
  description:
    'Volume, counts, success rate, time to settle, reasons of failures and gas as a share of value, by hour or day (UTC) and in ' +
    `total, for at most ${MAX_OVERVIEW_INTERVALS} intervals. They are folded from the ledger: everything that was committed by \`asOf\` is ` +
    'counted, once. Money counts in the hour in which it was booked. What a reorg takes back leaves the hour in which it was. ' +
    'Intervals without anything are left out.',
  responses: { 200: { description: 'The figures', schema: { name: 'Overview', schema: overview } } },
  refusals: ['malformed_request'],
  async handle({ ports }, { caller, query }) {
    const { from, to, interval = 'day' } = overviewQuery.parse(query);
    const range = readOverviewRange({ fromMs: Date.parse(from), toMs: Date.parse(to), interval });
    if (range === undefined) return { ok: false, code: 'malformed_request', param: 'from' };
    return answerJson(overviewView(range, await ports.lists.overview(caller, range)));
  },
};
