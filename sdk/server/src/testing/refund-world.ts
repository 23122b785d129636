// Refunds as the service would prepare them, and the wallets that sign them.
import { generateKeyPairSync, sign } from 'node:crypto';
import { type Hex, type NetworkId, typedData } from '@svc-pay/protocol';
import type { CreatedRefund, Refund } from '@svc-pay/protocol/merchant';
import { type RefundNonceTerms, refundNonce } from '@svc-pay/protocol/refund-nonce';
import { base58FromBytes, refundMemo, refundReference } from '@svc-pay/protocol/solana';
import { prepareTransfer, type TransferTerms } from '@svc-pay/solana';
import { NOW_SECONDS } from './sample-event.ts';

export const PAYMENT_ID = 'pay_01k9z3v5w8q2r4s6t7x0y1abcd';
export const REFUND_ID = 're_01k9z3v5w8q2r4s6t7x0y1abcd';
const PAYER = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
export const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const INSTALLATION = '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b11';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

export const sampleRefund = (change: Partial<Refund> = {}): Refund => ({
  id: REFUND_ID,
  object: 'refund',
  paymentId: PAYMENT_ID,
  paymentIntentId: 'pi_01k9z3v5w8q2r4s6t7x0y1abcd',
  status: 'prepared',
  amount: '500000',
  token: 'USDC',
  tokenShortcode: 'basesepolia_usdc',
  network: 'evm',
  chain: 'eip155:84532',
  from: null,
  to: PAYER,
  transactionId: null,
  explorerUrl: null,
  failureCode: null,
  failureMessage: null,
  reason: null,
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: '2026-11-15T13:00:00.000Z',
  completedAt: null,
  ...change,
});

export type EvmChange = {
  readonly terms?: Partial<RefundNonceTerms>;
  readonly domain?: object;
  readonly message?: object;
  readonly types?: object;
};

/** What the service asks the wallet to sign, with what a service that was taken over might change. */
export function evmCreated(wallet: string, change: EvmChange = {}): CreatedRefund {
  const terms: RefundNonceTerms = {
    installation: INSTALLATION,
    mode: 'test',
    network: 'eip155:84532' as NetworkId,
    token: USDC,
    wallet,
    paymentId: PAYMENT_ID,
    sequence: 1,
    ...change.terms,
  };
  const data = typedData(
    { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: USDC, ...change.domain },
    {
      primaryType: 'TransferWithAuthorization',
      message: {
        from: wallet as Hex,
        to: PAYER,
        value: '500000',
        validAfter: '0',
        validBefore: String(NOW_SECONDS + 3_600),
        nonce: refundNonce(terms),
        ...change.message,
      },
    },
  );
  const shown = { ...data, types: { ...data.types, ...change.types } };
  return {
    refund: sampleRefund({ from: wallet }),
    sign: { kind: 'evm_typed_data', typedData: shown as never, terms },
  };
}

export function drawSolanaKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Uint8Array.from(Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url'));
  return {
    address: base58FromBytes(bytes),
    privateKey,
    signBytes: async (message: Uint8Array) => Uint8Array.from(sign(null, message, privateKey)),
  };
}

export const SOLANA_PAYER = drawSolanaKey().address;
const RELAYER = drawSolanaKey().address;

export async function solanaCreated(wallet: string, change: Partial<TransferTerms> = {}): Promise<CreatedRefund> {
  const network = 'solana:devnet' as NetworkId;
  const terms: RefundNonceTerms = {
    installation: INSTALLATION,
    mode: 'test',
    network,
    token: MINT,
    wallet,
    paymentId: PAYMENT_ID,
    sequence: 1,
  };
  const made = await prepareTransfer(
    {
      intentId: '',
      payer: wallet,
      relayer: RELAYER,
      mint: MINT,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 6,
      legs: [{ owner: SOLANA_PAYER, amountAtomic: 500_000n }],
      memo: refundMemo(REFUND_ID),
      reference: refundReference(refundNonce(terms)),
      ...change,
    },
    { blockhash: drawSolanaKey().address, lastValidBlockHeight: 1_000n, slot: 900n },
  );
  if (!made.ok) throw new Error(made.code);
  const transaction = Buffer.from(made.prepared.wire).toString('base64');
  const refund = sampleRefund({ network: 'sol', chain: network, from: wallet, to: SOLANA_PAYER });
  return { refund, sign: { kind: 'solana_transaction', transaction, terms } };
}

/** A payment as the service tells it. */
export const samplePayment = (change: object = {}) => ({
  id: PAYMENT_ID,
  status: 'completed',
  paymentIntentId: 'pi_01k9z3v5w8q2r4s6t7x0y1abcd',
  payer: PAYER,
  chain: 'eip155:84532',
  ledgerCanisterId: USDC,
  paidAmount: '1500000',
  ...change,
});
