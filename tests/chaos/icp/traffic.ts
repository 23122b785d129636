// Payers and merchants on the Internet Computer, as many as are released.
import { nowMs } from '../harness/clock.ts';
import { createDice } from '../harness/dice.ts';
import { openRefundTraffic } from '../refunds/refund-traffic.ts';
import type { Offer } from './ask-icp.ts';
import { makeJourney, openIntent, type Run } from './journeys.ts';
import { openPayers, type Payers } from './payers.ts';
import { type IcpChaosWorld, TOKEN_LEDGER } from './world.ts';

export type IcpTraffic = {
  readonly release: (payments: number) => void;
  readonly released: () => number;
  readonly ended: () => number;
  /** Clients whose money is on the ledger and who do not know the end. */
  readonly inFlight: () => number;
  readonly refunding: () => number;
  /** Blocks that are not read, and transfers that are read and do not count yet. */
  readonly unread: () => Promise<number>;
  /** An intent that nobody pays; undefined where none was offered in time. */
  readonly unpaid: () => Promise<Offer | undefined>;
  readonly payers: Payers;
};

const PATIENCE_MS = 240_000;
/** Of payments that one transfer completed. */
const REFUNDED = 0.3;
const PRIME = 7_919;

export async function openIcpTraffic(world: IcpChaosWorld, seed: number): Promise<IcpTraffic> {
  const { history, shops, apiUrls, postgres } = world;
  const payers = await openPayers(world);
  history.note('setting', {
    rpcUrl: world.ic.url,
    processor: '',
    token: TOKEN_LEDGER,
    relayers: [],
    minted: {},
    secretKeys: Object.fromEntries(shops.map(({ accountId, secretKey }) => [accountId, secretKey])),
    logFiles: world.logFiles,
    secrets: world.secrets,
    apis: apiUrls.length,
  });
  const { onPaid, open: refunding } = openRefundTraffic(
    {
      apiUrls,
      history,
      onlyReported: true,
      sign: () => Promise.reject(new Error('nothing is signed on this network')),
      sendBack: async ({ payment, wallet, payer }, amountAtomic) => {
        const transaction = await payers.giveBack(wallet, payer, amountAtomic);
        history.note('sent back', { payment, wallet, to: payer, transaction });
        return transaction;
      },
    },
    seed,
    REFUNDED,
  );
  const unpaid: Offer[] = [];
  const flying = new Set<number>();
  let [released, ended] = [0, 0];
  const runOf = (number: number): Run => {
    const dice = createDice(seed * PRIME + number);
    return {
      world,
      payers,
      number,
      dice,
      shop: dice.pick(shops),
      payer: dice.pick(payers.all),
      endMs: nowMs() + PATIENCE_MS,
      onMoved: () => void flying.add(number),
      onPaid,
      onUnpaid: (offer) => void unpaid.push(offer),
    };
  };
  const begin = async (number: number): Promise<void> => {
    if (!(await makeJourney(runOf(number)))) history.note('gave up', { journey: number });
    flying.delete(number);
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
    inFlight: () => flying.size,
    refunding,
    unread: async () => {
      const { rows } = await postgres.pool.query<{ read: string; waiting: string }>(
        `select coalesce((select max(next_index) from svc.icrc_cursors), 0) as read,
           (select count(*) from svc.icrc_transfers) as waiting`,
      );
      const { read = '0', waiting = '0' } = rows[0] ?? {};
      const behind = payers.length() - BigInt(read);
      return Number((behind > 0n ? behind : 0n) + BigInt(waiting));
    },
    unpaid: async () => unpaid.at(-1) ?? openIntent(runOf(0), 'unpaid'),
    payers,
  };
}
