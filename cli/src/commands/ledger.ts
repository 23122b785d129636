import { ChainUnavailable, LEDGER_CHECKS } from '@svc-pay/core';
import { NodeRefused, RpcUnavailable, readDeploymentRecord } from '@svc-pay/evm';
import { beginLedgerCheck, endLedgerCheck, type LedgerCheckResult } from '@svc-pay/postgres/operator';
import { chainIdOf, parseNetwork } from '@svc-pay/protocol';
import { isEvm, type OperatedNetworks } from '@svc-pay/runtime/config/networks';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { Command } from 'commander';
import { openTokenLedgers } from '../chain/token-ledgers.ts';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { checkLedger, type LedgerReport, type NetworkToCheck, WrongChain } from '../ledger/check-ledger.ts';
import { ledgerMetrics, writeMetricsFile } from '../ledger/ledger-metrics.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { RECORDS } from './contracts.ts';

type Options = { readonly network?: string; readonly records: string; readonly metricsFile?: string };

/** Long timeout: the search for stray rows scans whole tables. Each page takes far less. */
const STATEMENT_TIMEOUT_MS = 600_000;
const RPC_TIMEOUT_MS = 30_000;
const MOST_DIFFERENCES = 20;

export function ledgerCommand(surroundings: Surroundings): Command {
  const check = leaf(
    'check',
    'Check the ledger, and compare it with every network of SVC_NETWORKS that has rpcUrls. The command changes ' +
      'nothing but the list of its own runs; exit code 1 means a difference.',
    [
      'ledger check',
      'ledger check --network eip155:8453 --json',
      'ledger check --metrics-file /var/lib/node_exporter/svc_ledger.prom',
    ],
  )
    .option('--network <caip2>', 'compare with this network only')
    .option('--records <folder>', 'where deployment records are kept', RECORDS)
    .option(
      '--metrics-file <file>',
      'also write the result to this file, in the Prometheus text format; an interrupted check leaves the file ' +
        'as it was',
    )
    .action(runs<Options>(surroundings, checkAll));
  return new Command('ledger').description('Prove that the books are right.').addCommand(check);
}

async function checkAll({ options, context }: Input<Options>): Promise<CommandOutcome> {
  return withOperation(
    context,
    [],
    async ({ operation, config }) => {
      const networks = await networksOf(config.networks, options);
      const tokenLedgers = openTokenLedgers(config.networks, options.network, RPC_TIMEOUT_MS);
      if (options.network !== undefined && networks.length + tokenLedgers.length === 0)
        return misused('--network: SVC_NETWORKS has no such network with rpcUrls');
      const { pool, nowMs } = operation;
      const compared = [...networks, ...tokenLedgers].map(({ network }) => network);
      const runId = await beginLedgerCheck(pool, nowMs, compared);
      const end = async (result: LedgerCheckResult) =>
        runId === undefined ? undefined : endLedgerCheck(pool, runId, context.clock.nowMs(), result);
      try {
        const report = await checkLedger({
          pool,
          networks,
          tokenLedgers,
          mostDifferences: MOST_DIFFERENCES,
          rpcTimeoutMs: RPC_TIMEOUT_MS,
          print: context.print,
          nowMs: context.clock.nowMs,
        });
        await end(resultOf(report));
        if (options.metricsFile !== undefined) {
          await writeMetricsFile(options.metricsFile, ledgerMetrics(report.lines, context.clock.nowMs()));
        }
        return outcomeOf(report, context.paint);
      } catch (problem) {
        if (UNREADABLE.some((kind) => problem instanceof kind)) {
          await end({ obstacle: 'chain_unreadable' });
          return failed(
            'chain_unreadable',
            `Nothing is proven: ${problem instanceof Error ? problem.message : 'a chain can’t be read'}.`,
            'Correct or replace the node in rpcUrls and run it again.',
          );
        }
        throw problem;
      }
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}

const resultOf = ({ lines, uncompared, booksAt }: LedgerReport) => ({
  booksAtMs: Date.parse(booksAt),
  uncompared,
  looked: lines.reduce((sum, { looked }) => sum + looked, 0),
  differing: lines.reduce((sum, { differing }) => sum + differing, 0),
});

/** What was compared until then proves nothing about the rest. */
const UNREADABLE = [RpcUnavailable, NodeRefused, WrongChain, ChainUnavailable] as const;

/** None if the requested network is not configured. */
export async function networksOf(
  operated: OperatedNetworks,
  { network: only, records }: Pick<Options, 'network' | 'records'>,
): Promise<readonly NetworkToCheck[]> {
  const wanted = only === undefined ? undefined : parseNetwork(only);
  const networks: NetworkToCheck[] = [];
  for (const [network, setup] of operated) {
    if (!isEvm(setup)) continue;
    const { processor, rpcUrls: [first, ...others] = [] } = setup;
    const chainId = chainIdOf(network);
    if (chainId === undefined || first === undefined || (only !== undefined && network !== wanted)) continue;
    const read = await readDeploymentRecord(records, chainId);
    const own = read.ok && read.record.processor.toLowerCase() === processor.toLowerCase();
    const deployedAtBlock = own ? BigInt(read.record.fromBlock) : undefined;
    networks.push({ network, chainId: BigInt(chainId), processor, rpcUrls: [first, ...others], deployedAtBlock });
  }
  return networks;
}

function outcomeOf(report: LedgerReport, paint: Paint): CommandOutcome {
  const text = shown(report, paint);
  if (report.holds) return done(report, text);
  const differing = report.lines.reduce((sum, line) => sum + line.differing, 0);
  return {
    ...failed(
      'ledger_differs',
      `The books do not hold: ${differing} differences.`,
      'docs/operate/ledger.md says what each one means. Correct nothing by hand before you know.',
    ),
    report: { data: report, text },
  };
}

function shown({ lines, uncompared }: LedgerReport, paint: Paint): string {
  const checks = table(
    lines,
    [
      { head: 'CHECK', cell: ({ check }) => check },
      { head: 'NETWORK', cell: ({ network }) => network ?? '' },
      { head: 'LOOKED AT', cell: ({ looked }) => String(looked) },
      { head: 'DIFFER', cell: ({ differing }) => String(differing) },
      { head: 'PROVES THAT', cell: ({ check }) => LEDGER_CHECKS[check] },
    ],
    paint,
  );
  const differences = lines.flatMap(({ check, differences: named, differing }) => [
    ...named.map(({ about, message }) => paint.bad(harmless(`${check}: ${about.join(' ')}: ${message}`))),
    ...(differing > named.length ? [`${check}: and ${differing - named.length} more`] : []),
  ]);
  const notes = [
    ...lines.flatMap(({ check, network, notes: told }) =>
      told.map((note) => `${network ?? ''} ${check}: ${note}`.trim()),
    ),
    ...uncompared.map((network) => `${network}: not compared with its chain, SVC_NETWORKS has no rpcUrls for it`),
  ].map((note) => paint.dim(harmless(note)));
  return [checks, differences.join('\n'), notes.join('\n')].filter((part) => part !== '').join('\n\n');
}
