import { expect, test } from 'vitest';
import { holds } from './check.ts';
import { WEBHOOKS } from './check-payment.ts';
import { FLOWS, type PaymentFlow } from './journal.ts';
import { type FlowReport, notCheckedOf, type RehearsalReport, reportPage } from './report.ts';

const made = (flow: PaymentFlow, ...ids: readonly string[]): FlowReport => ({
  flow,
  ok: true,
  signed: '7',
  charged: '7',
  checks: ['booked once', ...ids].map((id) => holds(id, true, '')),
});
const endedAt = '2026-11-17T06:00:00.000Z';
const all = FLOWS.map((flow) => made(flow, WEBHOOKS));

test('a whole rehearsal leaves out the statement of the day', () => {
  expect(notCheckedOf({ endedAt, waitMs: 1, flows: all })).toEqual([
    expect.stringContaining('statement of 2026-11-17'),
  ]);
});

test('finality that was not waited for, payments that were left out and webhooks without a delivery are named', () => {
  const [finality, leftOut, webhooks] = notCheckedOf({ endedAt, waitMs: 0, flows: [made('exact')] });
  expect(finality).toMatch(/^Finality: --wait is 0/);
  expect(leftOut).toContain('direct, upto');
  expect(webhooks).toMatch(/^Webhooks of exact/);
});

test('the page says what was not checked', () => {
  const report = {
    flows: all,
    checks: [],
    cleanedUp: [],
    notChecked: ['Finality: no.', 'Payments: none.'],
    token: { shortcode: 'usdc', address: '0x', decimals: 6 },
    recording: { file: '', recorded: 0, repeated: 0 },
    spent: '0',
    maxSpend: '0',
    api: '',
    provider: '',
    endedAt,
  } as unknown as RehearsalReport;
  expect(reportPage(report)).toContain('## Not checked\n\n- Finality: no.\n- Payments: none.\n');
});
