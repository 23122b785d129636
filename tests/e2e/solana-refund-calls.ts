// A merchant who refunds payments on Solana, by the interface alone.
import { waitFor } from './many-payments.ts';
import { newIntent, newPayer, relay, type SolanaWorld, sign, signFor } from './solana-world.ts';
import { post } from './wallet.ts';

export type WireRefund = {
  readonly id: string;
  readonly status: string;
  readonly amount: string | null;
  readonly from: string;
  readonly to: string;
  readonly transactionId: string | null;
  readonly failureCode: string | null;
};

type Answered<Body> = { readonly status: number; readonly body: Body & { readonly error?: string } };
type Created = {
  readonly refund: WireRefund;
  readonly sign: { readonly kind: string; readonly transaction: string } | null;
};

export type Paid = {
  readonly paymentId: string;
  readonly intentId: string;
  readonly payer: Awaited<ReturnType<typeof newPayer>>;
};

const WAIT_SECONDS = 60;

type Asker = Pick<SolanaWorld, 'apiUrl'> & { readonly shop: Pick<SolanaWorld['shop'], 'secretKey'> };
type Refunder = Asker & Pick<SolanaWorld, 'merchant'>;

/** A payment that is final: its batch is, by the watcher. */
export async function payFinally(world: SolanaWorld): Promise<Paid> {
  const payer = await newPayer(world);
  // After settlement was down, the network is offered again only when it has been sound for a while.
  const isOffered = async () => {
    const { rowCount } = await world.database.pool.query(
      `select from svc.network_health where network = 'solana:devnet' and not offered`,
    );
    return rowCount === 0;
  };
  await waitFor(isOffered, WAIT_SECONDS, 'offered');
  const { id: intentId } = await newIntent(world);
  const { payment } = await relay(world, intentId, await signFor(world, intentId, payer));
  if (payment === null) throw new Error('no payment');
  const isFinal = async () => {
    const { rowCount } = await world.database.pool.query(
      `select from svc.settlements s join svc.batches b on b.id = s.batch_id
       where s.payment_id = $1 and b.status = 'finalized'`,
      [payment.id],
    );
    return rowCount === 1;
  };
  await waitFor(isFinal, WAIT_SECONDS, 'final');
  return { paymentId: payment.id, intentId, payer };
}

async function call<Body>(response: Response): Promise<Answered<Body>> {
  return { status: response.status, body: (await response.json()) as Body & { readonly error?: string } };
}

export async function askRefund(
  { apiUrl, shop }: Asker,
  paymentId: string,
  body: Readonly<Record<string, unknown>> = {},
  key = shop.secretKey,
): Promise<Answered<Created>> {
  return call(await post(`${apiUrl}/sdk/payments/${paymentId}/refunds`, key, body));
}

/** A refund with what the wallet signs. */
export async function prepareRefund(world: Asker, paymentId: string, body: Readonly<Record<string, unknown>> = {}) {
  const { status, body: created } = await askRefund(world, paymentId, body);
  if (status !== 201 || created.sign === null) throw new Error(`${status}: ${JSON.stringify(created)}`);
  return { refund: created.refund, unsigned: created.sign.transaction };
}

export async function submitRefund(
  { apiUrl, shop }: Asker,
  refundId: string,
  transaction: string,
): Promise<Answered<{ readonly refund: WireRefund }>> {
  return call(await post(`${apiUrl}/sdk/refunds/${refundId}/submit`, shop.secretKey, { transaction }));
}

/** Prepares, signs with the merchant's wallet and submits. */
export async function refund(world: Refunder, paymentId: string, body: Readonly<Record<string, unknown>> = {}) {
  const prepared = await prepareRefund(world, paymentId, body);
  const transaction = await sign(prepared.unsigned, world.merchant);
  const submitted = await submitRefund(world, prepared.refund.id, transaction);
  if (submitted.status !== 202) throw new Error(`${submitted.status}: ${JSON.stringify(submitted.body)}`);
  return { id: prepared.refund.id, transaction };
}

export async function readRefund({ apiUrl, shop }: Asker, refundId: string): Promise<WireRefund> {
  const { body } = await call<{ readonly refund: WireRefund }>(
    await fetch(`${apiUrl}/sdk/refunds/${refundId}`, { headers: { authorization: `Bearer ${shop.secretKey}` } }),
  );
  return body.refund;
}

/** The refund when it has ended. */
export async function endOf(world: Asker, refundId: string): Promise<WireRefund> {
  const hasEnded = async () => ['completed', 'failed', 'canceled'].includes((await readRefund(world, refundId)).status);
  await waitFor(hasEnded, WAIT_SECONDS, `ended, refund ${refundId}`);
  return readRefund(world, refundId);
}
