// A local Internet Computer with a ledger of ckUSDC, and books in a database of their own for each test.
import { accountText, memoOfIntent } from '@svc-pay/core';
import { createIcrcChain } from '@svc-pay/icp';
import {
  identityNamed,
  type LocalInternetComputer,
  type LocalLedger,
  openLedgerClient,
  startLocalInternetComputer,
} from '@svc-pay/icp/local';
import { createIcrcWorld, createTestDatabase, DOLLAR, ICRC_NETWORK, type IcrcWorld } from '@svc-pay/postgres/testing';
import { svcEnvironment } from './run-svc.ts';

export const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const TIMEOUT_MS = 20_000;
const [payer, shop] = [identityNamed('payer'), identityNamed('shop')];
export const PAYER = payer.getPrincipal().toText();
export const SHOP = accountText(shop.getPrincipal().toUint8Array(), null);

type Reached = Pick<LocalInternetComputer, 'url' | 'rootKey'>;

export type IcpBooks = Omit<IcrcWorld, 'pay'> & {
  readonly environment: Readonly<Record<string, string>>;
  /** The same with another Internet Computer. */
  readonly environmentOf: (other: Reached) => Readonly<Record<string, string>>;
  /** A transfer of the payer to the shop. Returns the index of its block. */
  readonly pay: (intentId: string, amountAtomic?: bigint) => Promise<bigint>;
};

export type IcpMachine = {
  readonly ic: LocalInternetComputer;
  readonly ledger: LocalLedger;
  readonly books: () => Promise<IcpBooks>;
};

/** The ledger moves its old blocks to an archive early. */
export async function startIcpMachine(): Promise<IcpMachine> {
  const ic = await startLocalInternetComputer();
  const ledger = await ic.installLedger({ canisterId: LEDGER, archive: { above: 6, count: 4 } });
  for (const holder of [payer, shop])
    await ledger.mint({ owner: holder.getPrincipal(), subaccount: [] }, 1_000n * DOLLAR);
  return { ic, ledger, books: () => openBooks(ic, ledger) };
}

const networksOf = ({ url, rootKey }: Reached): string =>
  JSON.stringify({ [ICRC_NETWORK]: { ready: true, rpcUrls: [url], rootKey: Buffer.from(rootKey).toString('hex') } });

async function openBooks(ic: LocalInternetComputer, { canisterId }: LocalLedger): Promise<IcpBooks> {
  const { url, pool } = await createTestDatabase();
  const chain = createIcrcChain(ICRC_NETWORK, { urls: [ic.url], rootKey: ic.rootKey, timeoutMs: TIMEOUT_MS });
  const world = await createIcrcWorld(pool, { chain, merchant: SHOP });
  const given = svcEnvironment(url);
  const environmentOf: IcpBooks['environmentOf'] = (reached) => ({ ...given, SVC_NETWORKS: networksOf(reached) });
  const to = { owner: shop.getPrincipal(), subaccount: [] as [] };
  return {
    ...world,
    environment: environmentOf(ic),
    environmentOf,
    pay: async (intentId, amount = DOLLAR) => {
      const memo = memoOfIntent(await world.codeOf(intentId));
      return (await openLedgerClient(ic, canisterId, payer)).transfer({ to, amount, memo });
    },
  };
}
