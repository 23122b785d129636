// Chain families that this process settles on. Each entry is opened by the package of its family.

import type {
  CheckUsedPayout,
  IcrcChain,
  LaneDeps,
  LanePace,
  NodeProbe,
  ReaderChain,
  ReferenceDeps,
  WatchBase,
  WatchedChain,
  WatchLog,
} from '@svc-pay/core';
import {
  type CheckActivation,
  createActivationCheck,
  createEndpointProbe,
  openEvmLanes,
  openNetworks,
  openReaderChains,
  openSigners,
  openWatchedEvm,
} from '@svc-pay/evm';
import { createIcrcChain, rootKeyBytes } from '@svc-pay/icp';
import type { Rate } from '@svc-pay/money';
import type { SettlementStores } from '@svc-pay/postgres/settlement-service';
import type { NetworkId } from '@svc-pay/protocol';
import { payoutRules } from '@svc-pay/runtime/config';
import { blockSecondsOf, isEvm, isIcp, isSolana } from '@svc-pay/runtime/config/networks';
import {
  createClusterProbe,
  openSolana,
  openSolanaLanes,
  openSolanaRelayers,
  openWatchedSolana,
} from '@svc-pay/solana';
import type { SettlementConfig } from './config.ts';

export type FamilyOptions = {
  readonly nowMs: number;
  readonly log: WatchLog;
  /** Counts calls of the chain reader to RPC nodes. */
  readonly onReaderCalls: (network: NetworkId, calls: number) => void;
};

type FamilyLanes = {
  readonly stores: Pick<SettlementStores, 'lanes' | 'strandedTransfers' | 'registerRelayer'>;
  readonly clock: LaneDeps['clock'];
  readonly pace: LanePace;
  readonly logOf: (lane: string) => LaneDeps['log'];
  /** The id of this installation, which activations of direct payouts name. */
  readonly installation: () => Promise<string>;
};

type FamilyWatchDeps = WatchBase & {
  readonly installation: () => Promise<string>;
  readonly stores: Pick<SettlementStores, 'payouts' | 'maintenance' | 'stranded' | 'references'>;
  /** Counts what transactions meant that were found by a reference. */
  readonly onApplied: NonNullable<ReferenceDeps['onApplied']>;
  /** Alarm threshold: relayers whose coins pay for fewer full transactions are reported. */
  readonly lowTransactions: bigint;
};

export type ChainFamily = {
  readonly networks: readonly { readonly network: NetworkId; readonly gasCoin: Rate | undefined }[];
  /** Addresses of the relayers. */
  readonly relayers: readonly string[];
  readonly recovery: string | undefined;
  /** Version of a processor that this process settles through; undefined for any other processor. */
  readonly processorVersion: (network: string, processor: string) => string | undefined;
  /** Whether a direct payout of a network of this family is soundly activated; one of any other network is refused. */
  readonly openPayoutCheck: (given: Pick<FamilyLanes, 'clock' | 'installation'>) => CheckUsedPayout;
  /** Opens one lane per relayer key and network, by lane key. */
  readonly openLanes: (given: FamilyLanes) => Promise<ReadonlyMap<string, LaneDeps>>;
  /** The networks as the watchers ask them. */
  readonly openWatched: (deps: FamilyWatchDeps) => readonly WatchedChain[];
  /** The networks whose logs are read. */
  readonly readerChains: readonly ReaderChain[];
  /** The networks whose token ledgers are read. */
  readonly icrcChains: readonly IcrcChain[];
  /** The networks whose RPC nodes are asked how they are. */
  readonly nodeProbes: readonly NodeProbe[];
};

/** Throws with a readable message if a key cannot be opened: settlement cannot work without its keys. */
export async function openChainFamilies(
  config: SettlementConfig,
  options: FamilyOptions,
): Promise<readonly ChainFamily[]> {
  return [await openEvmFamily(config, options), await openSolanaFamily(config, options), openIcpFamily(config)];
}

