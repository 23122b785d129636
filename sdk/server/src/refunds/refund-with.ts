// A refund in one call: created, checked, signed and submitted.
import type { NetworkId } from '@svc-pay/protocol';
import { parseNetwork } from '@svc-pay/protocol';
import type { CreatedRefund, Refund, SubmitRefundRequest } from '@svc-pay/protocol/merchant';
import { checkTransaction, evmDifference, signableOf, type WantedRefund } from '@svc-pay/protocol/refund-terms';
import { base64FromBytes } from '@svc-pay/protocol/solana';
import { type CallFailure, signerFailed, termsDiffer } from '../call/call-failure.ts';
import type { CallOptions, Connection, MakeOptions } from '../call/connection.ts';
import { paymentsOf } from '../payments/payments.ts';
import {
  addressOf,
  type RefundSigner,
  type SolanaKeySigner,
  type SolanaRefundSigner,
  signMessage,
  signsTypedData,
  signTypedData,
} from './refund-signer.ts';
import type { CreateRefundCall, RefundFound, Refunds } from './refunds.ts';

export type RefundWithCall = Omit<CreateRefundCall, 'from' | 'transactionId' | 'logIndex'> & {
  /**
   * What your own records say of the payment. Fields that are left out are taken from the service's word about the payment,
   * so a service that somebody took over could lie about both: name them where you have them.
   */
  readonly expect?: {
    /** The payer's address. */
    readonly payer?: string;
    /** Contract or mint of the token. */
    readonly token?: string;
    /** CAIP-2, such as `eip155:8453`. */
    readonly chain?: string;
    /** Digits: never more than this is signed. What was paid when left out. */
    readonly mostAmount?: string;
  };
};

export type RefundWithOptions = MakeOptions & {
  /** Waits for the end, until a final block shows the transfer. Minutes on most chains. */
  readonly wait?: true;
};

type SubmittableRefunds = Pick<Refunds, 'create' | 'submit' | 'get' | 'wait'>;

export async function refundWith(
  connection: Connection,
  refunds: SubmittableRefunds,
  signer: RefundSigner,
  { expect, ...asked }: RefundWithCall,
  { wait, idempotencyKey, ...options }: RefundWithOptions = {},
): Promise<RefundFound | CallFailure> {
  const known = await paymentsOf(connection).get(asked.paymentId, options);
  if (!known.ok) return known;
  const { payer, chain, ledgerCanisterId, paidAmount } = known.payment;
  const wallet = addressOf(signer);
  const created = await refunds.create(
    { ...asked, from: wallet },
    { ...options, ...(idempotencyKey !== undefined && { idempotencyKey }) },
  );
  if (!created.ok) return created;
  const wanted = wantedRefund(created.refund, {
    paymentId: asked.paymentId,
    mode: connection.mode,
    wallet,
    recipient: asked.refundTo ?? expect?.payer ?? payer ?? undefined,
    network: parseNetwork(expect?.chain ?? chain ?? ''),
    token: expect?.token ?? ledgerCanisterId,
    amount: asked.amount,
    most: expect?.mostAmount ?? paidAmount ?? '0',
    nowMs: connection.nowMs(),
  });
  if (typeof wanted === 'string') return termsDiffer(wanted);
  const signed = await sign(signer, created, wanted);
  if (!signed.ok) return signed;
  const submitted = await submitOnce(refunds, created.refund, signed.body, options);
  return submitted.ok && wait === true ? refunds.wait(created.refund.id, options) : submitted;
}

type Expected = Omit<WantedRefund, 'recipient' | 'network' | 'amountAtomic'> & {
  readonly recipient: string | undefined;
  readonly network: NetworkId | undefined;
  readonly amount: string | undefined;
  readonly most: string;
};

/** The name of the field that can't be as asked for. Without an amount it is the service's, up to what was paid. */
function wantedRefund(refund: Refund, expected: Expected): WantedRefund | string {
  const { recipient, network, amount, most, ...rest } = expected;
  const amountAtomic = BigInt(amount ?? refund.amount ?? '0');
  if (recipient === undefined) return 'to';
  if (network === undefined) return 'chainId';
  if (refund.paymentId !== expected.paymentId) return 'paymentId';
  return amountAtomic > 0n && amountAtomic <= BigInt(most) ? { ...rest, recipient, network, amountAtomic } : 'value';
}

type Signed = { readonly ok: true; readonly body: SubmitRefundRequest } | CallFailure;

async function sign(
  signer: RefundSigner,
  { refund, sign: asked }: CreatedRefund,
  wanted: WantedRefund,
): Promise<Signed> {
  try {
    if (asked?.kind === 'evm_typed_data' && signsTypedData(signer)) {
      const difference = evmDifference(asked, wanted);
      if (difference !== undefined) return termsDiffer(difference);
      return { ok: true, body: { signature: await signTypedData(signer, signableOf(asked.typedData)) } };
    }
    if (asked?.kind === 'solana_transaction' && !signsTypedData(signer))
      return await signTransaction(signer, refund, asked, wanted);
    return termsDiffer('kind');
  } catch (problem) {
    return signerFailed(problem);
  }
}

async function signTransaction(
  signer: SolanaRefundSigner | SolanaKeySigner,
  refund: Refund,
  asked: Parameters<typeof checkTransaction>[0],
  wanted: WantedRefund,
): Promise<Signed> {
  const checked = checkTransaction(asked, refund.id, wanted);
  if (!checked.ok) return termsDiffer(checked.difference);
  const signature = await signMessage(signer, checked.message, checked.signers);
  if (signature?.length !== 64) return signerFailed(new Error('It gave no signature of 64 bytes.'));
  return { ok: true, body: { transaction: base64FromBytes(checked.signedWith(signature)) } };
}

/** A wallet that signs with randomness gives another signature when the call is repeated: the first one counts. */
async function submitOnce(
  refunds: SubmittableRefunds,
  { id }: Refund,
  body: SubmitRefundRequest,
  options: CallOptions,
): Promise<RefundFound | CallFailure> {
  const submitted = await refunds.submit(id, body, options);
  return !submitted.ok && submitted.code === 'refund_already_submitted' ? refunds.get(id, options) : submitted;
}
