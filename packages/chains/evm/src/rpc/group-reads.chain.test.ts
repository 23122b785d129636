// Reads that go to the chain in one call have the answers that each of them has by itself, whatever is among them.
import { createTestClient, type Hex, http, padHex, toHex } from 'viem';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { planWorld } from '../testing/plan-world.ts';
import { startAnvil } from '../testing/start-anvil.ts';
import { askBalance, askBlockNumber, askCode, askUsed, askWallet } from '../verify/chain-questions.ts';
import { coalesceRpcCalls } from './coalesce-rpc-calls.ts';
import { groupReads } from './group-reads.ts';
import { createJsonRpc, type JsonRpc, type RpcAnswer, type RpcCall } from './json-rpc.ts';

const anvil = await startAnvil();
afterAll(() => anvil.stop());
const world = await planWorld(anvil);
const chain = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
const plain = createJsonRpc({ urls: [anvil.rpcUrl], timeoutMs: 20_000 });
const asked: RpcCall[] = [];
const counted: JsonRpc = (calls) => {
  asked.push(...calls);
  return plain(calls);
};
beforeEach(() => {
  asked.length = 0;
});

const account = (number: number): Hex => padHex(toHex(0xacc0_0000 + number), { size: 20 });
const NONCE: Hex = `0x${'07'.repeat(32)}`;
const questionsOf = (payer: Hex, token: string = world.token) => [
  askCode(payer),
  askBalance(token, payer),
  askUsed(token, payer, NONCE),
];

/** Runtime code of tokens, one behaviour each. */
const HOSTILE = {
  reverts: '0x60006000fd',
  burnsGas: '0x5b600056',
  answersNothing: '0x00',
  answersHalfAWord: '0x60106000f3',
  answersTwoWords: '0x60406000f3',
  answersMuch: '0x620100006000f3',
  revertsWithAWord: '0x60206000fd',
  revertsWithMuch: '0x620100006000fd',
  writes: '0x600160005560206000f3',
  // Answers with the gas that it was given.
  tellsItsGas: '0x5a60005260206000f3',
  invalid: '0xfe',
} as const satisfies Record<string, Hex>;
const tokenOf = (position: number): Hex => padHex(toHex(0x70c0_0000 + position), { size: 20 });
for (const [position, bytecode] of Object.values(HOSTILE).entries())
  await chain.setCode({ address: tokenOf(position), bytecode });

/** What a caller learns: the text of a node's refusal is none of it, nor how much gas a node gives to a call. */
const learnt = (answers: readonly RpcAnswer[]) => answers.map((answer) => (answer.ok ? answer.result : 'refused'));

test('64 payments are verified with one call where 192 were made', async () => {
  const rpc = coalesceRpcCalls(groupReads(counted), { waitMs: 2, maxCalls: 192 });
  const payments = Array.from({ length: 64 }, (_, number) => questionsOf(account(number)));
  const answers = await Promise.all(payments.map(rpc));
  expect(asked.map(({ method }) => method)).toEqual(['eth_call']);
  expect(answers).toEqual(await Promise.all(payments.map(plain)));
});

test('a contract that reverts, burns its gas or answers anything but a word changes the answer of no other', async () => {
  const tokens = Object.keys(HOSTILE).map((_, position) => tokenOf(position));
  const honest = questionsOf(world.stranger.account.address);
  const told = tokens.indexOf(tokenOf(Object.keys(HOSTILE).indexOf('tellsItsGas')));
  for (const [position, token] of tokens.entries()) {
    const calls = [...honest, askBalance(token, account(1)), askUsed(token, account(1), NONCE), ...honest];
    const [grouped, alone] = [await groupReads(counted)(calls), await plain(calls)];
    expect(grouped.slice(0, 3)).toEqual(alone.slice(0, 3));
    expect(grouped.slice(5)).toEqual(alone.slice(5));
    if (position !== told) expect(learnt(grouped)).toEqual(learnt(alone));
  }
});

