// Refunds of a payment at every step, on any store.
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import {
  REFUND_VALIDITY_SECONDS,
  type RefundablePayment,
  type RefundEvidence,
  type RefundStore,
  type RefundToPrepare,
  type RefundWatchStore,
  refundNonces,
  type StoredRefund,
} from '../index.ts';

export type PaymentId = Id<'payment'>;

export type RefundHarness = {
  readonly store: RefundStore;
  readonly watch: RefundWatchStore;
  readonly owner: Pick<StoredRefund, 'accountId' | 'mode'>;
  readonly network: NetworkId;
  readonly asset: string;
  readonly wallet: string;
  readonly payer: string;
  readonly nowMs: number;
  /** A payment of 1000 units, up-to with a cap of 1500. `final: false` leaves its batch mined. `dueAtomic`: what the policy gives back. */
  readonly paid: (order?: { readonly final?: boolean; readonly dueAtomic?: bigint }) => Promise<PaymentId>;
};

export type RefundSteps = {
  readonly refundable: (paymentId: PaymentId) => Promise<RefundablePayment>;
  readonly terms: (paymentId: PaymentId, amountAtomic: bigint) => Promise<RefundToPrepare>;
  readonly prepared: (paymentId: PaymentId, amountAtomic: bigint) => Promise<StoredRefund>;
  /** `byte`: of which the signature is made. */
  readonly submitted: (paymentId: PaymentId, amountAtomic: bigint, byte?: number) => Promise<StoredRefund>;
  /** A log of its own. */
  readonly evidence: (amountAtomic: bigint, change?: Partial<RefundEvidence>) => RefundEvidence;
};

export const refundSignature = (byte: number) => ({
  signature: `0x${Buffer.alloc(65, byte).toString('hex')}`,
  byContract: false,
});

export function refundSteps({ store, owner, network, asset, wallet, payer, nowMs }: RefundHarness): RefundSteps {
  let lastLog = 0;
  const refundable: RefundSteps['refundable'] = async (paymentId) => {
    const found = await store.loadRefundable(owner, paymentId);
    if (found === undefined) throw new Error(`there is no payment ${paymentId}`);
    return found;
  };
  const terms: RefundSteps['terms'] = async (paymentId, amountAtomic) => {
    const { installation, nextSequence } = await refundable(paymentId);
    const signer = { mode: owner.mode, network, asset, wallet, paymentId };
    const [next] = refundNonces(installation, signer, nextSequence, 1);
    if (next === undefined) throw new Error('no nonce');
    return {
      ...owner,
      ...next,
      id: newId('refund', nowMs),
      paymentId,
      wallet,
      recipient: payer,
      kind: 'authorization',
      amountAtomic,
      validAfterSeconds: 0n,
      validBeforeSeconds: BigInt(nowMs / 1_000 + REFUND_VALIDITY_SECONDS),
      transfer: null,
      reason: 'changed his mind',
      expiresAtMs: nowMs + REFUND_VALIDITY_SECONDS * 1_000,
    };
  };
  const prepared: RefundSteps['prepared'] = async (paymentId, amountAtomic) => {
    const answer = await store.recordPrepared(await terms(paymentId, amountAtomic), nowMs);
    if (!answer.ok) throw new Error(answer.code);
    return answer.refund;
  };
  const submitted: RefundSteps['submitted'] = async (paymentId, amountAtomic, byte = 1) => {
    const { id } = await prepared(paymentId, amountAtomic);
    const answer = await store.submit(owner, id, refundSignature(byte), nowMs);
    if (!answer.ok) throw new Error(answer.code);
    return answer.refund;
  };
  const evidence: RefundSteps['evidence'] = (amountAtomic, change = {}) => {
    lastLog += 1;
    return { transactionId: `0xref${lastLog}`, logIndex: 4, amountAtomic, wallet, recipient: payer, ...change };
  };
  return { refundable, terms, prepared, submitted, evidence };
}
