// Networks of the development world: local chains with this commit's processor.
import type { OperatedEvm, OperatedIcp, OperatedSolana } from '@svc-pay/runtime/config/networks';
import type { DevIcp } from './start-icp.ts';
import type { DevSolana } from './start-solana.ts';

export type DevNetworks = Readonly<Record<string, OperatedEvm | OperatedSolana | OperatedIcp>>;

type Evm = {
  readonly network: string;
  readonly rpcUrl: string;
  readonly record: { readonly processor: string; readonly processorVersion: string };
};

/** Price of the test coin that pays Solana fees. */
const SOL_USD = '150';

export function devNetworks(chain: Evm, solana: DevSolana | undefined, icp: DevIcp | undefined): DevNetworks {
  const { processor, processorVersion } = chain.record;
  const setup = { processor, processorVersion, ready: true, rpcUrls: [chain.rpcUrl], rpcUrlPublic: chain.rpcUrl };
  return {
    [chain.network]: setup,
    ...(solana && { [solana.network]: solanaSetup(solana) }),
    ...(icp && { [icp.network]: icpSetup(icp) }),
  };
}

function icpSetup({ url, rootKey }: DevIcp): OperatedIcp {
  return { ready: true, rpcUrls: [url], rootKey: Buffer.from(rootKey).toString('hex') };
}

function solanaSetup({ feeAccount, rpcUrl, genesisHash, program }: DevSolana): OperatedSolana {
  const rpcUrls = [rpcUrl];
  return { feeAccount, ready: true, rpcUrls, rpcUrlPublic: rpcUrl, gasCoinUsd: SOL_USD, genesisHash, program };
}
