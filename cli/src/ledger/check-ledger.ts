// Checks the books against themselves and against every given chain. Chains are read first: every transaction is stored
// before it is sent, so the books then know all that the chains have.
import {
  type CheckedLine,
  checkBlocks,
  checkBooks,
  checkOverview,
  createFindings,
  type IcrcChain,
  isoTime,
  TOKEN_LEDGER_CHECKS,
} from '@svc-pay/core';
import { CHAIN_CHECKS, type ChainToCheck, checkChain, createJsonRpc, readChainBefore } from '@svc-pay/evm';
import { listProcessors, listRelayers, withBooks } from '@svc-pay/postgres/operator';
import type { NetworkId } from '@svc-pay/protocol';

type Pool = Parameters<typeof withBooks>[0];

export type NetworkToCheck = {
  readonly network: NetworkId;
  readonly chainId: bigint;
  readonly processor: string;
  readonly rpcUrls: readonly [string, ...string[]];
  /** Deployment block of the processor, if a deployment record has it. */
  readonly deployedAtBlock: bigint | undefined;
};

export type LedgerToCheck = {
  readonly pool: Pool;
  readonly networks: readonly NetworkToCheck[];
  readonly tokenLedgers: readonly IcrcChain[];
  /** Limit of differences listed per check; all are counted. */
  readonly mostDifferences: number;
  readonly rpcTimeoutMs: number;
  readonly print: (text: string) => void;
  readonly nowMs: () => number;
};

export type LedgerReport = {
  readonly holds: boolean;
  readonly lines: readonly CheckedLine[];
  /** Networks with payments that were not compared with a chain. */
  readonly uncompared: readonly string[];
  /** The books as they were then were checked. */
  readonly booksAt: string;
};

/** Throws if a node or the database does not answer: then the check proves nothing. */
export async function checkLedger(given: LedgerToCheck): Promise<LedgerReport> {
  const { pool, networks, tokenLedgers, mostDifferences, print } = given;
  const chains: ChainToCheck[] = [];
  for (const network of networks) chains.push(await openChain(given, network));
  // What was committed before is in the snapshot.
  const booksAt = isoTime(given.nowMs());
  return withBooks(pool, async (books) => {
    print('reading the books …\n');
    const own = createFindings(null, ['entries', 'statuses', 'overview'], mostDifferences);
    const censuses = await checkBooks(books, own);
    checkOverview(await books.overview(), own);
    const lines = [...own.lines()];
    for (const chain of chains) {
      print(`comparing with ${chain.network} …\n`);
      const findings = createFindings(chain.network, CHAIN_CHECKS, mostDifferences);
      await checkChain(books, chain, censuses.get(chain.network), findings);
      lines.push(...findings.lines());
    }
    for (const chain of tokenLedgers) {
      print(`comparing with ${chain.network} …\n`);
      const findings = createFindings(chain.network, TOKEN_LEDGER_CHECKS, mostDifferences);
      await checkBlocks(books, chain, findings);
      lines.push(...findings.lines());
    }
    const compared = new Set<string>([...chains, ...tokenLedgers].map(({ network }) => network));
    const uncompared = [...censuses].filter(([network, { completed }]) => completed > 0 && !compared.has(network));
    return {
      holds: lines.every(({ differing }) => differing === 0),
      lines,
      uncompared: uncompared.map(([network]) => network),
      booksAt,
    };
  });
}

async function openChain(
  { pool, rpcTimeoutMs }: LedgerToCheck,
  { network, chainId, processor, rpcUrls, deployedAtBlock }: NetworkToCheck,
): Promise<ChainToCheck> {
  const rpc = createJsonRpc({ urls: rpcUrls, timeoutMs: rpcTimeoutMs });
  const before = await readChainBefore(rpc, await listRelayers(pool, network));
  if (before.chainId !== chainId) throw new WrongChain(`the node of ${network} belongs to chain ${before.chainId}`);
  const processors = [...new Set([processor.toLowerCase(), ...(await listProcessors(pool, network))])];
  return { rpc, network, processors, deployedAtBlock, before };
}

export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}
