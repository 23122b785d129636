// The one network of the development world: a chain on this machine, with this commit's processor.
import type { OperatedEvm } from '@svc-pay/config/networks';

export type DevNetworks = Readonly<Record<string, OperatedEvm>>;

export function devNetworks(chain: {
  readonly network: string;
  readonly rpcUrl: string;
  readonly record: { readonly processor: string; readonly processorVersion: string };
}): DevNetworks {
  const { processor, processorVersion } = chain.record;
  const setup = { processor, processorVersion, ready: true, rpcUrls: [chain.rpcUrl], rpcUrlPublic: chain.rpcUrl };
  return { [chain.network]: setup };
}
