// Up-to payments whose signed caps strangers submit: the money is stranded until the merchant settles.

import { prepareUpto } from '../../e2e/upto-calls.ts';
import type { Payer } from '../../e2e/wallet.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { SettlementWorld } from '../settlement/world.ts';
import { type Purchase, settleOne, type Told } from './shoppers.ts';

const CAP_ATOMIC = 3_000_000n;
const SETTLED_ATOMIC = 1_234_567n;
const STRANDED_MS = 90_000;

/** Of shops whose payments go through the processor: a direct payment can't be stranded. */
export async function prepareCaps(
  { apiUrls: [apiUrl = ''], shops }: SettlementWorld,
  payers: readonly Payer[],
  count: number,
): Promise<readonly Purchase[]> {
  const [shop, payer] = [shops.at(-1), payers.at(-1)];
  if (shop === undefined || payer === undefined) throw new Error('no shop is open');
  return Promise.all(
    Array.from({ length: count }, async (): Promise<Purchase> => {
      const call = await prepareUpto({ apiUrl, shop }, payer, { capAtomic: CAP_ATOMIC, windowSeconds: 3_600 });
      return { kind: 'upto', shop, call, settledAtomic: SETTLED_ATOMIC };
    }),
  );
}

/** Settles when the stranding is recorded, which waits for a final block. */
export async function settleStranded(world: SettlementWorld, purchases: readonly Purchase[]): Promise<readonly Told[]> {
  const ids = purchases.map(({ call }) => call.paymentIntentId);
  const recorded = async () => {
    const { rows } = await world.postgres.pool.query<{ count: number }>(
      'select count(*)::integer as count from svc.stranded_transfers where intent_id = any ($1)',
      [ids],
    );
    return rows[0]?.count === ids.length;
  };
  if (!(await waitUntil(recorded, STRANDED_MS, 200))) throw new Error('a stranding is not recorded');
  return Promise.all(
    purchases.map(async (purchase) => {
      let told = await settleOne(world, purchase);
      await waitUntil(
        async () => {
          told = await settleOne(world, purchase);
          return told.status === 'succeeded';
        },
        STRANDED_MS,
        500,
      );
      return told;
    }),
  );
}
