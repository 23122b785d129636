// Solana part of setting a payout: creates the recipients' token accounts before anything is offered to payers.
import { readFileSync } from 'node:fs';
import { ChainUnavailable, type Payout, TOKENS } from '@svc-pay/core';
import { listEnabledTokens, type Operation } from '@svc-pay/postgres/operator';
import type { NetworkId } from '@svc-pay/protocol';
import { isSolana, type OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { createTokenAccounts, openClusterNode, secretInKeyFile } from '@svc-pay/solana';
import { type Failure, failed, misused } from '../output/outcome.ts';

export type CreatedTokenAccounts =
  | { readonly ok: true; readonly created: readonly string[]; readonly transactionIds: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Creates accounts for every token that the merchant has enabled on the network. Safe to repeat: skips existing ones.
 */
export async function createPayoutAccounts(
  operation: Operation,
  payout: Payout,
  { rpcUrl, keyFile, networks }: { rpcUrl: string; keyFile: string; networks: OperatedNetworks },
): Promise<CreatedTokenAccounts> {
  const network = payout.network as NetworkId;
  const funderSecret = readSecret(keyFile);
  if (funderSecret === undefined)
    return { ok: false, failure: misused('--key-file: no readable file with the 32 bytes of a Solana key') };
  const enabled = await listEnabledTokens(operation.pool, payout.accountId, payout.mode);
  const mints = TOKENS.filter((token) => token.network === network && enabled.has(token.shortcode));
  if (mints.length === 0) {
    const advice = 'Enable one with `tokens enable` and run the same command again.';
    return { ok: false, failure: failed('token_not_enabled', `The account has no token of ${network}.`, advice) };
  }
  const setup = networks.get(network);
  const genesisHash = setup !== undefined && isSolana(setup) ? setup.genesisHash : undefined;
  try {
    const made = await createTokenAccounts(openClusterNode({ url: rpcUrl, network, genesisHash }), {
      funderSecret,
      owners: [payout.merchant, payout.processor, ...payout.splits.map(({ to }) => to)],
      mints: mints.map(({ address }) => address),
    });
    if (made.ok) return made;
    const advice = 'Nothing that was made is lost; mend it and run the same command again.';
    return { ok: false, failure: failed(made.code, `Token accounts could not be made: ${made.reason}`, advice) };
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    const message = `The node at SVC_RPC_URL does not answer for ${network}.`;
    return { ok: false, failure: failed('chain_unreachable', message, 'Is it running, and of this network?') };
  }
}

function readSecret(file: string): Uint8Array | undefined {
  try {
    return secretInKeyFile(readFileSync(file));
  } catch {
    return undefined;
  }
}
