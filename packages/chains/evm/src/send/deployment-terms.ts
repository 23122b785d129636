// Checks that the chain has what the configuration says: the processor's version and the tokens' signing domains. A
// network that differs is withdrawn, because signatures and transactions would be made for other contracts. The gas of
// one transfer of each token and its hourly cap are read in the same request.
import {
  type Clock,
  type DeploymentDifference,
  majorityOf,
  TOKENS,
  type TokenCap,
  viewKey,
  type WatchLog,
} from '@svc-pay/core';
import { chainIdOf } from '@svc-pay/protocol';
import { type Deployment, readDeployment } from '../admin/read-deployment.ts';
import { DEFAULT_CALL_GAS } from '../processor/gas-limit.ts';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { OpenNetwork } from './open-networks.ts';

export type DeploymentTerms = {
  /**
   * Reads the terms from the chain, at most once a minute. Never throws: while the chain does not answer, or its nodes
   * contradict each other, the terms read last remain in force.
   */
  readonly refresh: () => Promise<void>;
  /** Null while nothing was read, and while nothing differs. */
  readonly difference: () => DeploymentDifference | null;
  /** The processor's default while nothing was read. */
  readonly callGasOf: (asset: string) => bigint;
  /**
   * One per token of the catalogue; empty while nothing was read. Read by a quorum like the rest, because a cap that is
   * too low refuses every payment.
   */
  readonly caps: () => readonly TokenCap[];
};

const EVERY_MS = 60_000;
const AFTER_FAILURE_MS = 5_000;

type Watched = Pick<OpenNetwork, 'network' | 'processor' | 'processorVersion' | 'voters'>;

export function createDeploymentTerms(
  { network, processor, processorVersion, voters }: Watched,
  { clock, log }: { readonly clock: Clock; readonly log?: WatchLog },
): DeploymentTerms {
  const tokens = TOKENS.filter((token) => token.network === network);
  const question = { chainId: chainIdOf(network) ?? 0, processor, tokens };
  let known: Deployment | undefined;
  let difference: DeploymentDifference | null = null;
  let nextAtMs = 0;

  const deployed = (asset: string) => known?.tokens.find(({ address }) => address === asset.toLowerCase());
  const judge = (deployment: Deployment) => {
    known = deployment;
    const wrong = deployment.tokens.filter(({ domainDiffers }) => domainDiffers).map(({ shortcode }) => shortcode);
    const before = difference;
    difference = null;
    if (wrong.length > 0) difference = 'token_differs';
    if (deployment.processorVersion !== processorVersion) difference = 'processor_differs';
    if (difference === before) return;
    const details = { network, processor, configured: processorVersion, deployed: deployment.processorVersion };
    if (difference === null) log?.('deployment_matches', details);
    else log?.('deployment_differs', { ...details, tokens: wrong });
  };
  const read = async (): Promise<void> => {
    nextAtMs = clock.nowMs() + AFTER_FAILURE_MS;
    try {
      const views = await collectNodeViews(await voters(), (node) => readDeployment(node, question));
      const agreed = majorityOf(views, viewKey);
      if (agreed === undefined) return;
      judge(agreed[0]);
      nextAtMs = clock.nowMs() + EVERY_MS;
    } catch (problem) {
      log?.('deployment_not_read', { network, processor, err: problem });
    }
  };
  let reading: Promise<void> | undefined;
  return {
    refresh: async () => {
      if (reading === undefined && clock.nowMs() < nextAtMs) return;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    },
    difference: () => difference,
    callGasOf: (asset) => deployed(asset)?.callGas ?? DEFAULT_CALL_GAS,
    caps: () =>
      known === undefined
        ? []
        : tokens.map(({ address }) => ({ asset: address, capAtomic: deployed(address)?.hourlyCapAtomic })),
  };
}
