import { createPublicKey, verify } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import type { CreatedRefund } from '@svc-pay/protocol/merchant';
import { createWalletClient, custom, type Hex, recoverTypedDataAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { describe, expect, test } from 'vitest';
import { fakeService, refusal, type Step } from '../testing/fake-service.ts';
import {
  drawSolanaKey,
  type EvmChange,
  evmCreated,
  MINT,
  PAYMENT_ID,
  REFUND_ID,
  SOLANA_PAYER,
  samplePayment,
  sampleRefund,
  solanaCreated,
} from '../testing/refund-world.ts';
import { now } from '../testing/sample-event.ts';
import type { RefundSigner } from './refund-signer.ts';
import type { RefundWithCall } from './refund-with.ts';

const account = privateKeyToAccount(generatePrivateKey());
const STRANGER = `0x${'99'.repeat(20)}`;
const submitted: Step = { status: 202, body: { refund: sampleRefund({ status: 'queued' }) } };

async function refund(
  signer: RefundSigner,
  created: CreatedRefund,
  call: Partial<RefundWithCall> = {},
  more: { readonly payment?: object; readonly after?: readonly Step[]; readonly options?: object } = {},
) {
  const first: Step[] = [
    { status: 200, body: samplePayment(more.payment) },
    { status: 201, body: created },
  ];
  const { client, seen } = await fakeService(...first, ...(more.after ?? [submitted]));
  const asked = { paymentId: PAYMENT_ID, amount: '500000', ...call };
  const result = await client({ now }).refunds.refundWith(signer, asked, more.options);
  return { result, seen };
}

/** A signer that must not be asked. */
const untouched = (address: string): RefundSigner => ({
  address,
  signTypedData: () => Promise.reject(new Error('the wallet was asked')),
});

describe('an EVM wallet', () => {
  test('signs the refund that was asked for, and the signature is submitted', async () => {
    const created = evmCreated(account.address);
    const { result, seen } = await refund(account, created, { reason: 'returned' });
    expect(result).toMatchObject({ ok: true, refund: { id: REFUND_ID, status: 'queued' } });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /sdk/payments/${PAYMENT_ID}`,
      `POST /sdk/payments/${PAYMENT_ID}/refunds`,
      `POST /sdk/refunds/${REFUND_ID}/submit`,
    ]);
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual({ amount: '500000', reason: 'returned', from: account.address });
    if (created.sign?.kind !== 'evm_typed_data') throw new Error('no typed data');
    const { signature } = JSON.parse(seen[2]?.body ?? '') as { signature: Hex };
    const signer = await recoverTypedDataAddress({ ...created.sign.typedData, signature } as never);
    expect(signer).toBe(account.address);
  });

  test('may be a wallet client of viem', async () => {
    const wallet = createWalletClient({
      account,
      chain: baseSepolia,
      transport: custom({ request: () => Promise.reject(new Error('no node is asked')) }),
    });
    const { result, seen } = await refund(wallet, evmCreated(account.address));
    expect(result).toMatchObject({ ok: true });
    const own = await refund(account, evmCreated(account.address));
    expect(seen[2]?.body).toBe(own.seen[2]?.body);
  });

  test.each<[string, EvmChange]>([
    ['to', { message: { to: STRANGER } }],
    ['from', { message: { from: STRANGER } }],
    ['value', { message: { value: '500001' } }],
    ['nonce', { message: { nonce: `0x${'11'.repeat(32)}` } }],
    ['nonce', { terms: { paymentId: 'pay_01k9z3v5w8q2r4s6t7x0y1abce' } }],
    ['nonce', { terms: { mode: 'live' } }],
    ['nonce', { terms: { wallet: STRANGER } }],
    ['validAfter', { message: { validAfter: '1' } }],
    ['validBefore', { message: { validBefore: '1900000000' } }],
    ['chainId', { domain: { chainId: 8_453 } }],
    ['verifyingContract', { domain: { verifyingContract: STRANGER } }],
    ['types', { types: { TransferWithAuthorization: [{ name: 'to', type: 'address' }] } }],
  ])('signs nothing when %s differs', async (field, change) => {
    const { result, seen } = await refund(untouched(account.address), evmCreated(account.address, change));
    expect(result).toMatchObject({ ok: false, code: 'refund_terms_differ', param: field });
    expect(seen).toHaveLength(2);
  });

  test.each<[string, Partial<RefundWithCall>, object]>([
    ['to', { expect: { payer: STRANGER } }, {}],
    ['verifyingContract', { expect: { token: STRANGER } }, {}],
    ['chainId', { expect: { chain: 'eip155:1' } }, {}],
    ['value', { expect: { mostAmount: '499999' } }, {}],
    ['value', {}, { paidAmount: '499999' }],
    ['to', {}, { payer: null }],
  ])('signs nothing when the merchant’s own records say otherwise: %s', async (field, call, payment) => {
    const { result } = await refund(untouched(account.address), evmCreated(account.address), call, { payment });
    expect(result).toMatchObject({ ok: false, code: 'refund_terms_differ', param: field });
  });

  test('that fails to sign is told, and nothing is submitted', async () => {
    const { result, seen } = await refund(untouched(account.address), evmCreated(account.address));
    expect(result).toMatchObject({ ok: false, code: 'signer_failed', moneyMoved: 'no' });
    expect(result).toHaveProperty('message', expect.stringContaining('the wallet was asked'));
    expect(seen).toHaveLength(2);
  });

  test('that signs with randomness is answered the refund that its first signature began', async () => {
    const after: Step[] = [
      { status: 409, body: refusal('refund_already_submitted') },
      { status: 200, body: { refund: sampleRefund({ status: 'sent' }) } },
    ];
    const { result } = await refund(account, evmCreated(account.address), {}, { after });
    expect(result).toMatchObject({ ok: true, refund: { status: 'sent' } });
  });

  test('waits for the end when told, and a refund that failed is a failure with its code', async () => {
    const get = (change: object): Step => ({ status: 200, body: { refund: sampleRefund(change) } });
    const failed = { status: 'failed', failureCode: 'refund_expired', failureMessage: 'Too late.' } as const;
    const after = [submitted, get({ status: 'sent' }), get(failed)];
    const { result } = await refund(account, evmCreated(account.address), {}, { after, options: { wait: true } });
    expect(result).toMatchObject({ ok: false, code: 'refund_expired', message: 'Too late.' });
    const good = [submitted, get({ status: 'completed', transactionId: '0x1' })];
    const done = await refund(account, evmCreated(account.address), {}, { after: good, options: { wait: true } });
    expect(done.result).toMatchObject({ ok: true, refund: { status: 'completed' } });
  });

  test('a refund of the service’s Solana kind is not signed by it', async () => {
    const { result } = await refund(untouched(account.address), await solanaCreated(drawSolanaKey().address));
    expect(result).toMatchObject({ ok: false, code: 'refund_terms_differ', param: 'kind' });
  });
});

describe('a Solana wallet', () => {
  const payment = { payer: SOLANA_PAYER, chain: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', ledgerCanisterId: MINT };
  const key = drawSolanaKey();

  function isSigned(transaction: string, address: ReturnType<typeof drawSolanaKey>): boolean {
    const wire = Buffer.from(transaction, 'base64');
    return verify(null, wire.subarray(129), createPublicKey(address.privateKey), wire.subarray(65, 129));
  }

  test('signs its place of the transaction, which is submitted', async () => {
    const { result, seen } = await refund(key, await solanaCreated(key.address), {}, { payment });
    expect(result).toMatchObject({ ok: true });
    const { transaction } = JSON.parse(seen[2]?.body ?? '') as { transaction: string };
    expect(isSigned(transaction, key)).toBe(true);
  });

  test('may be a signer of @solana/kit', async () => {
    const seed = key.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
    const signer = await createKeyPairSignerFromPrivateKeyBytes(seed);
    expect(signer.address).toBe(key.address);
    const { result, seen } = await refund(signer, await solanaCreated(key.address), {}, { payment });
    expect(result).toMatchObject({ ok: true });
    const { transaction } = JSON.parse(seen[2]?.body ?? '') as { transaction: string };
    expect(isSigned(transaction, key)).toBe(true);
  });

  test.each<[string, Parameters<typeof solanaCreated>[1]]>([
    ['to', { legs: [{ owner: drawSolanaKey().address, amountAtomic: 500_000n }] }],
    ['value', { legs: [{ owner: SOLANA_PAYER, amountAtomic: 500_001n }] }],
    [
      'instruction',
      {
        legs: [
          { owner: SOLANA_PAYER, amountAtomic: 500_000n },
          { owner: MINT, amountAtomic: 1n },
        ],
      },
    ],
    ['token', { mint: drawSolanaKey().address }],
    ['memo', { memo: 'svcref:re_other' }],
    ['nonce', { reference: drawSolanaKey().address }],
    ['from', { payer: drawSolanaKey().address }],
  ])('signs nothing when %s differs', async (field, change) => {
    const asked = { address: key.address, signBytes: () => Promise.reject(new Error('the wallet was asked')) };
    const { result } = await refund(asked, await solanaCreated(key.address, change), {}, { payment });
    expect(result).toMatchObject({ ok: false, code: 'refund_terms_differ', param: field });
  });
});
