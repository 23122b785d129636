// A settled payment with its chain evidence, which tests change for their case.
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { SettledPayment } from '../ledger/book-payment.ts';

const BORN_MS = 1_700_000_000_000;

export function someAddress(number: number): string {
  return `0x${number.toString(16).padStart(2, '0').repeat(20)}`;
}

type Wish = {
  readonly capAtomic?: bigint;
  readonly settledAtomic?: bigint;
  readonly feeBps?: number;
  readonly splits?: readonly { readonly to: string; readonly bps: number }[];
  readonly gasShareAtomic?: bigint;
  /** Recipients whose share was not delivered; `split` is the first split. */
  readonly escrowed?: readonly string[];
};

const [PAYER, MERCHANT, FEE_RECIPIENT] = [someAddress(0xaa), someAddress(0xbb), someAddress(0xcc)];

export function settledPayment(wish: Wish): SettledPayment {
  const { capAtomic = 1_000_000n, feeBps = 100, splits = [], gasShareAtomic = 0n, escrowed = [] } = wish;
  const settledAtomic = wish.settledAtomic ?? capAtomic;
  const paymentId = newId('payment', BORN_MS);
  const addresses: Record<string, string | undefined> = {
    payer: PAYER,
    merchant: MERCHANT,
    fee: FEE_RECIPIENT,
    split: splits[0]?.to,
  };
  return {
    lane: { network: evmNetwork(84_532), relayer: someAddress(0xdd) },
    item: {
      accountId: newId('account', BORN_MS),
      mode: 'test',
      paymentId,
      intentId: newId('paymentIntent', BORN_MS),
      intentCode: 7n,
      number: 1n,
      asset: someAddress(0x70),
      processor: someAddress(0xee),
      kind: 'transfer_with_authorization',
      byContract: false,
      payer: PAYER,
      capAtomic,
      settledAtomic,
      validAfterSeconds: 0n,
      validBeforeSeconds: 2_000_000_000n,
      nonce: `0x${'01'.repeat(32)}`,
      signature: `0x${'02'.repeat(65)}`,
      confirmations: 1,
      payout: { id: 3n, merchant: MERCHANT, feeBps, splits },
    },
    mined: {
      paymentId,
      outcome: 'settled',
      logIndex: 8,
      transferLogIndex: 7,
      feeAtomic: (settledAtomic * BigInt(feeBps)) / 10_000n,
      escrowedFor: escrowed.flatMap((role) => addresses[role] ?? []),
    },
    batch: { transactionId: `0x${'fe'.repeat(32)}`, feeRecipient: FEE_RECIPIENT },
    gasShareAtomic,
  };
}
