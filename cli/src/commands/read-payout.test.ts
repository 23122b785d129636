import { evmNetwork, type NetworkId, parseNetwork } from '@svc-pay/protocol';
import type { OperatedNetwork, OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { expect, test } from 'vitest';
import { type PayoutOptions, readPayout } from './read-payout.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const FEE_ACCOUNT = 'SysvarRent111111111111111111111111111111111';
const networks: OperatedNetworks = new Map<NetworkId, OperatedNetwork>([
  [parseNetwork('solana:devnet')!, { feeAccount: FEE_ACCOUNT, ready: true }],
  [evmNetwork(84_532), { processor: address('52'), processorVersion: '1.3.0', ready: true }],
]);
const good: PayoutOptions = {
  account: 'acct_a',
  mode: 'test',
  network: '84532',
  merchant: address('66'),
  feeBps: '100',
};
const read = (change: Partial<PayoutOptions>) => readPayout({ ...good, ...change }, networks);

test('what is left out comes from the configuration, and status from the mode', () => {
  expect(read({ split: [`${address('77')}:250`] })).toEqual({
    ok: true,
    request: {
      accountId: 'acct_a',
      mode: 'test',
      network: 'eip155:84532',
      processor: address('52'),
      merchant: address('66'),
      terms: { feeBps: 100, splits: [{ to: address('77'), bps: 250 }] },
      status: 'active',
    },
  });
  const live = readPayout({ ...good, mode: 'live', network: 'eip155:8453', processor: address('52') }, networks);
  expect(live.ok && live.request.status).toBe('pending');
});

test('on Solana the fee account stands in place of a processor, and addresses keep their letters', () => {
  const merchant = 'SysvarC1ock11111111111111111111111111111111';
  expect(read({ network: 'solana:devnet', merchant })).toMatchObject({
    ok: true,
    request: { network: 'solana:devnet', processor: FEE_ACCOUNT, merchant },
  });
});

const OWNER = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
const onIcp = (merchant: string, change: Partial<PayoutOptions> = {}) => ({
  network: 'icp:local',
  feeBps: '0',
  merchant,
  ...change,
});

test.each([OWNER, `${OWNER}-6cc627i.1`])(
  'on the Internet Computer the account %s of the merchant stands in place of a processor',
  (merchant) => {
    expect(read(onIcp(merchant))).toMatchObject({
      ok: true,
      request: { network: 'icp:local', processor: merchant, merchant, terms: { feeBps: 0, splits: [] } },
    });
  },
);

test.each<[string, Partial<PayoutOptions>, string]>([
  ['an account with a wrong checksum', onIcp(`${OWNER}-6cc627i.2`), 'checksum'],
  ['an account in capitals', onIcp(OWNER.toUpperCase()), 'small letters'],
  ['the anonymous principal', onIcp('2vxsx-fae'), 'everybody can spend'],
  ['the management canister', onIcp('aaaaa-aa'), 'belongs to nobody'],
  ['a token ledger as merchant', onIcp('bkyz2-fmaaa-aaaaa-qaaaq-cai'), 'stuck'],
  ['a fee on the Internet Computer', onIcp(OWNER, { feeBps: '100' }), 'never holds the money'],
  ['a split on the Internet Computer', onIcp(OWNER, { split: [`${OWNER}:100`] }), 'one recipient'],
  ['a processor on the Internet Computer', onIcp(OWNER, { processor: '2vxsx-fae' }), 'leave it out'],
  ['an unknown network', { network: 'eip155:999999' }, '--network'],
  ['a network of the other mode', { network: 'eip155:8453' }, 'live mode'],
  ['an EVM address on Solana', { network: 'solana:devnet' }, '--merchant: an address is 32 bytes in base58'],
  ['the fee account as merchant', { network: 'solana:devnet', merchant: FEE_ACCOUNT }, 'stuck'],
  ['no processor anywhere', { network: 'eip155:31337' }, '--processor is missing'],
  ['a mistyped processor', { processor: '0x52' }, '--processor'],
  ['a mistyped merchant', { merchant: '0x66' }, '--merchant'],
  ['the processor as merchant', { merchant: address('52') }, 'stuck'],
  ['a token as merchant', { merchant: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }, 'stuck'],
  ['a fee over 10 %', { feeBps: '1001' }, '--fee-bps'],
  ['a fee with a fraction', { feeBps: '1.5' }, '--fee-bps'],
  ['a negative fee', { feeBps: '-1' }, '--fee-bps'],
  ['nine splits', { split: Array.from({ length: 9 }, () => `${address('77')}:1`) }, 'at most 8'],
  ['a split of nothing', { split: [`${address('77')}:0`] }, 'basis points'],
  ['a split without a share', { split: [address('77')] }, 'basis points'],
  ['more than the whole', { split: [`${address('77')}:9901`] }, 'more than the whole'],
  ['an odd payout id', { payoutId: '0x1' }, '--payout-id'],
])('%s is refused in words', (_, change, words) => {
  expect(read(change)).toEqual({ ok: false, message: expect.stringContaining(words) });
});
