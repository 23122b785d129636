import type { Chain } from '@svc-pay/core';
import { familyOf } from '@svc-pay/protocol';
import { slugOf } from './choices.ts';
import { EVM_ADDRESS_PLACEHOLDER, PLACEHOLDER, SOLANA_ADDRESS_PLACEHOLDER } from './folder-layout.ts';

/** Version of the processor that this release deploys. */
const PROCESSOR_VERSION = '1.3.0';

/** Networks of the catalogue. What only the operator knows is a placeholder, and no network is offered yet. */
export function networksFileText(chains: readonly Chain[]): string {
  const networks = Object.fromEntries(chains.map((chain) => [chain.network, networkEntry(chain)]));
  return `${JSON.stringify(networks, null, 2)}\n`;
}

function networkEntry(chain: Chain): Readonly<Record<string, unknown>> {
  const solana = familyOf(chain.network) === 'solana';
  // Two nodes of different providers make a quorum.
  const rpcUrls = [1, 2].map((number) => `https://${slugOf(chain)}-node-${number}.${PLACEHOLDER}.invalid`);
  return {
    ...(solana
      ? { feeAccount: SOLANA_ADDRESS_PLACEHOLDER }
      : { processor: EVM_ADDRESS_PLACEHOLDER, processorVersion: PROCESSOR_VERSION }),
    ready: false,
    rpcUrls,
    ...(chain.rpcUrlPublic !== undefined && { rpcUrlPublic: chain.rpcUrlPublic }),
    ...(chain.mode === 'live' && { minimumUsd: chain.minimumUsd }),
  };
}
