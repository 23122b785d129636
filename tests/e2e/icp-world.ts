// The whole service with Anvil and a local Internet Computer, a shop that sells on both, and payers with ckUSDC.
import { accountText } from '@svc-pay/core';
import {
  accountNamed,
  identityNamed,
  type LocalInternetComputer,
  type LocalLedger,
  openLedgerClient,
  startLocalInternetComputer,
} from '@svc-pay/icp/local';
import { enableTokens } from '@svc-pay/postgres/operator';
import type { Icrc1TransferOption, NotifyResponse, RegularOffer } from '@svc-pay/protocol';
import { startApiProxy } from './api-proxy.ts';
import { PRICE } from './follow-payment.ts';
import { waitFor } from './many-payments.ts';
import { svc } from './run-svc.ts';
import { startWorld, type World, type WorldOptions } from './start-world.ts';
import { post } from './wallet.ts';

type Identity = ReturnType<typeof identityNamed>;

export const TOKEN_LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
/** A token that nobody sells for. */
export const OTHER_LEDGER = 'bd3sg-teaaa-aaaaa-qaaba-cai';

export type IcpWorld = World & {
  readonly ic: LocalInternetComputer;
  readonly ledger: LocalLedger;
  readonly otherLedger: LocalLedger;
  readonly merchant: Identity;
  /** Whether settlement reaches the Internet Computer; payers always do. */
  readonly reach: (isReached: boolean) => void;
  /** SVC_NETWORKS with another root key, or with another Internet Computer. */
  readonly networksWith: (changed: Partial<Pick<LocalInternetComputer, 'url' | 'rootKey'>>) => string;
};

type IcpSetup = (changed: Parameters<IcpWorld['networksWith']>[0]) => Readonly<Record<string, object>>;

export const accountOf = (identity: Identity) => accountText(identity.getPrincipal().toUint8Array(), null);

export async function startIcpWorld(options: WorldOptions = {}): Promise<IcpWorld> {
  const ic = await startLocalInternetComputer();
  // Blocks move to the archive while the tests run.
  const archive = { above: 8, count: 4 };
  const ledger = await ic.installLedger({ canisterId: TOKEN_LEDGER, archive });
  const otherLedger = await ic.installLedger({ canisterId: OTHER_LEDGER });
  const boundary = await startApiProxy(ic.url);
  let isReached = true;
  boundary.before(async () => {
    if (!isReached) throw new Error('not reached');
  });
  const setup: IcpSetup = ({ url = boundary.url, rootKey = ic.rootKey }) => ({
    'icp:local': { ready: true, rpcUrls: [url], rootKey: Buffer.from(rootKey).toString('hex') },
  });
  const world = await startWorld({ ...options, networks: setup({}) });
  const merchant = identityNamed('merchant');
  await sellOnIcp(world, accountOf(merchant));
  return {
    ...world,
    ic,
    ledger,
    otherLedger,
    merchant,
    reach: (next) => {
      isReached = next;
    },
    networksWith: (changed) => {
      const networks = JSON.parse(world.operatorEnvironment['SVC_NETWORKS'] ?? '{}') as object;
      return JSON.stringify({ ...networks, ...setup(changed) });
    },
    stop: async () => {
      await world.stop();
      boundary.close();
      await ic.stop();
    },
  };
}

/** Sets the payout with the operator's command, and waits until the ledger is read: before that nothing is offered. */
async function sellOnIcp({ shop, database, operatorEnvironment }: World, merchant: string): Promise<void> {
  const owner = { accountId: shop.accountId, mode: 'test' } as const;
  const operation = { pool: database.pool, nowMs: Date.now(), actor: 'operator:test' };
  await enableTokens(operation, { ...owner, shortcodes: ['iclocal_ckusdc'] });
  const words = `payouts set --account ${shop.accountId} --mode test --network icp:local --fee-bps 0 --merchant ${merchant}`;
  // The command asks the ledger who mints its tokens. On a busy machine it gives up, and says to run it again.
  for (let tries = 1; ; tries += 1) {
    const { exitCode, stderr } = await svc(operatorEnvironment, ...words.split(' '));
    if (exitCode === 0) break;
    if (tries === 5 || !stderr.includes('run it again later')) throw new Error(stderr);
  }
  const isRead = async () => {
    const { rowCount } = await database.pool.query('select from svc.icrc_cursors where read_at is not null');
    return rowCount === 1;
  };
  await waitFor(isRead, 30, 'the token ledger is read');
}

