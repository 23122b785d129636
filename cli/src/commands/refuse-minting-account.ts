// Asks the ledgers of a network whether an account mints their tokens: what is transferred to it is burned.
import { ChainUnavailable, type IcrcChain } from '@svc-pay/core';
import { createIcrcChain, rootKeyBytes } from '@svc-pay/icp';
import type { NetworkId } from '@svc-pay/protocol';
import { isIcp, type OperatedNetworks } from '@svc-pay/runtime/config/networks';

const TIMEOUT_MS = 15_000;

/** Why the merchant can't be paid, or could not be checked; undefined where money sent to him stays his. */
export async function refuseMintingAccount(
  network: NetworkId,
  merchant: string,
  networks: OperatedNetworks,
): Promise<string | undefined> {
  const setup = networks.get(network);
  const { rpcUrls: urls = [], rootKey } = setup !== undefined && isIcp(setup) ? setup : {};
  if (urls.length === 0)
    return `--network: SVC_NETWORKS has no \`rpcUrls\` of ${network}, so its ledgers can’t be asked who mints their tokens`;
  const chain = createIcrcChain(network, { urls, rootKey: rootKeyBytes(rootKey), timeoutMs: TIMEOUT_MS });
  return judgeMerchant(chain, merchant);
}

export async function judgeMerchant(
  { ledgers, facts }: Pick<IcrcChain, 'ledgers' | 'facts'>,
  merchant: string,
): Promise<string | undefined> {
  try {
    for (const ledger of ledgers)
      if ((await facts(ledger)).mintingAccount === merchant)
        return `--merchant: this is the minting account of ${ledger}; money sent there is burned`;
    return undefined;
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    return '--merchant: no boundary node says who mints the tokens; correct `rpcUrls` or run it again later';
  }
}