test('each contract gets gas of its own, and no more', async () => {
  const teller = tokenOf(Object.keys(HOSTILE).indexOf('tellsItsGas'));
  const burner = tokenOf(Object.keys(HOSTILE).indexOf('burnsGas'));
  const burnt = Array.from({ length: 40 }, () => askBalance(burner, account(1)));
  const answers = await groupReads(counted)([askBalance(teller, account(1)), ...burnt, askBalance(teller, account(1))]);
  const [first, last] = [answers[0], answers.at(-1)].map((answer) => BigInt(answer?.ok ? String(answer.result) : 0));
  expect(first).toBe(last);
  expect(first).toBeLessThanOrEqual(200_000n);
  expect(first).toBeGreaterThan(190_000n);
});

test('more burnt gas than a call may have leaves every answer as it is', async () => {
  await chain.setBlockGasLimit({ gasLimit: 5_000_000n });
  const burner = tokenOf(Object.keys(HOSTILE).indexOf('burnsGas'));
  const calls = [
    ...Array.from({ length: 60 }, (_, number) => askBalance(burner, account(number))),
    ...questionsOf(world.stranger.account.address),
  ];
  const [grouped, alone] = [await groupReads(counted)(calls), await plain(calls)];
  expect(learnt(grouped)).toEqual(learnt(alone));
  await chain.setBlockGasLimit({ gasLimit: 30_000_000n });
});

test('the code of an address that has some is asked for by itself, and so is what a wallet is asked', async () => {
  const [wallet, digest] = [account(900), new Uint8Array(32)];
  await chain.setCode({ address: wallet, bytecode: '0x631626ba7e60e01b60005260206000f3' });
  const calls = [...questionsOf(wallet), askWallet(wallet, digest, '0x1234'), ...questionsOf(account(5))];
  expect(await groupReads(counted)(calls)).toEqual(await plain(calls));
  expect(asked.filter(({ method }) => method === 'eth_getCode')).toEqual([askCode(wallet)]);
});

test('the block number is asked once, and before what is read', async () => {
  const calls = [askBlockNumber, ...questionsOf(account(1)), askBlockNumber, ...questionsOf(account(2))];
  const answers = await groupReads(counted)(calls);
  expect(asked.map(({ method }) => method)).toEqual(['eth_blockNumber', 'eth_call']);
  expect(answers).toEqual(await plain(calls));
});

test('a node that refuses groups is asked in smaller ones, then without, and with them again later', async () => {
  let nowMs = 0;
  let mostCharacters = 20_000;
  const refusing: JsonRpc = async (calls) => {
    asked.push(...calls);
    const answers = await plain(calls);
    return calls.map((call, index) => {
      const { to, data = '' } = (call.params[0] ?? {}) as { to?: string; data?: string };
      const isRefused = call.method === 'eth_call' && to === undefined && data.length > mostCharacters;
      const refusal: RpcAnswer = { ok: false, code: -32_000, message: 'out of gas', data: null };
      return isRefused ? refusal : (answers[index] ?? refusal);
    });
  };
  const rpc = groupReads(refusing, () => nowMs);
  const calls = Array.from({ length: 64 }, (_, number) => questionsOf(account(number))).flat();
  const expected = await Promise.all([plain(calls.slice(0, 96)), plain(calls.slice(96))]);
  const ask = async () => {
    asked.length = 0;
    expect(await rpc(calls)).toEqual(expected.flat());
    return asked.length;
  };
  expect(await ask()).toBe(1 + 192);
  expect(await ask()).toBe(4);
  mostCharacters = 0;
  expect(await ask()).toBe(4 + 192);
  expect(await ask()).toBeLessThanOrEqual(8 + 192);
  expect(await ask()).toBe(192);
  mostCharacters = 100_000;
  nowMs = 700_000;
  expect(await ask()).toBe(1);
});
