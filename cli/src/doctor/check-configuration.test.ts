import { expect, test } from 'vitest';
import { checkConfiguration } from './check-configuration.ts';

const operated = { processor: `0x${'52'.repeat(20)}`, processorVersion: '1.3.0', ready: true };
const complaintsAbout = (network: string, setup: object) =>
  checkConfiguration({ SVC_NETWORKS: JSON.stringify({ [network]: { ...operated, ...setup } }) })
    .findings.filter(({ subject, status }) => subject === network && status !== 'ok')
    .map(({ message, advice }) => `${message} ${advice}`);

test('a live network that takes any amount is complained about, with the setting that ends it', () => {
  for (const minimumUsd of ['0', '0.000'])
    expect(complaintsAbout('eip155:1', { minimumUsd })).toEqual([
      expect.stringMatching(/^Ethereum takes payments of any amount.*`minimumUsd`/),
    ]);
});

test('a minimum, the default of a live network and a test network without one are fine', () => {
  expect(complaintsAbout('eip155:1', { minimumUsd: '0.000001' })).toEqual([]);
  expect(complaintsAbout('eip155:8453', {})).toEqual([]);
  expect(complaintsAbout('eip155:31337', { minimumUsd: '0' })).toEqual([]);
});

test('every live chain that can be operated has a default minimum', () => {
  for (const network of ['eip155:1', 'eip155:8453', 'eip155:137', 'eip155:42161', 'eip155:43114'])
    expect(complaintsAbout(network, {}), network).toEqual([]);
  const solana = { processor: undefined, processorVersion: undefined, feeAccount: '1'.repeat(32) };
  expect(complaintsAbout('solana:mainnet', solana)).toEqual([]);
  expect(complaintsAbout('solana:mainnet', { ...solana, minimumUsd: '0' })).toHaveLength(1);
});
