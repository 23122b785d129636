// What payers do, each kind by itself. Who is not answered well asks again, until it is known how it ended.
import type { Dice } from '../harness/dice.ts';
import type { PaidPayment } from '../refunds/refund-calls.ts';
import { askAgainFor, askForIntent, type Naming, notify, type Offer, until } from './ask-icp.ts';
import { accountOf, type IcpShop, type Identity } from './icp-shop.ts';
import type { Payers } from './payers.ts';
import type { IcpChaosWorld } from './world.ts';

export type Run = {
  readonly world: IcpChaosWorld;
  readonly payers: Payers;
  readonly number: number;
  readonly dice: Dice;
  readonly shop: IcpShop;
  readonly payer: Identity;
  readonly endMs: number;
  /** Told once money is on its way. */
  readonly onMoved: () => void;
  readonly onPaid: (paid: PaidPayment) => void;
  /** Told of intents that nobody ever pays. */
  readonly onUnpaid: (offer: Offer) => void;
};

/** Whether the client knew the end. */
type Journey = (run: Run) => Promise<boolean>;

const SMALLEST_CENTS = 100;
const SPREAD_CENTS = 300;
const NOTIFIES = 0.5;
const NAMED_EVERY = 4;
const LIES = 3;

/** An intent, noted with what its payments are judged by. */
export async function openIntent(run: Run, kind: string, expected?: Identity): Promise<Offer | undefined> {
  const { world, shop, dice, number } = run;
  const cents = SMALLEST_CENTS + Math.floor(dice.roll() * SPREAD_CENTS);
  const sender = expected?.getPrincipal().toText();
  const wanted = { usdAmount: (cents / 100).toFixed(2), ...(sender && { expectedSenderPrincipal: sender }) };
  const offer = await until(run, () => askForIntent(world, shop, wanted));
  if (offer === undefined) return undefined;
  world.history.note('intent', {
    journey: number,
    intent: offer.intent,
    kind,
    account: shop.accountId,
    merchant: shop.merchant,
    asked: offer.option.amount,
    sender: expected === undefined ? null : accountOf(expected),
    late: kind === 'late',
  });
  return offer;
}

/** Some name the block until it counted, the others leave it to be found. */
async function known(run: Run, offer: Offer, block: bigint, wanted: string): Promise<string | undefined> {
  const { world, dice } = run;
  const named: Naming | undefined = dice.roll() < NOTIFIES ? { block, is: 'own' } : undefined;
  let asked = 0;
  const standing = await until(run, async () => {
    // The ledger's answer to a named block takes half a second to verify.
    const told = await notify(world, offer, asked % NAMED_EVERY === 0 ? named : undefined);
    asked += 1;
    return told?.status === wanted ? told : undefined;
  });
  return standing === undefined ? undefined : (standing.payment ?? '');
}

async function pay(run: Run, offer: Offer, amountAtomic?: bigint, payer = run.payer): Promise<bigint> {
  const block = await run.payers.pay(payer, offer, amountAtomic);
  run.onMoved();
  return block;
}

const another = ({ dice, payers, payer }: Run): Identity => dice.pick(payers.all.filter((one) => one !== payer));

async function payWhole(run: Run, kind: string, extraAtomic = 0n): Promise<boolean> {
  const offer = await openIntent(run, kind);
  if (offer === undefined) return false;
  const paidAtomic = BigInt(offer.option.amount) + extraAtomic;
  const block = await pay(run, offer, paidAtomic);
  // The ledger answers the block that it has.
  if (kind === 'duplicate') await pay(run, offer, paidAtomic);
  const payment = await known(run, offer, block, 'completed');
  if (payment === undefined) return false;
  const { number: journey, shop, payer } = run;
  const wallet = { payer: accountOf(payer), wallet: shop.merchant, secretKey: shop.secretKey };
  run.onPaid({ journey, intent: offer.intent, payment, paidAtomic, ...wallet });
  return true;
}

