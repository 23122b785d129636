// Solana beside the EVM chain: the chain, what the shop needs there, and a payer.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { payoutTerms } from '@svc-pay/money';
import { enableTokens, setPayout } from '@svc-pay/postgres/operator';
import { parseNetwork } from '@svc-pay/protocol';
import { createLocalRelayer, openNode } from '@svc-pay/solana';
import { type Actors, drawActors, moveAllSol, openLiteFaucet, signAsWallet } from '@svc-pay/solana/testing';
import type pg from 'pg';
import type { Shop } from '../../e2e/open-shop.ts';
import { post } from '../../e2e/wallet.ts';
import { createProgram } from '../harness/program.ts';

export const SOLANA = 'solana:devnet';
/** A blockhash lives for half a minute, and what landed is final after six seconds. */
const SLOT_MS = '200';
const PRICE_ATOMIC = 1_500_000n;
const MINTED_ATOMIC = 1_000_000_000_000n;
const MOST_TRIES = 60;

export type SolanaPayer = Actors['payer'];
export type SolanaSide = Awaited<ReturnType<typeof startSolanaSide>>;

export async function startSolanaSide(logFile: string) {
  const file = path.resolve(import.meta.dirname, '../../solana/lite-process.ts');
  const program = createProgram({ file, arguments: [SLOT_MS], environment: {}, logFile });
  await program.start();
  const rpcUrl = `http://127.0.0.1:${program.port()}`;
  const faucet = openLiteFaucet(rpcUrl);
  const { platform: feeAccount } = await drawActors();
  await faucet.fundToken(feeAccount, 0n);
  return {
    rpcUrl,
    faucet,
    feeAccount,
    genesisHash: await openNode(rpcUrl).genesisHash(),
    stop: program.kill,
    newPayer: async (): Promise<SolanaPayer> => {
      const { payer } = await drawActors();
      await faucet.fundToken(payer.address, MINTED_ATOMIC);
      return payer;
    },
    /** Sends every lamport of the key in this file to another wallet. */
    moveAll: (keyFile: string, to: string): Promise<void> => moveAllSol(openNode(rpcUrl), secretIn(keyFile), to),
    lamportsOf: async (address: string): Promise<bigint> =>
      (await openNode(rpcUrl).accounts([address]))[0]?.lamports ?? 0n,
  };
}

/** The shop sells there too, to a wallet of its own. */
export async function sellOnSolana(pool: pg.Pool, { accountId }: Shop, { faucet, feeAccount }: SolanaSide) {
  const operation = { pool, nowMs: Date.now(), actor: 'operator:test' };
  const owner = { accountId, mode: 'test' } as Parameters<typeof enableTokens>[1];
  await enableTokens(operation, { ...owner, shortcodes: ['soldevnet_usdc'] });
  const { merchant } = await drawActors();
  await faucet.fundToken(merchant, 0n);
  const network = parseNetwork(SOLANA);
  const terms = payoutTerms({ feeBps: 100, splits: [] });
  if (network === undefined || !terms.ok) throw new Error('the shop has no terms');
  const payout = { ...owner, network, processor: feeAccount, merchant, terms: terms.terms } as const;
  const set = await setPayout(operation, { ...payout, status: 'active' });
  if (!set.ok) throw new Error(set.code);
}

/** Address of the key in a file of `solana-keygen` or of `svc init`. */
export async function solanaAddressIn(file: string): Promise<string> {
  return (await createLocalRelayer(secretIn(file))).address;
}

const secretIn = (file: string) => Uint8Array.from((JSON.parse(readFileSync(file, 'utf8')) as number[]).slice(0, 32));

export type SignedForSolana = { readonly intentId: string; readonly feePayer: string; readonly signed: string };

/** Everything but the submission: the payer has signed what names this relayer. */
export async function signOnSolana(nextApi: () => string, shop: Shop, payer: SolanaPayer): Promise<SignedForSolana> {
  const ask = async (route: string, body: object, wanted: number) => {
    const response = await post(`${nextApi()}/sdk/public/payments/${route}`, shop.publishableKey, body);
    if (response.status !== wanted) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const created = await ask('intents/x402', { usdAmount: '1.5', tokenShortcode: 'soldevnet_usdc' }, 402);
  const intentId = created['paymentIntentId'] ?? '';
  const wanted = { paymentIntentId: intentId, publicKey: payer.address };
  const prepared = await ask('x402/prepare', wanted, 200);
  const unsigned = prepared['transactionBase64'];
  if (unsigned === undefined) throw new Error(`prepare: ${JSON.stringify(prepared)}`);
  const signed = await signAsWallet(Uint8Array.from(Buffer.from(unsigned, 'base64')), payer);
  return { intentId, feePayer: prepared['feePayer'] ?? '', signed };
}

type Relayed = { readonly status: string; readonly error?: string };

export async function relayOnSolana(
  apiUrl: string,
  shop: Shop,
  { intentId, signed }: SignedForSolana,
): Promise<Relayed> {
  const body = { paymentIntentId: intentId, signedTransactionBase64: signed };
  const response = await post(`${apiUrl}/sdk/public/payments/x402/relay`, shop.publishableKey, body);
  if (response.status !== 200) throw new Error(`relay: ${response.status} ${await response.text()}`);
  return (await response.json()) as Relayed;
}

/** Submits again, to whichever API is in service, until the payment has a result. Returns what was paid. */
export async function payOnSolana(nextApi: () => string, shop: Shop, payer: SolanaPayer): Promise<bigint> {
  const signed = await signOnSolana(nextApi, shop, payer);
  for (let tries = 1; ; tries += 1) {
    const { status, error } = await relayOnSolana(nextApi(), shop, signed);
    if (status === 'succeeded') return PRICE_ATOMIC;
    if (status !== 'processing' || tries === MOST_TRIES)
      throw new Error(`a payment on Solana ended as ${status} ${error ?? ''}`);
    await sleep(50);
  }
}
