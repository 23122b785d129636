// The whole service with two chains, Anvil and Solana's own virtual machine, and a shop that sells on both.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { enableTokens } from '@svc-pay/postgres/operator';
import { createLocalRelayer, openNode } from '@svc-pay/solana';
import { LOCAL_PROGRAM, type LocalSolana, startLocalSolana } from '@svc-pay/solana/local';
import { type Actors, drawActors, signAsWallet } from '@svc-pay/solana/testing';
import { startWorld, type World, type WorldOptions } from './start-world.ts';
import { post, type SettleResult } from './wallet.ts';

type Payer = Actors['payer'];

export const PRICE = 1_500_000n;
/** What others than the merchant get of a payment. */
type Shares = { readonly feeBps: number; readonly splitBps: readonly number[] };
export const DIVIDED: Shares = { feeBps: 100, splitBps: [1_000, 33] };
const SOL = 1_000_000_000n;
/** Short enough to reach finality in a test, long enough for a blockhash to live for half a minute. */
const SLOT_MS = 200;

export type SolanaWorld = World & {
  readonly solana: LocalSolana;
  readonly relayer: string;
  /** Key of the merchant's wallet, which has no SOL. */
  readonly merchant: Payer;
  /** Merchant, the recipients of the splits, and the platform. */
  readonly recipients: readonly string[];
  readonly feeAccount: string;
};

/** `cluster`: additional settings of Solana in SVC_NETWORKS. */
export async function startSolanaWorld(
  shares = DIVIDED,
  { cluster, settlement, ...options }: WorldOptions & { readonly cluster?: Readonly<Record<string, unknown>> } = {},
): Promise<SolanaWorld> {
  const solana = await startLocalSolana({ slotTimeMs: SLOT_MS });
  const genesisHash = await openNode(solana.rpcUrl).genesisHash();
  const secret = randomBytes(32);
  const { address: relayer } = await createLocalRelayer(secret);
  const feeAccount = await newAddress();
  await solana.fundSol(relayer, SOL);
  const world = await startWorld({
    ...options,
    networks: {
      'solana:devnet': {
        feeAccount,
        ready: true,
        rpcUrls: [solana.rpcUrl],
        gasCoinUsd: '150',
        genesisHash,
        program: LOCAL_PROGRAM,
        ...cluster,
      },
    },
    settlement: { SVC_SOLANA_RELAYER_TEST_KEYS: `0x${secret.toString('hex')}`, ...settlement },
  });
  const { payer: merchant } = await drawActors();
  const recipients = await sellOnSolana(world, solana, { merchant: merchant.address, feeAccount }, shares);
  const stop = async () => {
    await world.stop();
    await solana.stop();
  };
  return { ...world, solana, relayer, merchant, recipients, feeAccount, stop };
}

