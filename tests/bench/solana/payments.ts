// What is sent, made and signed before the clock runs: payments through the API, and the same kind of transaction bare.
import { mapConcurrent } from '@svc-pay/core';
import { atomicAmount, payoutTerms } from '@svc-pay/money';
import { createLocalRelayer, legsOf, type TransferTerms } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { type Actors, drawActors, signAsWallet, signPayment } from '@svc-pay/solana/testing';
import type { PostJson } from './post-json.ts';
import type { SolanaBenchWorld } from './solana-world.ts';

export type Payer = Actors['payer'];
export type SignedPayment = { readonly intentId: string; readonly body: string };
export type BareTransaction = { readonly transactionId: string; readonly body: string };

const PRICE_ATOMIC = 1_500_000n;
const RICH_ATOMIC = 1_000_000_000_000n;
const MAKING_AT_ONCE = 48;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

export async function drawPayers({ faucet }: SolanaBenchWorld, count: number): Promise<readonly Payer[]> {
  const payers: Payer[] = [];
  for (let index = 0; index < count; index += 1) {
    const { payer } = await drawActors();
    await faucet.fundToken(payer.address, RICH_ATOMIC);
    payers.push(payer);
  }
  return payers;
}

/** Each an intent of its own, prepared by the API for its payer and signed. */
export async function makePayments(
  { apiPort, shop }: SolanaBenchWorld,
  post: PostJson,
  payers: readonly Payer[],
  count: number,
): Promise<readonly SignedPayment[]> {
  const headers = { authorization: `Bearer ${shop.publishableKey}` };
  return mapConcurrent(MAKING_AT_ONCE, Array.from({ length: count }), async (_, index) => {
    const payer = payers[index % payers.length];
    if (payer === undefined) throw new Error('nobody pays');
    const asked = { amount: PRICE_ATOMIC.toString(), tokenShortcode: 'soldevnet_usdc', publicKey: payer.address };
    const { code, body } = await post(apiPort, '/sdk/public/payments/intents/x402', JSON.stringify(asked), headers);
    if (code !== 402) throw new Error(`an intent was answered ${code}: ${body}`);
    const { paymentIntentId: intentId, accepts } = JSON.parse(body) as {
      paymentIntentId: string;
      accepts: readonly { extra: { transactionBase64?: string } }[];
    };
    const wire = Uint8Array.from(Buffer.from(accepts[0]?.extra.transactionBase64 ?? '', 'base64'));
    const signedTransactionBase64 = await signAsWallet(wire, payer);
    return { intentId, body: JSON.stringify({ paymentIntentId: intentId, signedTransactionBase64 }) };
  });
}

/** To the same recipients, with the same instructions, by a relayer of its own. */
export async function makeBare(
  { node, shop, feeAccount, faucet }: SolanaBenchWorld,
  payers: readonly Payer[],
  count: number,
): Promise<readonly BareTransaction[]> {
  const relayer = await createLocalRelayer(crypto.getRandomValues(new Uint8Array(32)));
  await faucet.fundSol(relayer.address, 1_000_000_000_000n);
  const made = payoutTerms(shop);
  if (!made.ok) throw new Error(made.code);
  const legs = legsOf(atomicAmount(PRICE_ATOMIC), {
    merchant: shop.merchant,
    feeRecipient: feeAccount,
    terms: made.terms,
  });
  return mapConcurrent(MAKING_AT_ONCE, Array.from({ length: count }), async (_, index) => {
    const payer = payers[index % payers.length];
    if (payer === undefined) throw new Error('nobody pays');
    const terms: TransferTerms = {
      intentId: `pi_bare_${relayer.address.slice(0, 8)}_${index}`,
      payer: payer.address,
      relayer: relayer.address,
      mint: DEVNET_USDC,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 6,
      legs,
    };
    const { transactionId, wire } = await signPayment(node, terms, { payer, relayer });
    const params = [
      Buffer.from(wire).toString('base64'),
      { encoding: 'base64', skipPreflight: true, maxRetries: 0 },
    ] as const;
    return { transactionId, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }) };
  });
}
