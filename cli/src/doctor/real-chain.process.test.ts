import { TOKENS } from '@svc-pay/core';
import { deployedWorld, startAnvil, startChain } from '@svc-pay/evm/testing';
import { token as unit } from '@svc-pay/money';
import { evmNetwork } from '@svc-pay/protocol';
import { afterAll, expect, test } from 'vitest';
import { checkNetwork } from './check-network.ts';
import { checkToken } from './check-token.ts';
import { type Ask, askChain } from './json-rpc.ts';

const anvil = await startAnvil();
afterAll(() => anvil.stop());
const { record, token } = await deployedWorld(anvil);
const clock = { nowMs: () => Date.now() };
const setup = { processor: record.processor, processorVersion: '1.3.0', ready: true, rpcUrls: [anvil.rpcUrl] };
const usdc = TOKENS.find(({ shortcode }) => shortcode === 'anvil_usdc')!;
const shown = async (change: Partial<typeof setup> = {}) =>
  (await checkNetwork(evmNetwork(31_337), { ...setup, ...change }, clock)).map(
    ({ subject, status, message }) => `${status} ${subject}: ${message}`,
  );

test('a real processor is found and tells its version; tokens that are not there are named', async () => {
  const findings = await shown();
  expect(findings[1]).toBe(`ok eip155:31337: Processor ${record.processor} is version 1.3.0.`);
  expect(findings[2]).toBe(`problem anvil_usdc: No token answers at ${usdc.address}.`);
  expect((await shown({ processorVersion: '1.2.0' }))[1]).toContain('is version 1.3.0, the configuration says 1.2.0');
  expect((await shown({ processor: `0x${'52'.repeat(20)}` }))[1]).toContain('There is no contract at processor');
});

test('a real token agrees with its own domain and decimals, and with no others', async () => {
  const ask: Ask = (method, ...parameters) => askChain(anvil.rpcUrl, method, parameters, 5_000);
  const check = async (name: string, version: string, decimals: number) => {
    const entry = { ...usdc, address: token, unit: unit('mock', decimals), domain: { name, version } };
    return (await checkToken(entry, 31_337, ask)).map(({ status, message }) => `${status} ${message}`);
  };
  expect(await check('USD Coin', '2', 6)).toEqual(['ok Decimals and signing domain are those of the catalogue.']);
  expect(await check('USDC', '2', 6)).toEqual([
    expect.stringContaining('problem The token’s signing domain is not that'),
  ]);
  expect(await check('USD Coin', '1', 6)).toEqual([expect.stringContaining('problem')]);
  expect(await check('USD Coin', '2', 18)).toEqual([expect.stringContaining('6 decimals, the catalogue says 18')]);
});

test('on a local chain every token is as the catalogue says', async () => {
  const { rpcUrl, record: local, stop } = await startChain();
  const findings = await shown({ processor: local.processor, rpcUrls: [rpcUrl] });
  await stop();
  expect(findings.filter((finding) => !finding.startsWith('ok '))).toEqual([]);
  expect(findings.slice(2)).toEqual([
    'ok anvil_usdc: Decimals and signing domain are those of the catalogue.',
    'ok anvil_vol: Decimals and signing domain are those of the catalogue.',
  ]);
});
