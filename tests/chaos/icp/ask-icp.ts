// What a payer asks the API: an intent with its way to pay, and how it stands, with or without the name of a block.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Icrc1TransferOption, RegularOffer } from '@svc-pay/protocol';
import { nowMs } from '../harness/clock.ts';
import { askOneOf, type Told } from '../settlement/ask-api.ts';
import type { IcpShop } from './icp-shop.ts';
import type { IcpChaosWorld } from './world.ts';

export type Asker = Pick<IcpChaosWorld, 'apiUrls' | 'history'>;
export type Offer = { readonly intent: string; readonly shop: IcpShop; readonly option: Icrc1TransferOption };

const INTENTS = '/sdk/public/payments/intents';
const PAUSE_MS = 1_000;

/** Undefined when nothing was offered. */
export async function askForIntent(asker: Asker, shop: IcpShop, wanted: object): Promise<Offer | undefined> {
  const body = { tokenShortcode: 'iclocal_ckusdc', ...wanted };
  return offerIn(shop, await ask(asker, shop, INTENTS, body));
}

/** The option as it is now: after a part it asks for the rest. */
export async function askAgainFor(asker: Asker, { shop, intent }: Offer): Promise<Offer | undefined> {
  return offerIn(shop, await ask(asker, shop, `${INTENTS}/${intent}/regular`));
}

function offerIn(shop: IcpShop, told: Told | undefined): Offer | undefined {
  if (told === undefined || told.http >= 300) return undefined;
  const { paymentIntentId, regular } = told.body as unknown as RegularOffer;
  const option = regular?.find(({ kind }) => kind === 'icrc1_transfer');
  return option?.kind === 'icrc1_transfer' ? { intent: paymentIntentId, shop, option } : undefined;
}

/** What a named block is to the intent: its own, another's, or none of the ledger. */
export type Naming = { readonly block: bigint; readonly is: 'own' | 'foreign' | 'made up' };

export type Standing = { readonly status: string; readonly payment: string | null };

/** How the intent stands; undefined when the API did not answer well. */
export async function notify(asker: Asker, { intent, shop }: Offer, naming?: Naming): Promise<Standing | undefined> {
  const askedAt = nowMs();
  const hint = naming === undefined ? {} : { ledgerBlockIndex: naming.block.toString() };
  const told = await ask(asker, shop, '/sdk/public/payments/notify', { paymentIntentId: intent, ...hint });
  asker.history.note('notified', {
    intent,
    askedAt,
    block: naming?.block.toString() ?? null,
    is: naming?.is ?? null,
    http: told?.http ?? null,
    error: told?.body['error'],
    status: told?.body['status'],
    refusal: told?.body['refusal'] ?? null,
  });
  if (told?.http !== 200) return undefined;
  return { status: String(told.body['status']), payment: told.body['paymentId'] as string | null };
}

const ask = ({ apiUrls }: Asker, shop: IcpShop, path: string, body?: object) =>
  askOneOf(apiUrls, 0, { path, key: shop.publishableKey, ...(body && { body }) }, () => {});

/** Undefined when the time is over, or the run. */
export async function until<Value>(
  { endMs, world }: { readonly endMs: number; readonly world: Pick<Asker, 'history'> },
  attempt: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (;;) {
    const value = await attempt();
    if (value !== undefined || nowMs() > endMs || !world.history.isOpen()) return value;
    await sleep(PAUSE_MS);
  }
}
