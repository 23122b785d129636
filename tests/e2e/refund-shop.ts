// A merchant whose wallet can sign, its final payments, and refunds as the API would submit them.

import { mockUsdcAbi } from '@svc-pay/evm';
import { createRefundStore, queueRefund, type RefundToQueue, type RefundToSign } from '@svc-pay/postgres/testing';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { createWalletClient, type Hex, http, type PrivateKeyAccount, parseEther, publicActions } from 'viem';
import { onePayer, PRICE } from './follow-payment.ts';
import { waitFor } from './many-payments.ts';
import { openShop, type Shop } from './open-shop.ts';
import type { World } from './start-world.ts';
import { type Payer, prepare, type SettleCall, settle } from './wallet.ts';

export type RefundShop = Shop & { readonly signer: PrivateKeyAccount };

/** With enough of the token to refund everything, also what it paid for fees. */
export async function openRefundShop(world: World, wallet: 'key' | 'contract' = 'key'): Promise<RefundShop> {
  const { chain, database } = world;
  const { account: signer } = await chain.newKey(parseEther('1'));
  const merchant = wallet === 'key' ? signer.address : await chain.deployWallet(signer.address);
  await chain.mint(chain.tokens.usdc, merchant, PRICE * 100n);
  const shop = await openShop(database.pool, chain, { feeBps: 100, splitBps: [], merchant });
  return { ...shop, signer };
}

export type FinalPayment = SettleCall & { readonly paymentId: string; readonly payer: Payer };

/** A completed payment whose block is final. */
export async function finalPayment(world: World, shop: Shop): Promise<FinalPayment> {
  const payer = await onePayer(world);
  const at = { apiUrl: world.apiUrl, shop };
  const call = await prepare(at, payer);
  await waitFor(async () => (await settle(at, call)).status === 'succeeded', 40, 'paid');
  const { payment } = await settle(at, call);
  const isFinal = async () => {
    const { rowCount } = await world.database.pool.query(
      `select from svc.settlements s join svc.batches b on b.id = s.batch_id
       where s.payment_id = $1 and b.status = 'finalized'`,
      [payment?.id],
    );
    return rowCount === 1;
  };
  await waitFor(isFinal, 40, 'final');
  return { ...call, paymentId: payment?.id ?? '', payer };
}

const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

const signWith =
  (signer: PrivateKeyAccount, { paymentRequirements: { extra } }: SettleCall) =>
  ({ wallet, recipient, amount, validBeforeSeconds, nonce, asset }: RefundToSign): Promise<Hex> =>
    signer.signTypedData({
      domain: {
        name: extra.name,
        version: extra.eip3009Version,
        chainId: Number(extra.rpcChainId),
        verifyingContract: asset as Hex,
      },
      types: { TransferWithAuthorization: FIELDS },
      primaryType: 'TransferWithAuthorization',
      message: {
        from: wallet as Hex,
        to: recipient as Hex,
        value: amount,
        validAfter: 0n,
        validBefore: validBeforeSeconds,
        nonce: nonce as Hex,
      },
    });

/** Signed by the shop's wallet and submitted. */
export function refund(
  { database }: World,
  shop: RefundShop,
  payment: FinalPayment,
  given: Omit<RefundToQueue, 'sign'> = {},
): Promise<string> {
  const byContract = shop.merchant !== shop.signer.address;
  return queueRefund(database.pool, payment.paymentId, Date.now(), {
    byContract,
    ...given,
    sign: signWith(shop.signer, payment),
  });
}

export type RefundSeen = {
  readonly status: string;
  readonly amount: string | null;
  readonly transaction_id: Hex | null;
  readonly failure_code: string | null;
  readonly batch_id: string | null;
};

export async function refundOf({ database }: World, id: string): Promise<RefundSeen> {
  const { rows } = await database.pool.query<RefundSeen>(
    'select status, amount, transaction_id, failure_code, batch_id from svc.refunds where id = $1',
    [id],
  );
  if (rows[0] === undefined) throw new Error(`no refund ${id}`);
  return rows[0];
}

export const refundIs = (world: World, id: string, status: string) =>
  waitFor(async () => (await refundOf(world, id)).status === status, 40, `refund ${status}`);

export async function totalsOf({ database }: World, { paymentId }: FinalPayment) {
  const { rows } = await database.pool.query<{ refunded: string; reserved: string; status: string }>(
    `select t.refunded, t.reserved, p.status from svc.refund_totals t join svc.payments p on p.id = t.payment_id
     where p.id = $1`,
    [paymentId],
  );
  const [row] = rows;
  return { refunded: BigInt(row?.refunded ?? 0), reserved: BigInt(row?.reserved ?? 0), status: row?.status };
}

/** The merchant's own transfer, without any signature of ours. */
export async function sendBack({ chain }: World, { signer }: RefundShop, to: Hex, amount: bigint): Promise<Hex> {
  const client = createWalletClient({ account: signer, transport: http(chain.rpcUrl) }).extend(publicActions);
  const hash = await client.writeContract({
    chain: null,
    abi: mockUsdcAbi,
    address: chain.tokens.usdc,
    functionName: 'transfer',
    args: [to, amount],
  });
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (status !== 'success') throw new Error('the transfer was refused');
  return hash;
}

/** Answers the refund's id, or the refusal. */
export async function reportTransfer(
  { database }: World,
  shop: RefundShop,
  payment: FinalPayment,
  transactionId: Hex,
): Promise<string> {
  const answer = await createRefundStore(database.pool).recordReported(
    {
      id: newId('refund', Date.now()),
      accountId: shop.accountId as Id<'account'>,
      mode: 'test',
      paymentId: payment.paymentId as Id<'payment'>,
      wallet: shop.merchant.toLowerCase(),
      recipient: payment.payer.address,
      reason: null,
      reported: { transactionId, logIndex: null },
      amountAtomic: null,
    },
    Date.now(),
  );
  return answer.ok ? answer.refund.id : answer.code;
}