async function payPart(run: Run, kind: string): Promise<Offer | undefined> {
  const offer = await openIntent(run, kind);
  if (offer === undefined) return undefined;
  const block = await pay(run, offer, BigInt(offer.option.amount) / 2n);
  return (await known(run, offer, block, 'mismatched')) === undefined ? undefined : offer;
}

/** Names blocks that do not pay the intent, and some that the ledger does not have. */
async function lie(run: Run, offer: Offer, foreign: bigint): Promise<void> {
  const { world, dice, payers } = run;
  for (let lies = 0; lies < LIES; lies += 1) {
    const madeUp = payers.length() + 10n + BigInt(Math.floor(dice.roll() * 1_000));
    const naming = { block: madeUp, is: 'made up' } as const;
    await notify(world, offer, dice.roll() < 0.5 ? { block: foreign, is: 'foreign' } : naming);
  }
}

const JOURNEYS: Readonly<Record<string, readonly [share: number, journey: Journey]>> = {
  right: [0.34, (run) => payWhole(run, 'right')],
  over: [0.08, (run) => payWhole(run, 'over', 7n)],
  duplicate: [0.06, (run) => payWhole(run, 'duplicate')],
  twice: [
    0.1,
    async (run) => {
      const offer = await openIntent(run, 'twice');
      if (offer === undefined) return false;
      const [block] = [await pay(run, offer), await pay(run, offer, undefined, another(run))];
      return (await known(run, offer, block, 'completed')) !== undefined;
    },
  ],
  under: [0.06, async (run) => (await payPart(run, 'under')) !== undefined],
  parts: [
    0.1,
    async (run) => {
      const offer = await payPart(run, 'parts');
      if (offer === undefined) return false;
      const rest = await until(run, () => askAgainFor(run.world, offer));
      if (rest === undefined) return false;
      return (await known(run, offer, await pay(run, rest), 'completed')) !== undefined;
    },
  ],
  late: [
    0.06,
    async (run) => {
      const { world } = run;
      const offer = await openIntent(run, 'late');
      if (offer === undefined) return false;
      const expire = `update svc.intents set expires_at = now() - interval '2 minutes' where id = $1`;
      const isExpired = () =>
        world.postgres.pool.query(expire, [offer.intent]).then(
          () => true,
          () => undefined,
        );
      await until(run, isExpired);
      const ended = await until(run, async () =>
        (await notify(world, offer))?.status === 'canceled' ? true : undefined,
      );
      if (ended === undefined) return false;
      return (await known(run, offer, await pay(run, offer), 'canceled')) !== undefined;
    },
  ],
  'other sender': [
    0.08,
    async (run) => {
      const offer = await openIntent(run, 'other sender', run.payer);
      if (offer === undefined) return false;
      const beside = await pay(run, offer, undefined, another(run));
      await notify(run.world, offer, { block: beside, is: 'own' });
      if (run.dice.roll() < 0.3) return true;
      return (await known(run, offer, await pay(run, offer), 'completed')) !== undefined;
    },
  ],
  replay: [
    0.06,
    async (run) => {
      const [paid, unpaid] = [await openIntent(run, 'replayed'), await openIntent(run, 'replay')];
      if (paid === undefined || unpaid === undefined) return false;
      run.onUnpaid(unpaid);
      const block = await pay(run, paid);
      const [payment] = await Promise.all([known(run, paid, block, 'completed'), lie(run, unpaid, block)]);
      return payment !== undefined;
    },
  ],
  stray: [
    0.06,
    async (run) => {
      const offer = await openIntent(run, 'stray');
      if (offer === undefined) return false;
      run.onUnpaid(offer);
      const nobodys = Buffer.from(`svc:${1_000_000 + run.number}`);
      const block = await run.payers.pay(run.payer, offer, undefined, nobodys);
      run.onMoved();
      await lie(run, offer, block);
      return true;
    },
  ],
};

export async function makeJourney(run: Run): Promise<boolean> {
  let left = run.dice.roll();
  for (const [share, journey] of Object.values(JOURNEYS)) {
    left -= share;
    if (left < 0) return journey(run);
  }
  return payWhole(run, 'right');
}
