import { createPublicKey, verify } from 'node:crypto';
import { bytesFromBase58 } from '@svc-pay/protocol/solana';
import type { ReadTransaction } from '@svc-pay/sdk/solana';
import { expect, test } from 'vitest';
import { describeTransfer } from './describe-transfer.ts';
import { newSolanaKey } from './solana-key.ts';
import { createSolanaTestWallet } from './solana-test-wallet.ts';

const key = newSolanaKey();
const [relayer, merchant] = [newSolanaKey().address, newSolanaKey().address];
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

/** Transaction with one transfer of 2.50 from the payer's address: enough to test showing and signing. */
function transactionFor(payer: string): Uint8Array {
  const keys = [relayer, payer, merchant, MINT, TOKEN_PROGRAM].flatMap((address) => [
    ...(bytesFromBase58(address) ?? []),
  ]);
  const data = [12, ...new Uint8Array(new BigUint64Array([2_500_000n]).buffer), 6];
  const instruction = [4, 4, 1, 3, 2, 1, data.length, ...data];
  const message = [0x80, 2, 0, 2, 5, ...keys, ...new Uint8Array(32), 1, ...instruction, 0];
  return Uint8Array.from([2, ...new Uint8Array(128), ...message]);
}

type Feature = { readonly signTransaction: (input: object) => Promise<readonly { signedTransaction: Uint8Array }[]> };

function wallet(agrees: boolean) {
  const asked: ReadTransaction[] = [];
  const { features } = createSolanaTestWallet({
    ...key,
    name: 'Test',
    icon: '',
    confirm: async (transaction) => {
      asked.push(transaction);
      return agrees;
    },
  });
  return { asked, sign: (features['solana:signTransaction'] as Feature).signTransaction };
}

test('it shows what would be sent and who pays the fee, and signs the very bytes that it was given', async () => {
  const { asked, sign } = wallet(true);
  const transaction = transactionFor(key.address);
  const [signed] = await sign({ transaction });
  const bytes = signed?.signedTransaction ?? new Uint8Array();
  expect(bytes.slice(129)).toEqual(transaction.slice(129));
  expect(bytes.slice(1, 65)).toEqual(new Uint8Array(64));
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytesFromBase58(key.address) ?? []).toString('base64url') };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, transaction.slice(129), publicKey, bytes.slice(65, 129))).toBe(true);
  const [shown] = asked;
  expect(shown && describeTransfer(shown)).toMatchObject({
    headline: 'Send 2.50 USDC?',
    rows: [
      ['From', key.address],
      ['To, 2.50', merchant],
      ['Token', MINT],
      ['Fee paid by', relayer],
      ['Memo', '—'],
    ],
  });
});

test('a no is the payer’s no, and nothing is signed', async () => {
  await expect(wallet(false).sign({ transaction: transactionFor(key.address) })).rejects.toMatchObject({ code: 4001 });
});

test('a transaction of somebody else is not shown', async () => {
  const { asked, sign } = wallet(true);
  await expect(sign({ transaction: transactionFor(newSolanaKey().address) })).rejects.toThrow('no part');
  expect(asked).toEqual([]);
});
