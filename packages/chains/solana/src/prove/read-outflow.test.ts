import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { beforeAll, expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { drawActors } from '../testing/actors.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import type { Landing } from './read-balance-changes.ts';
import { readOutflow } from './read-outflow.ts';

const OTHER_MINT = 'So11111111111111111111111111111111111111112';
let [wallet, payer, stranger] = ['', '', ''];
let accounts: Readonly<Record<'wallet' | 'payer' | 'stranger', string>>;

beforeAll(async () => {
  const actors = await drawActors();
  [wallet, payer, stranger] = [actors.merchant, actors.payer.address, actors.stranger.address];
  const accountOf = (owner: string) => tokenAccountOf(owner, DEVNET_USDC, TOKEN_PROGRAM_ADDRESS);
  accounts = { wallet: await accountOf(wallet), payer: await accountOf(payer), stranger: await accountOf(stranger) };
});

type Change = readonly ['wallet' | 'payer' | 'stranger', bigint, string?];

const read = (changes: readonly Change[], error: unknown = null) => {
  const landing: Landing = {
    slot: 1n,
    error,
    changes: new Map(
      changes.map(([who, deltaAtomic, mint = DEVNET_USDC]) => [accounts[who], { mint, deltaAtomic }] as const),
    ),
    costLamports: 0n,
    lamports: new Map(),
    accounts: [],
  };
  return readOutflow(landing, { wallets: [stranger, wallet], mint: DEVNET_USDC, tokenProgram: TOKEN_PROGRAM_ADDRESS });
};

test('what one wallet lost and who got it is read, whatever else the transaction did with other tokens', async () => {
  const found = await read([
    ['wallet', -5n],
    ['payer', 3n],
    ['stranger', 2n],
  ]);
  expect(found).toMatchObject({ wallet, amountAtomic: 5n });
  expect(found?.gains).toEqual(
    new Map([
      [accounts.payer, 3n],
      [accounts.stranger, 2n],
    ]),
  );
});

test.each<[string, readonly Change[]]>([
  ['a transaction that took from nobody', [['payer', 5n]]],
  [
    'one that took from two',
    [
      ['wallet', -3n],
      ['stranger', -2n],
      ['payer', 5n],
    ],
  ],
  [
    'one that took from a wallet that is not the merchant’s',
    [
      ['payer', -5n],
      ['wallet', 5n],
    ],
  ],
  [
    'one that moved another token',
    [
      ['wallet', -5n, OTHER_MINT],
      ['payer', 5n, OTHER_MINT],
    ],
  ],
])('%s proves no refund', async (_, changes) => {
  expect(await read(changes)).toBeUndefined();
});

test('a failed transaction proves no refund', async () => {
  expect(
    await read(
      [
        ['wallet', -5n],
        ['payer', 5n],
      ],
      { InstructionError: [0n, 'Custom'] },
    ),
  ).toBeUndefined();
});
