// Checks the Internet Computer as it is configured: every boundary node gives certified answers under the root key, and the
// ledgers are what the catalogue says of their tokens.
import { ChainUnavailable, type IcrcChain, type LedgerFacts, TOKENS, type TokenEntry } from '@svc-pay/core';
import { createIcrcChain, rootKeyBytes } from '@svc-pay/icp';
import type { NetworkId } from '@svc-pay/protocol';
import type { OperatedIcp } from '@svc-pay/runtime/config/networks';
import { type Finding, findingsOf } from './finding.ts';
import { shownHost } from './json-rpc.ts';

export type OpenBoundary = (url: string) => Pick<IcrcChain, 'facts'>;

/** A replicated call takes some seconds. */
const TIMEOUT_MS = 15_000;

export async function checkTokenLedgers(
  network: NetworkId,
  { rpcUrls = [], rootKey }: Pick<OperatedIcp, 'rpcUrls' | 'rootKey'>,
  open: OpenBoundary = (url) =>
    createIcrcChain(network, { urls: [url], rootKey: rootKeyBytes(rootKey), timeoutMs: TIMEOUT_MS }),
): Promise<readonly Finding[]> {
  const { ok, warning, problem } = findingsOf('network', network);
  const [first, ...others] = TOKENS.filter((token) => token.network === network);
  if (rpcUrls.length === 0 || first === undefined)
    return [warning('No boundary node is configured, so nothing could be checked.', 'Add `rpcUrls` to the network.')];
  const findings: Finding[] = [];
  let answering: ReturnType<OpenBoundary> | undefined;
  for (const url of rpcUrls) {
    const chain = open(url);
    const facts = await factsOf(chain, first);
    if (facts === undefined) {
      findings.push(
        problem(
          `Boundary node ${shownHost(url)} gives no certified answer for the ledger of ${first.shortcode}.`,
          'Check the address, the way to it, this machine’s clock and `rootKey`.',
        ),
      );
      continue;
    }
    findings.push(ok(`Boundary node ${shownHost(url)} gives certified answers.`));
    if (answering === undefined) findings.push(judgeLedger(first, facts));
    answering ??= chain;
  }
  if (answering === undefined) return findings;
  for (const token of others) {
    const facts = await factsOf(answering, token);
    if (facts !== undefined) findings.push(judgeLedger(token, facts));
  }
  return findings;
}

async function factsOf(chain: Pick<IcrcChain, 'facts'>, { address }: TokenEntry): Promise<LedgerFacts | undefined> {
  try {
    return await chain.facts(address);
  } catch (error) {
    if (error instanceof ChainUnavailable) return undefined;
    throw error;
  }
}

function judgeLedger(token: TokenEntry, { decimals, feeAtomic }: LedgerFacts): Finding {
  const { ok, warning, problem } = findingsOf('token', token.shortcode);
  if (decimals !== token.unit.decimals)
    return problem(
      `The ledger has ${decimals} decimals, the catalogue ${token.unit.decimals}: amounts would be wrong.`,
      'Disable the token until a release corrects it.',
    );
  return feeAtomic === token.transferFee
    ? ok('The ledger has the decimals and the fee of the catalogue.')
    : warning(
        `The ledger’s fee is ${feeAtomic}, the catalogue says ${token.transferFee ?? 'nothing'}.`,
        'Wallets that take the fee from the intent are told the right one by the ledger; a release should correct it.',
      );
}
