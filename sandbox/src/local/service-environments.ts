// Environments of the services in the development world.

import type { RestateServer } from '@svc-pay/engine/server';
import type { LocalChain } from '@svc-pay/evm/local';
import { type Environment, sealKeyTextFrom } from '@svc-pay/runtime/config';
import type { WorldPorts } from './choose-port.ts';
import { devNetworks } from './dev-networks.ts';
import type { PriceFeed } from './price-feed.ts';
import type { DevSecrets } from './secrets.ts';
import type { DevDatabase } from './start-database.ts';
import type { DevIcp } from './start-icp.ts';
import type { DevSolana } from './start-solana.ts';

export type Wiring = {
  readonly secrets: DevSecrets;
  readonly ports: WorldPorts;
  readonly database: DevDatabase;
  readonly chain: LocalChain;
  /** Undefined if this machine cannot run the Solana chain. */
  readonly solana: DevSolana | undefined;
  /** Undefined if nothing settles. */
  readonly icp: DevIcp | undefined;
  readonly engine: RestateServer | undefined;
  readonly feed: PriceFeed;
};

export const apiUrlOf = ({ api }: WorldPorts): string => `http://127.0.0.1:${api}`;
export const settlementUrlOf = ({ settlement }: WorldPorts): string => `http://127.0.0.1:${settlement}`;
export const adminUrlOf = ({ adminService }: WorldPorts): string => `http://127.0.0.1:${adminService}`;
/** Browsers have passkeys on plain http at this name alone. */
export const consoleUrlOf = ({ console }: WorldPorts): string => `http://localhost:${console}`;
export const consoleProbesUrlOf = ({ consoleMetrics }: WorldPorts): string => `http://127.0.0.1:${consoleMetrics}`;
export const webhooksUrlOf = ({ webhooks }: WorldPorts): string => `http://127.0.0.1:${webhooks}`;

/** Undefined removes a variable that the developer's shell may have set. */
export function apiEnvironment(wiring: Wiring): Environment {
  const { secrets, ports, database, chain, engine, feed } = wiring;
  return {
    ...networksOf(wiring),
    ...approversOf(chain),
    SVC_DATABASE_URL: database.apiUrl,
    SVC_KEY_PEPPER: secrets.pepper,
    SVC_SEAL_KEY: sealKeyTextFrom(secrets.masterKeys),
    SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
    SVC_API_PORT: String(ports.api),
    SVC_API_METRICS_PORT: '0',
    SVC_API_PUBLIC_URL: apiUrlOf(ports),
    SVC_ENGINE_INGRESS_URL: engine?.ingressUrl,
    SVC_SETTLEMENT_URL: engine && settlementUrlOf(ports),
    SVC_INTERNAL_KEY: engine && secrets.internalKey,
    SVC_PRICE_FEED_URL: feed.url,
  };
}

export function settlementEnvironment(wiring: Wiring): Environment {
  const { secrets, ports, database, chain, solana, engine } = wiring;
  return {
    ...networksOf(wiring),
    ...approversOf(chain),
    SVC_DATABASE_URL: database.settlementUrl,
    SVC_SETTLEMENT_PORT: String(ports.settlement),
    SVC_SETTLEMENT_ENGINE_PORT: String(ports.settlementWork),
    SVC_ENGINE_ADMIN_URL: engine?.adminUrl,
    SVC_ENGINE_INGRESS_URL: engine?.ingressUrl,
    SVC_INTERNAL_KEYS: secrets.internalKey,
    SVC_RELAYER_KEYSTORES: undefined,
    SVC_RELAYER_PASSWORD_FILE: undefined,
    SVC_RELAYER_TEST_KEYS: chain.keys.relayers.map(({ privateKey }) => privateKey).join(','),
    SVC_SOLANA_RELAYER_FILES: undefined,
    SVC_SOLANA_RELAYER_TEST_KEYS: solana?.relayerKey,
    SVC_RECOVERY_KEYSTORE: undefined,
    SVC_RECOVERY_TEST_KEY: chain.keys.recovery.privateKey,
  };
}

/** Allows receivers on loopback, because a developer's receivers run on this machine. */
export function webhooksEnvironment({ secrets, ports, database, engine }: Wiring): Environment {
  return {
    SVC_DATABASE_URL: database.webhooksUrl,
    SVC_MASTER_KEYS: secrets.masterKeys,
    SVC_WEBHOOKS_MODES: 'test',
    SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
    SVC_WEBHOOKS_PORT: String(ports.webhooks),
    SVC_WEBHOOKS_ENGINE_PORT: String(ports.webhooksWork),
    SVC_ENGINE_ADMIN_URL: engine?.adminUrl,
    SVC_ENGINE_INGRESS_URL: engine?.ingressUrl,
  };
}

export function adminEnvironment({ secrets, ports, database }: Wiring): Environment {
  return {
    SVC_DATABASE_URL: database.adminUrl,
    SVC_KEY_PEPPER: secrets.pepper,
    SVC_SEAL_KEY: sealKeyTextFrom(secrets.masterKeys),
    SVC_ADMIN_PORT: String(ports.adminService),
  };
}

export function consoleEnvironment({ ports, database }: Wiring): Environment {
  return {
    SVC_DATABASE_URL: database.consoleUrl,
    SVC_CONSOLE_URL: consoleUrlOf(ports),
    SVC_API_URL: apiUrlOf(ports),
    SVC_ADMIN_URL: adminUrlOf(ports),
    SVC_CONSOLE_PORT: String(ports.console),
    SVC_CONSOLE_METRICS_PORT: String(ports.consoleMetrics),
  };
}

function approversOf({ keys }: LocalChain): Environment {
  return { SVC_PAYOUT_APPROVERS: keys.payoutApprover.account.address, SVC_PAYOUT_DELAY_HOURS: undefined };
}

function networksOf({ chain, solana, icp }: Wiring): Environment {
  return { SVC_NETWORKS: JSON.stringify(devNetworks(chain, solana, icp)), SVC_NETWORKS_FILE: undefined };
}
