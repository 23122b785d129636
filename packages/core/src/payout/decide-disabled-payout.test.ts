import { expect, test } from 'vitest';
import { decideDisabledPayout } from './decide-disabled-payout.ts';
import type { Payout } from './payout.ts';

const NOW_MS = 1_700_000_000_000;
type Given = Pick<Payout, 'status' | 'direct' | 'network'>;
const direct = (fromNowMs: number, status: Given['status'] = 'active'): Given => ({
  status,
  network: 'eip155:84532',
  direct: {
    asset: '0xtoken',
    use: 'exclusive',
    activeFrom: new Date(NOW_MS + fromNowMs).toISOString(),
    approver: '0xoperator',
  },
});
const [oldest, replaced] = [direct(-9_000), direct(-5_000)];
const earlier = [replaced, oldest];

test.each<[string, Given | undefined, ReturnType<typeof decideDisabledPayout>]>([
  ['nothing of that name', undefined, { step: 'refuse', code: 'payout_unknown' }],
  [
    'a processor’s payout',
    { status: 'active', network: 'eip155:84532' },
    { step: 'refuse', code: 'payout_of_processor' },
  ],
])('%s is not disabled', (_, found, decision) => {
  expect(decideDisabledPayout(found, [], NOW_MS)).toEqual(decision);
});

test('with a wallet in effect, from the moment it is, all wallets end that it replaced', () => {
  for (const found of [direct(-1), direct(0)])
    expect(decideDisabledPayout(found, earlier, NOW_MS)).toEqual({ step: 'disable', payouts: [found, ...earlier] });
});

test.each(['solana:devnet', 'icp:local'])(
  'a payout on %s, which no chain retires, ends with those that it replaced',
  (network) => {
    const payout = (status: Given['status']): Given => ({ status, network });
    const [found, before] = [payout('active'), payout('active')];
    expect(decideDisabledPayout(found, [before], NOW_MS)).toEqual({ step: 'disable', payouts: [found, before] });
    const ended = payout('disabled');
    expect(decideDisabledPayout(ended, [before], NOW_MS)).toEqual({ step: 'keep', payout: ended });
  },
);

test('a change that is ended before its time leaves the wallet before it in use', () => {
  const found = direct(1);
  expect(decideDisabledPayout(found, earlier, NOW_MS)).toEqual({ step: 'disable', payouts: [found] });
});

test('one that is disabled stays so, and touches no other', () => {
  const found = direct(-1, 'disabled');
  expect(decideDisabledPayout(found, earlier, NOW_MS)).toEqual({ step: 'keep', payout: found });
});