async function openEvmFamily(
  config: SettlementConfig,
  { nowMs, log, onReaderCalls }: FamilyOptions,
): Promise<ChainFamily> {
  const signers = await openSigners(config);
  const setups = [...config.networks].flatMap(([network, setup]) =>
    !isEvm(setup) ? [] : [[network, { ...setup, blockSeconds: blockSecondsOf(network, setup) }] as const],
  );
  const { rpcTimeoutMs: timeoutMs, maxFeeGwei } = config;
  const networks = openNetworks(setups, { timeoutMs, nowMs, maxFeeGwei, log });
  let opened: CheckActivation | undefined;
  const activationCheck = ({ clock, installation }: Pick<FamilyLanes, 'clock' | 'installation'>) => {
    opened ??= createActivationCheck({ ...payoutRules(config), installation, clock, log });
    return opened;
  };
  return {
    networks,
    openPayoutCheck: (given) => async (used, activation) => {
      const open = networks.find(({ network }) => network === used.network);
      if (open === undefined) return 'refused';
      const verdict = await activationCheck(given)(used, activation, open.voters);
      if (verdict.ok) return 'good';
      return verdict.code === 'chain_unavailable' ? 'unknown' : 'refused';
    },
    relayers: signers.relayers.map(({ address }) => address),
    recovery: signers.recovery?.address,
    processorVersion: (network, processor) =>
      networks.find((open) => open.network === network && open.processor.toLowerCase() === processor.toLowerCase())
        ?.processorVersion,
    openLanes: ({ stores, clock, pace, logOf, installation }) =>
      openEvmLanes({
        networks,
        signers,
        pace,
        clock,
        checkActivation: activationCheck({ clock, installation }),
        registerRelayer: stores.registerRelayer,
        depsOf: (lane, duty) => ({
          store: duty === 'settle' ? stores.lanes : stores.strandedTransfers,
          log: logOf(lane),
        }),
      }),
    openWatched: ({ stores, ...deps }) =>
      networks.map((open) => openWatchedEvm(open, { ...deps, payouts: stores.payouts })),
    readerChains: openReaderChains(setups, { timeoutMs, onCalls: onReaderCalls }),
    icrcChains: [],
    nodeProbes: networks.map(createEndpointProbe),
  };
}

async function openSolanaFamily(config: SettlementConfig, { nowMs, log }: FamilyOptions): Promise<ChainFamily> {
  const relayers = await openSolanaRelayers(config);
  const setups = [...config.networks].flatMap(([network, setup]) =>
    isSolana(setup) ? [[network, setup] as const] : [],
  );
  const networks = await openSolana(setups, { timeoutMs: config.rpcTimeoutMs, nowMs, log });
  return {
    networks,
    relayers: relayers.map(({ address }) => address),
    recovery: undefined,
    processorVersion: () => undefined,
    openPayoutCheck: () => async () => 'refused',
    openLanes: ({ stores, clock, pace, logOf }) =>
      openSolanaLanes({
        networks,
        relayers,
        pace,
        registerRelayer: stores.registerRelayer,
        depsOf: (lane) => ({ store: stores.lanes, clock, log: logOf(lane) }),
      }),
    openWatched: ({ stores: { stranded, maintenance, references }, ...deps }) =>
      networks.map((open) =>
        openWatchedSolana(open, {
          ...deps,
          stranded,
          references,
          relayers,
          dropOldPrepared: maintenance.dropOldPrepared,
        }),
      ),
    readerChains: [],
    icrcChains: [],
    nodeProbes: networks.map(createClusterProbe),
  };
}

/** Nothing is sent there: payers transfer by themselves, and no lane and no relayer takes part. */
function openIcpFamily({ networks, rpcTimeoutMs: timeoutMs }: SettlementConfig): ChainFamily {
  const icrcChains = [...networks].flatMap(([network, setup]) =>
    isIcp(setup) && setup.rpcUrls !== undefined && setup.rpcUrls.length > 0
      ? [createIcrcChain(network, { urls: setup.rpcUrls, rootKey: rootKeyBytes(setup.rootKey), timeoutMs })]
      : [],
  );
  return {
    networks: [],
    relayers: [],
    recovery: undefined,
    processorVersion: () => undefined,
    openPayoutCheck: () => async () => 'refused',
    openLanes: async () => new Map(),
    openWatched: () => [],
    readerChains: [],
    icrcChains,
    nodeProbes: [],
  };
}
