import { bytesToHex, keccak256, numberToHex, parseTransaction, recoverTransactionAddress } from 'viem';
import { expect, test } from 'vitest';
import { createLocalSigner } from '../signer/local-signer.ts';
import type { TransactionSigner } from '../signer/transaction-signer.ts';
import { signTransaction, type Unsigned } from './sign-transaction.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const signer = createLocalSigner(new Uint8Array(32).fill(0x11));
const unsigned: Unsigned = {
  chainId: 8_453,
  nonce: 7n,
  call: { to: `0x${'ab'.repeat(20)}`, data: '0x1234', gas: 600_000n },
  fees: { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n },
};

test('the bytes carry exactly what was asked, from the signer’s address, under the hash they are known by', async () => {
  const { raw, transactionId } = await signTransaction(signer, unsigned);
  const hex = bytesToHex(raw);
  expect(parseTransaction(hex)).toMatchObject({
    type: 'eip1559',
    chainId: 8_453,
    nonce: 7,
    to: unsigned.call.to,
    data: '0x1234',
    gas: 600_000n,
    ...unsigned.fees,
  });
  expect(transactionId).toBe(keccak256(raw));
  const sender = await recoverTransactionAddress({ serializedTransaction: hex as `0x02${string}` });
  expect(sender.toLowerCase()).toBe(signer.address);
});

test('a signer that answers with the high s is sent with the low one', async () => {
  const high: TransactionSigner = {
    address: signer.address,
    signDigest: async (digest) => {
      const { r, s, yParity } = await signer.signDigest(digest);
      return { r, s: numberToHex(ORDER - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 };
    },
  };
  for (let nonce = 0n; nonce < 20n; nonce += 1n) {
    const asked = { ...unsigned, nonce };
    expect(await signTransaction(high, asked)).toEqual(await signTransaction(signer, asked));
  }
});

test('the signature of another key is never sent', async () => {
  const other = createLocalSigner(new Uint8Array(32).fill(0x22));
  const liar: TransactionSigner = { address: signer.address, signDigest: other.signDigest };
  await expect(signTransaction(liar, unsigned)).rejects.toThrow(/answered with a signature of/);
});

test('what is no nonce is refused, never cut', async () => {
  for (const nonce of [-1n, 1n << 60n]) {
    await expect(signTransaction(signer, { ...unsigned, nonce })).rejects.toThrow(RangeError);
  }
});
