// Payments in bursts. How many may begin is told from outside; each goes its own way until its client knows the end.
import { payerOf } from '../../e2e/wallet.ts';
import type { History } from '../harness/history.ts';
import { type AskAgain, payOnce } from './journey.ts';
import { openStrangers } from './strangers.ts';
import type { SettlementWorld } from './world.ts';

export type Traffic = {
  readonly release: (payments: number) => void;
  readonly released: () => number;
  readonly ended: () => number;
  /** Every client asks once more. */
  readonly askAgain: () => Promise<void>;
};

const PAYERS = 30;
const MINTED_ATOMIC = 100_000_000_000n;
const AT_ONCE = 20;

export async function openTraffic(world: SettlementWorld, history: History, seed: number): Promise<Traffic> {
  const { chain, apiUrls, shops } = world;
  const { usdc } = chain.tokens;
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  await Promise.all(keys.map(({ account }) => chain.mint(usdc, account.address, MINTED_ATOMIC)));
  const payers = keys.map(({ account }) => payerOf(account));
  history.note('setting', {
    rpcUrl: chain.rpcUrl,
    processor: chain.record.processor.toLowerCase(),
    token: usdc.toLowerCase(),
    wallets: world.wallets,
    relayers: chain.keys.relayers.map(({ account }) => account.address.toLowerCase()),
    minted: Object.fromEntries(payers.map(({ address }) => [address.toLowerCase(), String(MINTED_ATOMIC)])),
    logFiles: world.logFiles,
    apis: apiUrls.length,
    secrets: [...world.secrets, ...keys.map(({ privateKey }) => privateKey.slice(2))],
  });
  const strangers = await openStrangers(chain);
  const market = { apiUrls, shops, payers, strangers, history, seed };
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
      }
    },
    released: () => released,
    ended: () => ended,
    askAgain: async () => {
      for (let from = 0; from < again.length; from += AT_ONCE) {
        await Promise.all(again.slice(from, from + AT_ONCE).map((ask) => ask()));
      }
    },
  };
}