export type Offer = { readonly id: string; readonly option: Icrc1TransferOption };

const INTENTS = '/sdk/public/payments/intents';

export async function offer({ apiUrl, shop }: IcpWorld, body: Readonly<Record<string, unknown>> = {}): Promise<Offer> {
  const asked = { usdAmount: '1.5', tokenShortcode: 'iclocal_ckusdc', ...body };
  return offerIn(await post(`${apiUrl}${INTENTS}`, shop.publishableKey, asked));
}

/** What the intent asks for now. */
export async function optionOf({ apiUrl, shop }: IcpWorld, id: string): Promise<Icrc1TransferOption> {
  const headers = { authorization: `Bearer ${shop.publishableKey}` };
  return (await offerIn(await fetch(`${apiUrl}${INTENTS}/${id}/regular`, { headers }))).option;
}

async function offerIn(response: Response): Promise<Offer> {
  const { paymentIntentId, regular } = (await response.json()) as RegularOffer;
  const option = regular?.find(({ kind }) => kind === 'icrc1_transfer');
  if (option?.kind !== 'icrc1_transfer') throw new Error(`${response.status}: nothing to transfer`);
  return { id: paymentIntentId, option };
}

let payers = 0;
/** A payer with tokens of both ledgers. */
export async function newPayer({ ledger, otherLedger }: IcpWorld, amountAtomic = PRICE * 10n): Promise<Identity> {
  payers += 1;
  const payer = identityNamed(`payer ${payers}`);
  for (const { mint } of [ledger, otherLedger])
    await mint({ owner: payer.getPrincipal(), subaccount: [] }, amountAtomic);
  return payer;
}

type Transfer = Pick<Icrc1TransferOption, 'memo' | 'createdAtTime' | 'to'>;

/** Transfers as the option asks, or another amount or on another ledger, and answers the block. */
export async function transfer(
  { ic, ledger }: Pick<IcpWorld, 'ic' | 'ledger'>,
  payer: Identity,
  { to, memo, createdAtTime }: Transfer,
  amount: bigint = PRICE,
): Promise<bigint> {
  const client = await openLedgerClient(ic, ledger.canisterId, payer);
  return client.transfer({
    to: accountNamed(to.owner),
    amount,
    memo: Buffer.from(memo.slice(2), 'hex'),
    created_at_time: BigInt(createdAtTime),
    fee: ledger.fee,
  });
}

/** A transfer that names no intent, as a merchant gives money back. */
export async function giveBack(
  { ic, ledger, merchant }: IcpWorld,
  to: Identity,
  amount: bigint,
  memo = Buffer.from('sorry'),
): Promise<string> {
  const client = await openLedgerClient(ic, ledger.canisterId, merchant);
  const index = await client.transfer({ to: { owner: to.getPrincipal(), subaccount: [] }, amount, memo });
  return `${TOKEN_LEDGER}:${index}`;
}

export async function balanceOf({ ic, ledger }: IcpWorld, owner: Identity): Promise<bigint> {
  const client = await openLedgerClient(ic, ledger.canisterId);
  return client.balance({ owner: owner.getPrincipal(), certified: true });
}

export async function notify(
  { apiUrl, shop }: IcpWorld,
  paymentIntentId: string,
  hints: Readonly<Record<string, unknown>>,
): Promise<NotifyResponse> {
  const body = { paymentIntentId, ...hints };
  const response = await post(`${apiUrl}/sdk/public/payments/notify`, shop.publishableKey, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as NotifyResponse;
}
