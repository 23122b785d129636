// Starts the whole sandbox: the development world, a shop that is paid through it, and the timeline page.

import type { Clock } from '@svc-pay/core';
import type { LocalKey } from '@svc-pay/evm/local';
import { openView } from '@svc-pay/postgres/view';
import { type OpenConsole, openConsole } from './console/visitor.ts';
import { findWorldServices } from './find-world-services.ts';
import { createComponentGroup } from './local/component-group.ts';
import { ICP_TOKEN } from './local/start-icp.ts';
import { type LocalWorld, startWorld } from './local/start-world.ts';
import type { Step } from './local/steps.ts';
import { bundlePages } from './serve/bundle-pages.ts';
import { openShopDatabase } from './shop/open-shop-database.ts';
import { serveShop } from './shop/serve-shop.ts';
import type { ShopFacts } from './shop/shop-facts.ts';
import { fillWallet, icpWalletKey, payerWallet, solanaWalletKey } from './wallet/payer-wallet.ts';
import { serveTimeline } from './watch/serve-timeline.ts';

export type SandboxOptions = {
  readonly folder: string;
  readonly fresh: boolean;
  /** Uses no default ports, for a check beside a running sandbox. */
  readonly freePorts: boolean;
  readonly ports: { readonly shop: number; readonly timeline: number };
  readonly clock: Clock;
  readonly step: Step;
  readonly complain: (text: string) => void;
};

export type Sandbox = {
  readonly world: LocalWorld;
  readonly facts: Omit<ShopFacts, 'order'>;
  readonly shopUrl: string;
  readonly timelineUrl: string;
  /** Signs the visitor in and leads to the console, which may still be starting. */
  readonly consoleUrl: string;
  readonly wallet: LocalKey;
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

const LANES = 3;
const SOLANA_TOKEN = 'soldevnet_usdc';
/** A thousand test USDC; these chains start empty every time. */
const FILLED_ATOMIC = 1_000_000_000n;
/** Higher rate limits, so that the crowd of the timeline page can pay. */
const API_SETTINGS = { SVC_API_RATE_TEST: '10000', SVC_API_RATE_ADDRESS: '500' };

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { folder, fresh, freePorts, ports, clock, step, complain } = options;
  const services = findWorldServices();
  const bundling = step('pages', bundlePages);
  // Awaited below; without this handler an early failure would be an unhandled rejection.
  bundling.catch(() => {});
  const world = await startWorld({
    ...services.payments,
    folder,
    fresh,
    freePorts,
    port: undefined,
    relayers: LANES,
    direct: true,
    apiSettings: API_SETTINGS,
    clock,
    step,
  });
  const parts = createComponentGroup();
  let stopping = false;
  const stop = async () => {
    stopping = true;
    await parts.stop();
    await world.stop();
  };
  try {
    const { chain, solana, icp, baseUrl, account, databaseUrl } = world;
    const wallet = payerWallet(chain);
    const solanaKey = solanaWalletKey(wallet);
    const icpKey = icpWalletKey(wallet);
    const timelineUrl = `http://127.0.0.1:${ports.timeline}`;
    const facts = {
      baseUrl,
      publishableKey: account.publishableKey,
      expect: {
        anvil_usdc: {
          payTo: chain.record.processor,
          ...(world.merchantWallet !== undefined && { wallet: world.merchantWallet }),
          asset: chain.tokens.usdc,
          network: chain.network,
        },
        ...(solana && {
          [SOLANA_TOKEN]: { payTo: solana.merchant, asset: solana.usdc, network: solana.network },
        }),
        ...(icp && { [ICP_TOKEN]: { payTo: icp.merchant, asset: icp.ledger, network: icp.network } }),
      },
      timelineUrl,
      wallet: { privateKey: wallet.privateKey, rpcUrl: chain.rpcUrl, chainId: chain.chainId, asset: chain.tokens.usdc },
      solana:
        solana === undefined
          ? null
          : { tokenShortcode: SOLANA_TOKEN, ...solanaKey, rpcUrl: solana.rpcUrl, asset: solana.usdc },
      icp: icp === undefined ? null : { tokenShortcode: ICP_TOKEN, ...icpKey, url: icp.url, ledger: icp.ledger },
    };
    const shopUrl = `http://127.0.0.1:${ports.shop}`;
    const files = await bundling;
    // Last, and not waited for: payments work without it, and whoever opens it first waits.
    const opening = Promise.withResolvers<OpenConsole>();
    opening.promise.catch(() => {});
    await Promise.all([
      step('test wallet', async () => {
        await fillWallet(chain, wallet);
        await solana?.fundToken(solanaKey.address, FILLED_ATOMIC);
        await icp?.fund(icpKey.principal, FILLED_ATOMIC);
      }),
      parts.start('the shop', () =>
        step('shop', async () => {
          const database = await openShopDatabase(databaseUrl);
          const { secretKey, id: accountId } = account;
          return serveShop({ port: ports.shop, files, database, secretKey, accountId, facts, complain });
        }),
      ),
      parts.start('the timeline', () =>
        step('timeline', async () => {
          const view = await openView(databaseUrl);
          const door = { port: ports.timeline, accountId: account.id, console: opening.promise, clock };
          return serveTimeline({ port: ports.timeline, files, view, world, facts, shopUrl, door });
        }),
      ),
    ]);
    parts
      .start('the console', () => openConsole({ world, services: services.people, clock, step, complain }))
      .then(opening.resolve, (problem: unknown) => {
        if (!stopping)
          complain(`the console did not start: ${problem instanceof Error ? problem.message : String(problem)}`);
        opening.reject(problem);
      });
    const consoleUrl = `${timelineUrl}/console`;
    return { world, facts, shopUrl, timelineUrl, consoleUrl, wallet, ended: world.ended, stop };
  } catch (problem) {
    await stop();
    throw problem;
  }
}
