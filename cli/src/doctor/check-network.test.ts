import { TOKENS } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { encodeString, startFakeChain, startSilentServer } from '../testing/fake-chain.ts';
import { checkNetwork } from './check-network.ts';

const NOW_MS = 1_794_744_000_000;
const clock = { nowMs: () => NOW_MS };
const network = evmNetwork(84_532);
const processor = `0x${'52'.repeat(20)}`;
const setup = (rpcUrls: string[]) => ({ processor, processorVersion: '1.3.0', ready: true, rpcUrls });
const usdc = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc')!;
const check = (...rpcUrls: string[]) => checkNetwork(network, setup(rpcUrls), clock, 300);
const worst = async (url: string) => (await check(url)).filter(({ status }) => status !== 'ok');

test('a chain that is as configured has nothing wrong', async () => {
  const { url } = await startFakeChain(processor, NOW_MS);
  const findings = await check(url);
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(findings.map(({ subject }) => subject)).toEqual([network, network, 'basesepolia_usdc', 'basesepolia_eurc']);
});

test.each<[string, string, unknown, RegExp, string]>([
  ['another chain', 'eth_chainId', '0x1', /serves chain 1, not 84532/, network],
  ['no chain at all', 'eth_chainId', 17, /does not say which chain/, network],
  ['no processor', 'eth_getCode', '0x', /no contract at processor/, network],
  [
    'another processor version',
    `eth_call ${processor} 0x54fd4d50`,
    encodeString('1.2.0'),
    /version 1\.2\.0, the configuration says 1\.3\.0/,
    network,
  ],
  ['no version', `eth_call ${processor} 0x54fd4d50`, '0x', /does not tell its version/, network],
  [
    'another signing domain',
    `eth_call ${usdc.address.toLowerCase()} 0x3644e515`,
    `0x${'ab'.repeat(32)}`,
    /signing domain is not that of name USDC, version 2/,
    usdc.shortcode,
  ],
  [
    'no signing domain',
    `eth_call ${usdc.address.toLowerCase()} 0x3644e515`,
    '0x',
    /does not tell its signing domain/,
    usdc.shortcode,
  ],
  [
    'other decimals',
    `eth_call ${usdc.address.toLowerCase()} 0x313ce567`,
    `0x${'12'.padStart(64, '0')}`,
    /18 decimals, the catalogue says 6/,
    usdc.shortcode,
  ],
  ['no token', `eth_call ${usdc.address.toLowerCase()} 0x313ce567`, '0x', /No token answers/, usdc.shortcode],
])('%s is a problem, in words and with what to do', async (_, key, answer, words, subject) => {
  const chain = await startFakeChain(processor, NOW_MS);
  chain.answers.set(key, answer);
  const found = await worst(chain.url);
  expect(found).toEqual([
    expect.objectContaining({ subject, status: 'problem', message: expect.stringMatching(words) }),
  ]);
  expect(found[0]?.advice).toMatch(/\.$/);
});

test('a chain whose newest block is old, or ahead of us, deserves a look', async () => {
  for (const [atMs, words] of [
    [NOW_MS - 3_600_000, /60 minutes old/],
    [NOW_MS + 60_000, /60 s ahead/],
  ] as const) {
    const { url } = await startFakeChain(processor, atMs);
    expect(await worst(url)).toMatchObject([{ status: 'warning', message: expect.stringMatching(words) }]);
  }
});

test('an address that nobody answers at, or that never answers, is a problem and holds nothing up', async () => {
  expect(await worst('http://127.0.0.1:1')).toMatchObject([
    { status: 'problem', message: expect.stringContaining('can’t be reached') },
  ]);
  expect(await worst(await startSilentServer())).toMatchObject([{ message: expect.stringContaining('within 300 ms') }]);
});

test('one bad address among good ones is named, and the rest is still looked at', async () => {
  const { url } = await startFakeChain(processor, NOW_MS);
  const findings = await check('http://127.0.0.1:1', url);
  expect(findings.map(({ status }) => status)).toEqual(['problem', 'ok', 'ok', 'ok', 'ok']);
});

test('credentials of an RPC address are used and never shown', async () => {
  const chain = await startFakeChain(processor, NOW_MS);
  const url = chain.url.replace('http://', 'http://ann:canary-password@');
  const findings = [
    ...(await check(`${url}/v2/canary-path?key=canary-query`)),
    ...(await check('http://u:canary@127.0.0.1:1/canary')),
  ];
  expect(chain.authorizations[0]).toBe(`Basic ${Buffer.from('ann:canary-password').toString('base64')}`);
  expect(JSON.stringify(findings)).not.toContain('canary');
});

test('a network without an RPC address is said to be unchecked', async () => {
  expect(await check()).toMatchObject([
    { status: 'warning', message: expect.stringContaining('nothing could be checked') },
  ]);
});