/** Sets the payout with the operator's command, which also creates the recipients' token accounts. */
async function sellOnSolana(
  { shop, database, operatorEnvironment }: World,
  solana: LocalSolana,
  { merchant, feeAccount }: { readonly merchant: string; readonly feeAccount: string },
  { feeBps, splitBps }: Shares,
): Promise<readonly string[]> {
  const owner = { accountId: shop.accountId, mode: 'test' } as const;
  const operation = { pool: database.pool, nowMs: Date.now(), actor: 'operator:test' };
  await enableTokens(operation, { ...owner, shortcodes: ['soldevnet_usdc'] });
  const splits = await Promise.all(splitBps.map(async (bps) => ({ to: await newAddress(), bps })));
  const secret = randomBytes(32);
  await solana.fundSol((await createLocalRelayer(secret)).address, SOL);
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-funder-'));
  const keyFile = path.join(folder, 'funder.key');
  writeFileSync(keyFile, secret);
  try {
    const words = `payouts set --account ${shop.accountId} --mode test --network solana:devnet --fee-bps ${feeBps}`;
    const shares = splits.flatMap(({ to, bps }) => ['--split', `${to}:${bps}`]);
    const program = path.resolve(import.meta.dirname, '../../cli/src/main.ts');
    await promisify(execFile)(
      process.execPath,
      [program, ...words.split(' '), '--merchant', merchant, '--key-file', keyFile, ...shares],
      { env: { ...operatorEnvironment, SVC_RPC_URL: solana.rpcUrl } },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  return [merchant, ...splits.map(({ to }) => to), feeAccount];
}

const newAddress = async () => (await drawActors()).payer.address as string;

/** Creates a payer with tokens but without any SOL. */
export async function newPayer({ solana }: SolanaWorld, amountAtomic = PRICE * 10n): Promise<Payer> {
  const { payer } = await drawActors();
  await solana.fundToken(payer.address, amountAtomic);
  return payer;
}

export type SolanaAcceptance = {
  readonly network: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly transactionBase64?: string; readonly feePayer?: string };
};

export async function newIntent(
  { apiUrl, shop }: { readonly apiUrl: string; readonly shop: Pick<World['shop'], 'publishableKey'> },
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly acceptance: SolanaAcceptance }> {
  const asked = { usdAmount: '1.5', tokenShortcode: 'soldevnet_usdc', ...body };
  const response = await post(`${apiUrl}/sdk/public/payments/intents/x402`, shop.publishableKey, asked);
  if (response.status !== 402) throw new Error(`${response.status}: ${await response.text()}`);
  const { paymentIntentId: id, accepts } = (await response.json()) as {
    paymentIntentId: string;
    accepts: readonly SolanaAcceptance[];
  };
  const [acceptance] = accepts;
  if (acceptance === undefined) throw new Error('nothing is accepted');
  return { id, acceptance };
}

export type Prepared =
  | { readonly ok: true; readonly transactionBase64: string; readonly feePayer: string }
  | { readonly ok: false; readonly error: string };

export async function prepare({ apiUrl, shop }: SolanaWorld, id: string, publicKey?: string): Promise<Prepared> {
  const body = { paymentIntentId: id, ...(publicKey !== undefined && { publicKey }) };
  const response = await post(`${apiUrl}/sdk/public/payments/x402/prepare`, shop.publishableKey, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Prepared;
}

export type Relayed = SettleResult & { readonly signature: string | null };

export async function relay({ apiUrl, shop }: SolanaWorld, id: string, signed: string): Promise<Relayed> {
  const body = { paymentIntentId: id, signedTransactionBase64: signed };
  const response = await post(`${apiUrl}/sdk/public/payments/x402/relay`, shop.publishableKey, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Relayed;
}

export const sign = (transactionBase64: string, payer: Payer) =>
  signAsWallet(Uint8Array.from(Buffer.from(transactionBase64, 'base64')), payer);

export type Signable =
  | {
      readonly ok: true;
      readonly message: string;
      readonly messageBase64: string;
      readonly fields: Readonly<Record<string, string>>;
      readonly setupTransactionBase64?: string;
    }
  | { readonly ok: false; readonly error: string };

export async function signable({ apiUrl, shop }: SolanaWorld, id: string, publicKey?: string): Promise<Signable> {
  const body = { paymentIntentId: id, ...(publicKey !== undefined && { publicKey }) };
  const response = await post(`${apiUrl}/sdk/public/payments/x402/signable`, shop.publishableKey, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Signable;
}

/** Signs and sends a setup transaction, as a wallet does. */
export async function sendSetup({ solana }: SolanaWorld, setupBase64: string, payer: Payer): Promise<void> {
  const node = openNode(solana.rpcUrl);
  const wire = Uint8Array.from(Buffer.from(await sign(setupBase64, payer), 'base64'));
  const { outcome } = await node.send(wire);
  if (outcome !== 'known') throw new Error(`the setup transaction was ${outcome}`);
}

/** Prepares and signs a payment; only the submission remains. */
export async function signFor(world: SolanaWorld, id: string, payer: Payer): Promise<string> {
  const prepared = await prepare(world, id, payer.address);
  if (!prepared.ok) throw new Error(prepared.error);
  return sign(prepared.transactionBase64, payer);
}
