import {
  type DaySum,
  isEntryCursor,
  openCursor,
  readDay,
  STATEMENT_READY_MS,
  signCursor,
  statementLines,
} from '@svc-pay/core';
import { statementPart, statementQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { BUSY } from './export-route.ts';

/** Short transactions of one answer: 20,000 entries. */
const STEPS = 4;
const COMMIT_WAIT_MS = 2_000;
const NOT_READY = { ok: false, code: 'statement_not_ready', param: 'day', headers: { 'retry-after': '5' } } as const;

export const getStatement: KeyedRoute = {
  operationId: 'getStatement',
  method: 'GET',
  path: '/sdk/statement',
  access: 'secret',
  scope: 'read',
  quota: 'exports',
  query: statementQuery,
  summary: 'Get the statement of a day',
  description:
    'What the ledger booked on a day (UTC), by chain and token: gross, fee, splits, refunds, escrow, net, gas and counts. A day ' +
    'can be read from ten minutes after its end. A large day comes in parts: ask again with `cursor` while `hasMore` is true ' +
    'and add the lines up.',
  responses: {
    200: { description: 'A part of the statement', schema: { name: 'StatementPart', schema: statementPart } },
  },
  refusals: ['cursor_invalid', 'export_busy', 'statement_not_ready'],
  async handle({ ports }, { caller, query }) {
    const { day, cursor: given } = statementQuery.parse(query);
    const range = readDay(day);
    if (range === undefined) return { ok: false, code: 'malformed_request', param: 'day' };
    if (ports.clock.nowMs() < range.toMs + STATEMENT_READY_MS) return NOT_READY;
    const of = `statement ${day}`;
    const opened = given === undefined ? '' : openCursor(ports.peppers, caller, of, given);
    if (opened === undefined || !isEntryCursor(opened)) return { ok: false, code: 'cursor_invalid', param: 'cursor' };
    // Later parts rely on the first: by then everything of the day is committed.
    if (given === undefined && !(await ports.exports.allCommitted(COMMIT_WAIT_MS))) return NOT_READY;
    const { accountId, mode } = caller;
    const sums: DaySum[] = [];
    let afterId = opened;
    let hasMore = true;
    for (let step = 0; hasMore && step < STEPS; step += 1) {
      const part = await ports.exports.sumDay({ accountId, mode, ...range, afterId });
      if (!part.ok && step === 0) return BUSY;
      // What is summed is answered, and the client goes on from there.
      if (!part.ok) break;
      sums.push(...part.sums);
      afterId = part.lastId ?? afterId;
      hasMore = part.hasMore;
    }
    const cursor = hasMore ? signCursor(ports.peppers[0], caller, of, afterId) : null;
    return answerJson({ day, lines: statementLines(sums), hasMore, cursor });
  },
};
