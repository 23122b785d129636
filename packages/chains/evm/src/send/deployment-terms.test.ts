import { TOKENS } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { domainSeparator } from '@svc-pay/protocol/hash';
import { expect, test } from 'vitest';
import { DEFAULT_CALL_GAS } from '../processor/gas-limit.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { createDeploymentTerms } from './deployment-terms.ts';

const CHAIN_ID = 84_532;
const NETWORK = evmNetwork(CHAIN_ID);
const PROCESSOR = `0x${'99'.repeat(20)}`;
const tokens = TOKENS.filter(({ network }) => network === NETWORK);
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const bytes = (text: string) => `0x${text}`;

type Deployed = { readonly version?: string; readonly wrongDomain?: string; readonly callGas?: bigint };

/** A node of a chain whose processor accepts every token of the catalogue. */
function nodeOf({ version = '1.3.0', wrongDomain, callGas = 200_000n }: Deployed): JsonRpc {
  const answer = (to: string, data: string): string => {
    if (data === '0x54fd4d50') {
      const text = Buffer.from(version).toString('hex');
      return bytes(word(32n) + word(BigInt(version.length)) + text.padEnd(64, '0'));
    }
    if (data !== '0x3644e515') return bytes(word(1n) + word(callGas) + word(1n) + word(1n));
    const token = tokens.find(({ address }) => address.toLowerCase() === to.toLowerCase());
    if (token?.domain === undefined || token.address === wrongDomain) return bytes(word(7n));
    const domain = { ...token.domain, chainId: CHAIN_ID, verifyingContract: token.address as `0x${string}` };
    return bytes(Buffer.from(domainSeparator(domain)).toString('hex'));
  };
  return async (calls) =>
    calls.map(({ params }) => {
      const { to, data } = params[0] as { to: string; data: string };
      return { ok: true, result: answer(to, data) };
    });
}

function termsOf(nodes: readonly JsonRpc[]) {
  let [nowMs, asked] = [0, nodes];
  const lines: string[] = [];
  const terms = createDeploymentTerms(
    { network: NETWORK, processor: PROCESSOR, processorVersion: '1.3.0', voters: async () => asked },
    { clock: { nowMs: () => nowMs }, log: (event) => lines.push(event) },
  );
  const differenceAfter = async (ms: number, others?: readonly JsonRpc[]) => {
    nowMs += ms;
    asked = others ?? asked;
    await terms.refresh();
    return terms.difference();
  };
  return { terms, lines, differenceAfter };
}

const usdc = tokens[0]!.address;
const down: JsonRpc = async () => Promise.reject(new Error('down'));

test('what is deployed as configured differs in nothing', async () => {
  const { differenceAfter, lines } = termsOf([nodeOf({})]);
  expect(await differenceAfter(0)).toBeNull();
  expect(lines).toEqual([]);
});

test('another version, and another signing domain of a token, are told and logged once; they pass when they are mended', async () => {
  const { differenceAfter, lines } = termsOf([nodeOf({ version: '1.2.0' })]);
  expect(await differenceAfter(0)).toBe('processor_differs');
  expect(await differenceAfter(60_000, [nodeOf({ wrongDomain: usdc })])).toBe('token_differs');
  expect(await differenceAfter(60_000)).toBe('token_differs');
  expect(await differenceAfter(60_000, [nodeOf({})])).toBeNull();
  expect(lines).toEqual(['deployment_differs', 'deployment_differs', 'deployment_matches']);
});

test('a chain that is away at the start is judged when it answers, and one that goes away stays as it was judged', async () => {
  const { differenceAfter } = termsOf([down]);
  expect(await differenceAfter(0)).toBeNull();
  expect(await differenceAfter(5_000, [nodeOf({ version: '2.0.0' })])).toBe('processor_differs');
  expect(await differenceAfter(60_000, [down])).toBe('processor_differs');
});

test('nodes that contradict each other change nothing; two against one do', async () => {
  const [good, bad] = [nodeOf({}), nodeOf({ version: '9' })];
  const { differenceAfter } = termsOf([good, bad]);
  expect(await differenceAfter(0)).toBeNull();
  expect(await differenceAfter(5_000, [bad, good, bad])).toBe('processor_differs');
});

test('the gas of a token’s transfer is the chain’s, and the default before it was read', async () => {
  const { terms, differenceAfter } = termsOf([nodeOf({ callGas: 450_000n })]);
  expect(terms.callGasOf(usdc)).toBe(DEFAULT_CALL_GAS);
  await differenceAfter(0);
  expect(terms.callGasOf(usdc.toLowerCase())).toBe(450_000n);
  expect(terms.callGasOf(PROCESSOR)).toBe(DEFAULT_CALL_GAS);
});
