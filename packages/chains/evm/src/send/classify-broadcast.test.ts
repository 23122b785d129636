import { describe, expect, test } from 'vitest';
import { broadcast } from './broadcast.ts';
import { classifyBroadcast, type NodeWord } from './classify-broadcast.ts';

const ID = `0x${'ab'.repeat(32)}`;
const said = (message: string, code = -32_000) => classifyBroadcast({ ok: false, code, message, data: null }, ID);

describe('a node that has the transaction, or had it mined', () => {
  test.each([
    ['geth', 'already known'],
    ['geth', 'nonce too low: next nonce 5, tx nonce 4'],
    ['geth', 'nonce too low'],
    ['erigon', 'existing tx with same hash'],
    ['erigon', 'mined'],
    ['nethermind', 'AlreadyKnown'],
    ['nethermind', 'OldNonce, Current nonce: 7, nonce of rejected tx: 6'],
    ['reth', 'nonce too low: next nonce 7, tx nonce 6'],
    ['anvil', 'transaction already imported'],
    ['anvil', 'nonce too low'],
    ['besu', 'Known transaction'],
    ['besu', 'Nonce too low'],
  ])('%s: %s', (_, message) => expect(said(message)).toBe('known'));
  test('answers with its hash', () => expect(classifyBroadcast({ ok: true, result: ID }, ID)).toBe('known'));
});

describe('a refusal after which it can’t be on its way', () => {
  test.each([
    ['geth', 'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000'],
    ['geth', 'intrinsic gas too low: gas 20000, minimum needed 21000'],
    ['geth', 'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 7'],
    ['geth', 'transaction underpriced: gas tip cap 0, minimum needed 1'],
    ['geth', 'exceeds block gas limit'],
    ['geth', 'transaction gas limit too high (cap: 16777216, tx: 20000000)'],
    ['geth', 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)'],
    ['geth', 'max priority fee per gas higher than max fee per gas'],
    ['geth', 'invalid sender'],
    ['geth', 'invalid chain id for signer: have 1 want 8453'],
    ['geth', 'transaction type not supported'],
    ['geth', 'rlp: expected input list for types.DynamicFeeTx'],
    ['erigon', 'insufficient funds'],
    ['erigon', 'fee too low'],
    ['nethermind', 'InsufficientFunds, Account balance: 0, cumulative cost: 42'],
    ['nethermind', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7'],
    ['nethermind', 'GasLimitExceeded, Gas limit: 30000000'],
    ['nethermind', 'Invalid, Transaction is invalid'],
    ['reth', 'insufficient funds for gas * price + value: have 0 want 1'],
    ['reth', 'max fee per gas less than block base fee'],
    ['reth', 'intrinsic gas too low'],
    ['anvil', 'Insufficient funds for gas * price + value'],
    ['anvil', 'Failed to decode transaction'],
    ['anvil', 'intrinsic gas too low'],
  ])('%s: %s', (_, message) => expect(said(message)).toBe('refused'));
});

describe('whatever may end either way', () => {
  test.each([
    ['geth', 'replacement transaction underpriced'],
    ['geth', 'txpool is full'],
    ['geth', 'nonce too high'],
    ['erigon', 'could not replace existing tx'],
    ['erigon', 'pending sub-pool is full'],
    ['nethermind', 'ReplacementNotAllowed'],
    ['nethermind', 'FeeTooLowToCompete'],
    ['nethermind', 'NonceGap, Future nonce. Expected nonce: 7'],
    ['reth', 'replacement transaction underpriced'],
    ['reth', 'txpool is full'],
    ['a provider', 'daily request limit exceeded'],
    ['a provider', 'Your app has exceeded its compute units per second: rate'],
    ['a provider', 'internal error'],
    ['a provider', ''],
  ])('%s: %s', (_, message) => expect(said(message)).toBe('unclear'));
  test.each([null, '0x', `0x${'cd'.repeat(32)}`])('an acceptance of something else: %s', (result) =>
    expect(classifyBroadcast({ ok: true, result }, ID)).toBe('unclear'),
  );
});

describe('of several nodes', () => {
  const RAW = Uint8Array.of(2, 1, 2, 3);
  const node =
    (word: NodeWord | 'down', asked: string[] = []) =>
    async () => {
      asked.push(word);
      if (word === 'down') throw new Error('timeout');
      const messages = { known: 'already known', refused: 'insufficient funds', unclear: 'strange' };
      return [{ ok: false, code: -32_000, message: messages[word], data: null }] as const;
    };
  test('one that has it is enough, and all of them are offered it', async () => {
    const asked: string[] = [];
    const nodes = [node('refused', asked), node('down', asked), node('known', asked), node('unclear', asked)];
    expect(await broadcast(nodes, RAW)).toEqual({ outcome: 'known' });
    expect(asked).toEqual(['refused', 'down', 'known', 'unclear']);
  });
  test('all must refuse before it counts as not sent', async () => {
    expect(await broadcast([node('refused'), node('refused')], RAW)).toMatchObject({ outcome: 'not_sent' });
    expect(await broadcast([node('refused'), node('down')], RAW)).toEqual({ outcome: 'unknown' });
    expect(await broadcast([node('unclear'), node('refused')], RAW)).toEqual({ outcome: 'unknown' });
  });
});
