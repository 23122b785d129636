// A payment as an on-chain transaction carries it, which tests change for their case.
import { evmNetwork } from '@svc-pay/protocol';
import type { CarriedPayment, OnChainTransaction } from '../restore/on-chain-transaction.ts';
import { TOKENS } from '../token/catalogue.ts';
import { someAddress } from './settled-payment.ts';

const network = evmNetwork(84_532);
const token = TOKENS.find((known) => known.network === network);
if (token === undefined) throw new Error(`the catalogue has no token of ${network}`);
/** Token of `carriedPayment`, as the catalogue has it. */
export const CARRIED_TOKEN = token;

export function carriedPayment(change: Partial<CarriedPayment> = {}): CarriedPayment {
  return {
    intentCode: 4_242n,
    asset: CARRIED_TOKEN.address.toLowerCase(),
    processor: someAddress(0xee),
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: someAddress(0xaa),
    capAtomic: 1_500_000n,
    settledAtomic: 1_500_000n,
    validAfterSeconds: 1n,
    validBeforeSeconds: 1_800_000_000n,
    nonce: `0x${'01'.repeat(32)}`,
    signature: `0x${'02'.repeat(65)}`,
    payoutId: 3n,
    claimKey: new Uint8Array(32).fill(7),
    ...change,
  };
}

export function onChainTransaction(change: Partial<OnChainTransaction> = {}): OnChainTransaction {
  const carried = change.carried ?? [carriedPayment()];
  return {
    network,
    relayer: someAddress(0xdd),
    nonce: 5n,
    transactionId: `0x${'fe'.repeat(32)}`,
    raw: new Uint8Array([1]),
    blockNumber: 9n,
    form: 'settle',
    carried,
    settled: carried,
    ...change,
  };
}
