// The same batches with nothing around them: packed and signed beforehand, sent to the node, and waited for.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaneItem } from '@svc-pay/core';
import { createLaneChain, createLocalSigner } from '@svc-pay/evm';
import { parseNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { hexToBytes } from 'viem';
import type { Payers } from './payers.ts';
import type { SettleWorld } from './settle-world.ts';

/** What a lane puts into one transaction under load. */
const BATCH = 200;
const IN_FLIGHT = 64;
const POLL_MS = 50;
const AMOUNT_ATOMIC = 1_000_000n;
/** Far above the codes that the service draws in this database. */
let code = 9_000_000_000_000_000n;

export type BareBatches = { readonly perSecond: number; readonly payments: number };

export async function sendBareBatches(world: SettleWorld, payers: Payers, payments: number): Promise<BareBatches> {
  const { chain, rpc, pool, shops } = world;
  const network = parseNetwork(chain.network);
  const relayer = chain.keys.relayers.at(-1);
  const [shop] = shops;
  if (network === undefined || relayer === undefined || shop === undefined)
    throw new Error('the world is not complete');
  const { rows } = await pool.query<{ id: string }>(
    `select payout_id::text as id from svc.payouts where account_id = $1 and network = $2 and kind = 'processor'`,
    [shop.accountId, chain.network],
  );
  const payout = { id: BigInt(rows[0]?.id ?? '0'), merchant: shop.merchant, feeBps: shop.feeBps, splits: shop.splits };
  const signer = createLocalSigner(hexToBytes(relayer.privateKey));
  const lane = createLaneChain({ network, rpc, endpoints: [rpc], signer });
  const newItem = async (): Promise<LaneItem> => {
    code += 1n;
    const { authorization, signature } = await payers.sign(chain.record.processor, AMOUNT_ATOMIC);
    return {
      accountId: shop.accountId as LaneItem['accountId'],
      mode: 'test',
      paymentId: newId('payment', 0),
      intentId: newId('paymentIntent', 0),
      intentCode: code,
      number: code,
      asset: chain.tokens.usdc.toLowerCase(),
      processor: chain.record.processor.toLowerCase(),
      kind: 'transfer_with_authorization',
      byContract: false,
      payer: authorization.from,
      capAtomic: AMOUNT_ATOMIC,
      settledAtomic: AMOUNT_ATOMIC,
      validAfterSeconds: BigInt(authorization.validAfter),
      validBeforeSeconds: BigInt(authorization.validBefore),
      nonce: authorization.nonce,
      signature,
      payout,
      confirmations: 1,
    };
  };
  const first = await lane.minedNonce();
  const signed = [];
  for (let index = 0n; index * BigInt(BATCH) < BigInt(payments); index += 1n) {
    const items = await Promise.all(Array.from({ length: BATCH }, newItem));
    signed.push(await lane.sign(items, first + index));
  }

  const startMs = performance.now();
  let pending: string[] = [];
  for (const { raw, transactionId } of signed) {
    const sent = await lane.broadcast(raw);
    if (sent.outcome !== 'known') throw new Error('the node does not take a bare batch');
    pending.push(transactionId);
    while (pending.length >= IN_FLIGHT) pending = await land(rpc, pending);
  }
  while (pending.length > 0) pending = await land(rpc, pending);
  // Whole blocks of batches are done at one moment: only the whole of it has a rate.
  const sent = signed.length * BATCH;
  return { perSecond: (sent * 1_000) / (performance.now() - startMs), payments: sent };
}

async function land(rpc: SettleWorld['rpc'], pending: readonly string[]): Promise<string[]> {
  const answers = await rpc(pending.map((id) => ({ method: 'eth_getTransactionReceipt', params: [id] })));
  const left = pending.filter((_, index) => {
    const answer = answers[index];
    if (answer?.ok !== true || answer.result === null) return true;
    if ((answer.result as { status: string }).status !== '0x1') throw new Error('a bare batch reverted');
    return false;
  });
  if (left.length === pending.length) await sleep(POLL_MS);
  return left;
}
