// Payments in bursts. How many may begin is told from outside; each goes its own way until its client knows the end.
import { payerOf } from '../../e2e/wallet.ts';
import { createDice } from '../harness/dice.ts';
import type { History } from '../harness/history.ts';
import { openRefundTraffic } from '../refunds/refund-traffic.ts';
import { type AskAgain, payOnce } from './journey.ts';
import { openMerchantWallets } from './merchant-wallets.ts';
import { openOddPayers } from './odd-payers.ts';
import { openStrangers } from './strangers.ts';
import type { SettlementWorld } from './world.ts';

export type Traffic = {
  readonly release: (payments: number) => void;
  readonly released: () => number;
  readonly ended: () => number;
  /** Merchants give back so many of the next payments that succeed; none, if they give none back in this run. */
  readonly giveBackNext: (payments: number) => void;
  /** Merchants who do not know how a refund of theirs ended. */
  readonly refunding: () => number;
  /** Every client asks once more. */
  readonly askAgain: () => Promise<void>;
};

const PAYERS = 30;
const MINTED_ATOMIC = 100_000_000_000n;
const AT_ONCE = 20;
/** Of payments. A lane of an EVM chain has two refunds in a block while payments wait, and eight while none does. */
const REFUNDED = 0.06;
/** One mismatched payment among so many. */
const ODD_EVERY = 80;

/** `refunds`: merchants give payments back, mismatched ones among them. */
export async function openTraffic(
  world: SettlementWorld,
  history: History,
  seed: number,
  { refunds = false }: { readonly refunds?: boolean } = {},
): Promise<Traffic> {
  const { chain, apiUrls, shops } = world;
  const { usdc } = chain.tokens;
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  const oddPayers = refunds ? await openOddPayers(world) : undefined;
  const funded = [...keys, ...(refunds ? world.merchants : [])]
    .map(({ account }) => account.address)
    .concat(oddPayers?.addresses ?? []);
  await Promise.all(funded.map((address) => chain.mint(usdc, address, MINTED_ATOMIC)));
  const payers = keys.map(({ account }) => payerOf(account));
  history.note('setting', {
    rpcUrl: chain.rpcUrl,
    processor: chain.record.processor.toLowerCase(),
    token: usdc.toLowerCase(),
    wallets: world.wallets,
    relayers: chain.keys.relayers.map(({ account }) => account.address.toLowerCase()),
    minted: Object.fromEntries(funded.map((address) => [address.toLowerCase(), String(MINTED_ATOMIC)])),
    logFiles: world.logFiles,
    apis: apiUrls.length,
    merchants: world.merchants.map(({ account }) => account.address.toLowerCase()),
    secrets: [...world.secrets, ...[...keys, ...world.merchants].map(({ privateKey }) => privateKey.slice(2))],
  });
  const strangers = await openStrangers(chain);
  const { sign, sendBack } = openMerchantWallets(world, strangers);
  const given = openRefundTraffic(
    {
      apiUrls,
      history,
      sign,
      sendBack: ({ wallet, payment, payer }, amountAtomic) =>
        sendBack(wallet.toLowerCase(), { payment, to: payer, amountAtomic }),
    },
    seed,
    REFUNDED,
  );
  const market = { apiUrls, shops, payers, strangers, history, seed, ...(refunds && { onPaid: given.onPaid }) };
  let odd = 0;
  const refundOddly = async (number: number) => {
    odd += 1;
    const paid = await oddPayers?.pay(number, createDice(seed - number));
    if (paid !== undefined) await given.refund(paid);
    odd -= 1;
  };
  let released = 0;
  let ended = 0;
  const again: (() => Promise<unknown>)[] = [];
  const keep = (ask: AskAgain) => {
    ended += 1;
    if (ask !== undefined) again.push(ask);
  };
  return {
    release: (payments) => {
      for (let index = 0; index < payments; index += 1) {
        released += 1;
        void payOnce(market, released).then(keep);
        if (refunds && released % ODD_EVERY === 0) void refundOddly(released);
      }
    },
    released: () => released,
    ended: () => ended,
    giveBackNext: given.giveBackNext,
    refunding: () => given.open() + odd,
    askAgain: async () => {
      for (let from = 0; from < again.length; from += AT_ONCE) {
        await Promise.all(again.slice(from, from + AT_ONCE).map((ask) => ask()));
      }
    },
  };
}
