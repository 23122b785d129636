// Payments by careful payers: what was not answered is asked again with the same signed transaction, until it is known how it
// ended; what expired is prepared and signed anew. Now and then somebody asks twice at once.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Actors, drawActors, signAsWallet } from '@svc-pay/solana/testing';
import type { SolanaShop } from '../../solana/open-solana-shop.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice, type Dice } from '../harness/dice.ts';
import type { PaidPayment } from '../refunds/refund-calls.ts';
import { openRefundTraffic } from '../refunds/refund-traffic.ts';
import { askOneOf, noteTold, type Told } from '../settlement/ask-api.ts';
import { openSolanaWallets } from './merchant-wallets.ts';
import { RELAYER_LAMPORTS, type SolanaChaosWorld } from './world.ts';

export type SolanaTraffic = {
  readonly release: (payments: number) => void;
  readonly released: () => number;
  readonly ended: () => number;
  /** Merchants who do not know how a refund of theirs ended. */
  readonly refunding: () => number;
  readonly askAgain: () => Promise<void>;
};

type Payer = Actors['payer'];
type Run = {
  readonly world: SolanaChaosWorld;
  readonly number: number;
  readonly dice: Dice;
  readonly shop: SolanaShop;
  readonly payer: Payer;
  readonly amountAtomic: string;
  readonly endMs: number;
  readonly onPaid: (paid: PaidPayment) => void;
};
type AskAgain = () => Promise<unknown>;

const PAYERS = 40;
const MINTED_ATOMIC = 1_000_000_000_000n;
const PATIENCE_MS = 240_000;
const PAUSE_MS = 300;
const DOUBLED = 0.15;
/** Of payments. */
const REFUNDED = 0.15;
const SMALLEST_ATOMIC = 100_000;
const SPREAD_ATOMIC = 3_000_000;
const AT_ONCE = 20;
const PRIME = 7_919;

export async function openSolanaTraffic(world: SolanaChaosWorld, seed: number): Promise<SolanaTraffic> {
  const { faucet, shops, feeAccount, history } = world;
  const payers: Payer[] = [];
  const [minted, accounts]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (let index = 0; index < PAYERS; index += 1) {
    const { payer } = await drawActors();
    payers.push(payer);
    minted[payer.address] = String(MINTED_ATOMIC);
  }
  for (const { merchant } of shops) minted[merchant] = String(MINTED_ATOMIC);
  const recipients = [
    feeAccount,
    ...shops.flatMap(({ merchant, splits }) => [merchant, ...splits.map(({ to }) => to)]),
  ];
  for (const owner of new Set([...Object.keys(minted), ...recipients]))
    accounts[owner] = await faucet.fundToken(owner, BigInt(minted[owner] ?? 0));
  history.note('setting', {
    rpcUrl: world.chainUrl,
    processor: feeAccount,
    token: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    relayers: [world.relayer],
    relayerLamports: String(RELAYER_LAMPORTS),
    minted,
    accounts,
    logFiles: world.logFiles,
    secrets: world.secrets,
    apis: 1,
  });
  const desk = { apiUrls: [world.apiUrl], history, ...(await openSolanaWallets(world)) };
  const { onPaid, open } = openRefundTraffic(desk, seed, REFUNDED);
  let [released, ended] = [0, 0];
  const again: AskAgain[] = [];
  const begin = async (number: number): Promise<void> => {
    const dice = createDice(seed * PRIME + number);
    const amountAtomic = String(SMALLEST_ATOMIC + Math.floor(dice.roll() * SPREAD_ATOMIC));
    const drawn = { dice, shop: dice.pick(shops), payer: dice.pick(payers), amountAtomic };
    const known = await journey({ world, number, ...drawn, endMs: nowMs() + PATIENCE_MS, onPaid });
    if (known === undefined) history.note('gave up', { journey: number });
    else again.push(known);
    ended += 1;
  };
  return {
    release: (payments) => {
      for (let index = 0; index < payments; index += 1) {
        released += 1;
        void begin(released);
      }
    },
    released: () => released,
    ended: () => ended,
    refunding: open,
    askAgain: async () => {
      for (let from = 0; from < again.length; from += AT_ONCE)
        await Promise.all(again.slice(from, from + AT_ONCE).map((ask) => ask()));
    },
  };
}

async function journey(run: Run): Promise<AskAgain | undefined> {
  const { world, number, payer, shop, amountAtomic, dice } = run;
  const body = { amount: amountAtomic, tokenShortcode: 'soldevnet_usdc' };
  const created = await until(run, async () => {
    const told = await ask(run, 'create', '/sdk/public/payments/intents/x402', body);
    return told?.http === 402 ? told.body : undefined;
  });
  if (created === undefined) return undefined;
  const intent = String(created['paymentIntentId']);
  const common = { journey: number, intent, account: shop.accountId, payer: payer.address, cap: amountAtomic };
  world.history.note('journey', { ...common, upto: false, settledAmount: amountAtomic, nonce: '' });
  const doubled = dice.roll() < DOUBLED;
  return until(run, async () => {
    const wanted = { paymentIntentId: intent, publicKey: payer.address };
    const prepared = await ask(run, 'prepare', '/sdk/public/payments/x402/prepare', wanted);
    const unsigned = prepared?.body['transactionBase64'];
    if (prepared?.http !== 200 || typeof unsigned !== 'string') return undefined;
    const signed = await signAsWallet(Uint8Array.from(Buffer.from(unsigned, 'base64')), payer);
    const nonce = `0x${messageHash(signed)}`;
    const relay = async () => {
      const askedAtMs = nowMs();
      const sent = { paymentIntentId: intent, signedTransactionBase64: signed };
      const told = await ask(run, 'settle', '/sdk/public/payments/x402/relay', sent);
      noteTold(world.history, { journey: number, intent, call: 'settle', nonce }, askedAtMs, told);
      return told;
    };
    if (doubled) void relay();
    const end = await until(run, async () => {
      const told = await relay();
      return told?.http === 200 && ENDS.has(told.body['status']) ? told : undefined;
    });
    const payment = end?.body['payment'] as { readonly id: string } | null | undefined;
    if (end?.body['status'] === 'succeeded' && payment)
      run.onPaid({
        journey: number,
        intent,
        payment: payment.id,
        payer: payer.address,
        wallet: shop.merchant,
        paidAtomic: BigInt(amountAtomic),
        secretKey: shop.secretKey,
      });
    // What failed without taking anything is signed anew.
    return end === undefined || end.body['status'] === 'failed' ? undefined : relay;
  });
}

const ENDS: ReadonlySet<unknown> = new Set(['succeeded', 'completed', 'failed', 'mismatched']);

/** Of what comes after the signatures, whose count is the first byte. */
function messageHash(signedBase64: string): string {
  const wire = Buffer.from(signedBase64, 'base64');
  return createHash('sha256')
    .update(wire.subarray(1 + 64 * (wire[0] ?? 0)))
    .digest('hex');
}

function ask({ world, number, shop }: Run, what: string, path: string, body: object): Promise<Told | undefined> {
  const call = { path, key: shop.publishableKey, body };
  return askOneOf([world.apiUrl], 0, call, (api, attempt, askedAt, told) =>
    world.history.note('call', { journey: number, call: what, api, attempt, askedAt, http: told?.http ?? null }),
  );
}

async function until<Value>({ endMs }: Run, attempt: () => Promise<Value | undefined>): Promise<Value | undefined> {
  for (;;) {
    const value = await attempt();
    if (value !== undefined || nowMs() > endMs) return value;
    await sleep(PAUSE_MS);
  }
}
