// Has the merchant's wallet sign a refund. What the service asks to be signed is compared with what was asked for on this
// page; where a field differs, nothing is signed.
import { type Payment, parseNetwork } from '@svc-pay/protocol';
import type { Refund, RefundSign, SubmitRefundRequest } from '@svc-pay/protocol/merchant';
import { checkTransaction, evmDifference, type WantedRefund } from '@svc-pay/protocol/refund-terms';
import { nowMs } from '../clock.ts';
import { signOnEvm } from './sign-on-evm.ts';
import { signOnSolana } from './sign-on-solana.ts';

export type RefundToSign = {
  readonly refund: Refund;
  readonly sign: RefundSign;
  readonly payment: Payment;
  /** As typed, in smallest units. */
  readonly amount: string;
  /** As typed, where the payer can't receive it. */
  readonly refundTo: string | null;
  readonly mode: 'test' | 'live';
};

export async function signRefund({
  refund,
  sign,
  payment,
  amount,
  refundTo,
  mode,
}: RefundToSign): Promise<SubmitRefundRequest> {
  const network = parseNetwork(payment.chain ?? refund.chain);
  const { from } = refund;
  const recipient = refundTo ?? payment.payer;
  if (network === undefined || from === null || !recipient)
    throw new Error(
      'The service did not name the wallet, the payer and the network of the refund, so nothing was signed.',
    );
  const wanted: WantedRefund = {
    paymentId: payment.id,
    mode,
    wallet: from,
    recipient,
    network,
    token: payment.ledgerCanisterId,
    amountAtomic: BigInt(amount),
    nowMs: nowMs(),
  };
  if (sign.kind === 'evm_typed_data') {
    assertSame(evmDifference(sign, wanted));
    return { signature: await signOnEvm(from, sign.typedData) };
  }
  const checked = checkTransaction(sign, refund.id, wanted);
  if (!checked.ok) return assertSame(checked.difference);
  return { transaction: await signOnSolana(from, sign.transaction, network) };
}

function assertSame(difference: string): never;
function assertSame(difference: string | undefined): void;
function assertSame(difference: string | undefined): void {
  if (difference !== undefined)
    throw new Error(
      `The service asked for another refund than yours (${difference} differs), so nothing was signed. Tell the operator.`,
    );
}
