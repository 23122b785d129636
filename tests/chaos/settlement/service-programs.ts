// The services as operators run them, each a process of its own with its own ports and its own rights in the database.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { freePorts, type RestatePorts } from '@svc-pay/engine/server';
import type { LocalChain } from '@svc-pay/evm/testing';
import { MASTER_KEY, PEPPER } from '../../e2e/open-shop.ts';
import type { MortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';

export const SETTLEMENT_BUGS = [
  'broadcastingFirst',
  'recordingEarly',
  'signingAgain',
  'releasingEarly',
  'reservingTwice',
] as const;
export type SettlementBug = (typeof SETTLEMENT_BUGS)[number];

/** Addresses as settings have them: with commas between several. */
export type EngineAddresses = { readonly admin: string; readonly ingress: string };

export type ServicePlan = {
  readonly inside: (name: string) => string;
  readonly postgres: MortalPostgres;
  /** The EVM chain, with the keys of its relayers; absent where there is none. */
  readonly chain?: LocalChain;
  readonly rpcUrls?: readonly string[];
  /** Entries of SVC_NETWORKS beside that chain. */
  readonly networks?: Readonly<Record<string, object>>;
  /** Programs that differ from those of this folder. */
  readonly files?: { readonly settlement: string; readonly api: string };
  /** Of the engine that the n-th process of a kind works with. */
  readonly engineOf: (index: number) => EngineAddresses;
  readonly counts: { readonly apis: number; readonly settlements: number; readonly senders: number };
  /** For the settlement program. */
  readonly bug?: string | undefined;
  /** Further settings of the APIs, whose limits on requests are off otherwise. */
  readonly api?: Readonly<Record<string, string>>;
  /** Further settings of settlement. */
  readonly settlement?: Readonly<Record<string, string>>;
  /** Further settings of the chain in SVC_NETWORKS. */
  readonly network?: Readonly<Record<string, unknown>>;
};

export type ServicePrograms = {
  readonly apis: readonly Program[];
  readonly settlements: readonly Program[];
  readonly senders: readonly Program[];
  readonly apiUrls: readonly string[];
  readonly logFiles: readonly string[];
  readonly secrets: readonly string[];
};

const DELIVERY_LEASE_MS = '3000';
const beside = (file: string) => path.join(import.meta.dirname, file);

export async function createServicePrograms(plan: ServicePlan): Promise<ServicePrograms> {
  const { inside, postgres, engineOf, counts, bug, api } = plan;
  const files = plan.files ?? { settlement: beside('settlement-process.ts'), api: beside('api-process.ts') };
  const password = randomBytes(8).toString('hex');
  const databaseUrl = async (group: string) => {
    await postgres.pool.query(`create role chaos_${group} login password '${password}' in role svc_${group}`);
    return Object.assign(new URL(postgres.url), { username: `chaos_${group}`, password }).href;
  };
  const portsOf = (count: number) => Promise.all(Array.from({ length: count }, freePorts));
  const [apiPorts, settlementPorts, senderPorts] = [
    await portsOf(counts.apis),
    await portsOf(counts.settlements),
    await portsOf(counts.senders),
  ];
  const internalKey = randomBytes(24).toString('hex');
  const { networks, keys, keySecrets } = settingsOf(plan);
  const engine = (index: number) => ({
    SVC_ENGINE_ADMIN_URL: engineOf(index).admin,
    SVC_ENGINE_INGRESS_URL: engineOf(index).ingress,
  });
  const [apiUrl, settlementUrl, sendersUrl] = [
    await databaseUrl('api'),
    await databaseUrl('settlement'),
    await databaseUrl('webhooks'),
  ];
  const logFiles: string[] = [];
  const several = (
    kind: string,
    file: string,
    given: readonly string[],
    ports: readonly RestatePorts[],
    environmentOf: (own: RestatePorts, index: number) => Readonly<Record<string, string>>,
  ) =>
    ports.map((own, index) => {
      const logFile = inside(`${kind}-${index}.log`);
      logFiles.push(logFile);
      return createProgram({
        file,
        arguments: given,
        environment: environmentOf(own, index),
        logFile,
      });
    });
  const settlements = several(
    'settlement',
    files.settlement,
    bug === undefined ? [] : [bug],
    settlementPorts,
    (own, index) => ({
      ...networks,
      ...engine(index),
      SVC_DATABASE_URL: settlementUrl,
      ...keys,
      SVC_INTERNAL_KEYS: internalKey,
      // Claims are written within milliseconds here, and blocks are final after some of them.
      SVC_READER_EVERY_MS: '500',
      SVC_READER_CLAIM_MS: '2000',
      SVC_SETTLEMENT_PORT: String(own.admin),
      SVC_SETTLEMENT_ENGINE_PORT: String(own.node),
      SVC_SETTLEMENT_RPC_TIMEOUT_MS: '2000',
      SVC_SETTLEMENT_RESEND_MS: '2000',
      SVC_SETTLEMENT_BUMP_MS: '6000',
      ...plan.settlement,
    }),
  );
  const apis = several('api', files.api, [], apiPorts, (own) => ({
    ...networks,
    SVC_ENGINE_INGRESS_URL: engineOf(0).ingress,
    SVC_DATABASE_URL: apiUrl,
    SVC_KEY_PEPPER: PEPPER.toString('base64'),
    SVC_API_PORT: String(own.node),
    SVC_API_METRICS_PORT: '0',
    SVC_API_RATE_LIMITS: 'off',
    SVC_SETTLE_WAIT_MS: '4000',
    SVC_SETTLEMENT_URL: settlementPorts.map(({ admin }) => `http://127.0.0.1:${admin}`).join(','),
    SVC_INTERNAL_KEY: internalKey,
    ...api,
  }));
  const senders = several(
    'webhooks',
    beside('../webhooks/worker.ts'),
    [DELIVERY_LEASE_MS],
    senderPorts,
    (own, index) => ({
      ...engine(counts.senders === 1 ? 1 : index),
      SVC_DATABASE_URL: sendersUrl,
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: String(own.admin),
      SVC_WEBHOOKS_ENGINE_PORT: String(own.node),
    }),
  );
  return {
    apis,
    settlements,
    senders,
    apiUrls: apiPorts.map(({ node }) => `http://127.0.0.1:${node}`),
    logFiles,
    secrets: [password, internalKey, MASTER_KEY.toString('base64'), PEPPER.toString('base64'), ...keySecrets],
  };
}

/** What the services are told about chains, and settlement about its keys. */
function settingsOf({ chain, rpcUrls, network, networks }: ServicePlan) {
  if (chain === undefined)
    return { networks: { SVC_NETWORKS: JSON.stringify(networks ?? {}) }, keys: {}, keySecrets: [] };
  const { keys, record } = chain;
  const processor = { processor: record.processor, processorVersion: '1.3.0', gasCoinUsd: '3000' };
  const relayerKeys = keys.relayers.map(({ privateKey }) => privateKey);
  return {
    networks: {
      SVC_PAYOUT_APPROVERS: keys.payoutApprover.account.address,
      SVC_PAYOUT_DELAY_HOURS: '0',
      SVC_NETWORKS: JSON.stringify({
        [chain.network]: { ...processor, ready: true, rpcUrls, ...network },
        ...networks,
      }),
    },
    keys: { SVC_RELAYER_TEST_KEYS: relayerKeys.join(','), SVC_RECOVERY_TEST_KEY: keys.recovery.privateKey },
    keySecrets: [...relayerKeys, keys.recovery.privateKey].map((key) => key.slice(2)),
  };
}
