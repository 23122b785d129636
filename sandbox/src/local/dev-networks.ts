// Networks of the development world: local chains with this commit's processor.
import type { OperatedEvm, OperatedSolana } from '@svc-pay/runtime/config/networks';
import type { DevSolana } from './start-solana.ts';

export type DevNetworks = Readonly<Record<string, OperatedEvm | OperatedSolana>>;

type Evm = {
  readonly network: string;
  readonly rpcUrl: string;
  readonly record: { readonly processor: string; readonly processorVersion: string };
};

/** Price of the test coin that pays Solana fees. */
const SOL_USD = '150';

export function devNetworks(chain: Evm, solana: DevSolana | undefined): DevNetworks {
  const { processor, processorVersion } = chain.record;
  const setup = { processor, processorVersion, ready: true, rpcUrls: [chain.rpcUrl], rpcUrlPublic: chain.rpcUrl };
  return { [chain.network]: setup, ...(solana && { [solana.network]: solanaSetup(solana) }) };
}

function solanaSetup({ feeAccount, rpcUrl, genesisHash, program }: DevSolana): OperatedSolana {
  const rpcUrls = [rpcUrl];
  return { feeAccount, ready: true, rpcUrls, rpcUrlPublic: rpcUrl, gasCoinUsd: SOL_USD, genesisHash, program };
}
