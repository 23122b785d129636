// Makes one payment of a rehearsal: the merchant's server asks by the server library, the payer pays by the browser SDK.
import type { Acceptance } from '@svc-pay/protocol';
import { createSvcPay } from '@svc-pay/sdk';
import { evmWallet } from '@svc-pay/sdk/evm';
import type { PaymentFlow } from './journal.ts';
import type { AskedPayment } from './payment-facts.ts';
import { answered, FlowFailed, type Rehearsal, waitFor } from './rehearsal.ts';

export type FlowAmounts = { readonly signedAtomic: bigint; readonly chargedAtomic: bigint };

export type FlowTimes = {
  /** From the request of the intent to its answer. */
  readonly intentMs: number;
  /** From the signature to the answer that the payment is completed; of an up-to payment from the charge on. */
  readonly paidMs: number;
};

export type PaidFlow = { readonly asked: AskedPayment; readonly times: FlowTimes };

const PAYMENT_TIMEOUT_MS = 300_000;
/** The cap is charged at once. A short life bounds what a leaked one could cost. The payer signs for an hour at most. */
const CAP_SECONDS = 1_800;

/** Throws `FlowFailed` with a sentence; the journal then has the intent without an end. */
export async function payFlow(rehearsal: Rehearsal, flow: PaymentFlow, amounts: FlowAmounts): Promise<PaidFlow> {
  const { network, payer, journal, apiUrl, stopping } = rehearsal;
  const { api } = rehearsal.merchantOf(flow);
  const startedMs = performance.now();
  const created = answered(
    'create the intent',
    await api.intents.create(
      {
        amount: amounts.signedAtomic.toString(),
        tokenShortcode: network.token.shortcode,
        metadata: { svc_rehearsal: rehearsal.run, flow },
        ...(flow === 'upto' && { x402Upto: true, maxTimeoutSeconds: CAP_SECONDS }),
      },
      { signal: stopping },
    ),
  );
  const intentMs = Math.round(performance.now() - startedMs);
  const { paymentIntentId, clientSecret } = created;
  journal.write({ kind: 'intent', flow, paymentIntentId, signs: amounts.signedAtomic.toString() });
  if (created.kind !== 'payment_required') throw new FlowFailed(`not offered: ${created.fallback.error}`);
  if (clientSecret === null) throw new FlowFailed('the service is of a version before client secrets');
  const { payTo } = offered(rehearsal, flow, amounts, created.paymentRequired.accepts);
  const { situation } = answered('read the intent', await api.intents.get(paymentIntentId));
  const token = network.token.address;
  payer.expect({
    to: payTo,
    amountAtomic: amounts.signedAtomic,
    beforeSigning: (validBefore) =>
      journal.write({
        kind: 'signed',
        paymentIntentId,
        token,
        amount: amounts.signedAtomic.toString(),
        validBefore,
      }),
  });
  const client = createSvcPay({
    baseUrl: apiUrl,
    wallet: evmWallet({ provider: payer.provider, account: payer.address }),
    payTo,
    timeouts: { paymentMs: PAYMENT_TIMEOUT_MS },
  });
  const expect = {
    payTo,
    asset: token,
    network: network.chain.network,
    maxAmount: amounts.signedAtomic.toString(),
  };
  const intent = { paymentIntentId, clientSecret, expect };
  let beganMs: number;
  try {
    if (flow === 'upto') await client.createUptoAuthorization(intent, { signal: stopping });
    else await client.createPayment(intent, { signal: stopping });
    beganMs = payer.signedAtMs() ?? startedMs;
  } catch (problem) {
    const { code, message } = problem as { readonly code?: string; readonly message?: string };
    throw new FlowFailed(`pay: ${code ?? 'failed'}: ${message ?? ''}`);
  }
  if (flow === 'upto') {
    beganMs = performance.now();
    await charge(rehearsal, paymentIntentId, situation.paymentIntent.accountId, amounts.chargedAtomic);
  }
  journal.write({ kind: 'ended', paymentIntentId, how: 'completed' });
  return {
    asked: {
      flow,
      paymentIntentId,
      intentCode: situation.paymentIntent.intentCode,
      token,
      decimals: network.token.unit.decimals,
      payer: payer.address,
      payTo,
      ...amounts,
    },
    times: { intentMs, paidMs: Math.round(performance.now() - beganMs) },
  };
}

/** The acceptance that the flow is about; throws where the account is paid in another way. */
function offered(
  { network }: Rehearsal,
  flow: PaymentFlow,
  { signedAtomic }: FlowAmounts,
  accepts: readonly Acceptance[],
): Acceptance {
  const acceptance = accepts.find(
    ({ network: on, asset, maxAmountRequired }) =>
      on === network.chain.network &&
      asset?.toLowerCase() === network.token.address.toLowerCase() &&
      BigInt(maxAmountRequired) === signedAtomic,
  );
  if (acceptance === undefined) throw new FlowFailed(`${network.token.shortcode} is not offered at this amount`);
  const isDirect = acceptance.extra?.svc?.authorizationType === 'TransferWithAuthorization';
  if (isDirect === (flow === 'direct')) return acceptance;
  throw new FlowFailed(
    isDirect
      ? 'the account has a direct payout in this token: use a key of an account that is paid through the processor'
      : 'the account has no active direct payout in this token: use a key of an account that has one',
  );
}

/** Charges until the payment has a result: the call may be repeated, and charges once. */
async function charge(
  { merchantOf, stopping }: Rehearsal,
  paymentIntentId: string,
  accountId: string,
  amountAtomic: bigint,
): Promise<void> {
  const { upto } = merchantOf('upto').of(accountId);
  const settled = await waitFor(
    async () => {
      const answer = answered(
        'charge',
        await upto.settle({ paymentIntentId, settledAmount: amountAtomic.toString() }, { signal: stopping }),
      );
      return answer.settlement.status === 'succeeded' ? answer.settlement : undefined;
    },
    PAYMENT_TIMEOUT_MS,
    stopping,
  );
  if (settled === undefined) throw new FlowFailed(`charge: no result within ${PAYMENT_TIMEOUT_MS / 1_000} s`);
}
