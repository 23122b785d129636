// Metrics of the chain reader. Cursors and open logs are read from the database; the rest is counted where it happens.
import { type AppliedLog, type LaneComparisonDeps, type ReaderDeps, SOURCE_KINDS, TOKENS } from '@svc-pay/core';
import type { ReaderMeasures } from '@svc-pay/postgres/settlement-service';
import { familyOf, type NetworkId } from '@svc-pay/protocol';
import { Counter, Gauge, type Registry } from 'prom-client';

export type ReaderMetrics = ReaderDeps['metrics'] &
  LaneComparisonDeps['metrics'] & {
    /** Counts calls to RPC nodes. */
    readonly called: (network: string, calls: number) => void;
    readonly show: (seen: ReaderMeasures | undefined) => void;
  };

const OUTCOMES: readonly AppliedLog['outcome'][] = [
  'completed',
  'mismatched',
  'failed',
  'recorded',
  'differs',
  'unattributed',
  'held',
  'ignored',
];

export function createReaderMetrics(registry: Registry, networks: readonly string[]): ReaderMetrics {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const bySource = ['network', 'kind'] as const;
  const cursor = gauge('reader_cursor_block', 'Block up to which every source of the kind is read', bySource);
  const lag = gauge('reader_lag_seconds', 'Age of that block', bySource);
  const behind = gauge('reader_lag_blocks', 'Blocks that could be read and are not', bySource);
  const unapplied = gauge('reader_unapplied_logs', 'Logs that are read and not applied', ['network']);
  const oldest = gauge('reader_unapplied_oldest_seconds', 'Time since the oldest of them was read', ['network']);
  const late = gauge('reader_unrecorded_logs', 'Final logs of them that have waited for ten minutes', ['network']);
  const references = gauge('reader_references', 'Reference keys of intents that are read on Solana', ['network']);
  const referenceLate = gauge(
    'reader_reference_late_seconds',
    'Time since the reference that waits longest should have been read',
    ['network'],
  );
  const undecided = gauge('reader_references_undecided', 'References with a transaction that can’t be decided', [
    'network',
  ]);
  const ledgerLate = gauge('reader_token_ledger_late_seconds', 'Time since every token ledger was read to its end', [
    'network',
  ]);
  const ledgersUnread = gauge('reader_token_ledgers_unread', 'Configured token ledgers that were never read', [
    'network',
  ]);
  const ledgersStopped = gauge(
    'reader_token_ledgers_stopped',
    'Token ledgers whose blocks do not continue what was read',
    ['network'],
  );
  const transfers = gauge('reader_token_transfers', 'Transfers of token ledgers that are read and not applied', [
    'network',
  ]);
  const transfersOldest = gauge('reader_token_transfers_oldest_seconds', 'Time since the oldest of them was found', [
    'network',
  ]);
  const ofLedgers = [ledgerLate, ledgersUnread, ledgersStopped, transfers, transfersOldest];
  const ledgersByNetwork = configuredLedgers(networks);
  const blocks = counter('reader_blocks_total', 'Blocks that cursors passed', bySource);
  const logs = counter('reader_logs_total', 'Logs in these blocks', bySource);
  const own = counter('reader_own_logs_total', 'Logs that were kept because they concern this installation', bySource);
  const calls = counter('reader_calls_total', 'Calls to RPC nodes', ['network']);
  const rewinds = counter('reader_rewinds_total', 'Reorganisations after which cursors went back', ['network']);
  const applied = counter('reader_applied_total', 'Logs that were applied, by what they meant', ['network', 'outcome']);
  const differences = counter('reader_differences_total', 'Batches and logs that differ from each other', ['network']);
  for (const network of networks) {
    for (const each of [calls, rewinds, differences]) each.inc({ network }, 0);
    for (const kind of SOURCE_KINDS) for (const each of [blocks, logs, own]) each.inc({ network, kind }, 0);
    for (const outcome of OUTCOMES) applied.inc({ network, outcome }, 0);
  }
  return {
    called: (network, count) => calls.inc({ network }, count),
    blocksPassed: (network, kind, passed, read, kept) => {
      blocks.inc({ network, kind }, passed);
      logs.inc({ network, kind }, read);
      own.inc({ network, kind }, kept);
    },
    blocksBehind: (network, kind, count) => behind.set({ network, kind }, count),
    rewound: (network) => rewinds.inc({ network }),
    // A log that waits is applied again in every run.
    logApplied: (network, outcome) => {
      if (outcome !== 'waits') applied.inc({ network, outcome });
      if (outcome === 'differs') differences.inc({ network });
    },
    batchDiffers: (network) => differences.inc({ network }),
    show: (seen) => {
      for (const each of [cursor, lag, unapplied, oldest, late, references, referenceLate, undecided, ...ofLedgers])
        each.reset();
      for (const { network, kind, block, lagSeconds } of seen?.cursors ?? []) {
        cursor.set({ network, kind }, block);
        lag.set({ network, kind }, lagSeconds);
      }
      for (const { network, count, oldestSeconds, late: lateCount } of seen?.unapplied ?? []) {
        unapplied.set({ network }, count);
        oldest.set({ network }, oldestSeconds);
        late.set({ network }, lateCount);
      }
      for (const { network, count, lateSeconds, undecided: waiting } of seen?.references ?? []) {
        references.set({ network }, count);
        referenceLate.set({ network }, lateSeconds);
        undecided.set({ network }, waiting);
      }
      for (const { network, ...told } of seen?.tokenLedgers ?? []) {
        ledgerLate.set({ network }, told.lateSeconds);
        ledgersStopped.set({ network }, told.stopped);
        transfers.set({ network }, told.transfers);
        transfersOldest.set({ network }, told.oldestSeconds);
      }
      if (seen === undefined) return;
      for (const [network, configured] of ledgersByNetwork) {
        const read = seen.tokenLedgers.find((told) => told.network === network)?.ledgers ?? [];
        ledgersUnread.set({ network }, configured.filter((ledger) => !read.includes(ledger)).length);
      }
    },
  };
}

/** Canister ids by network of the Internet Computer. */
function configuredLedgers(networks: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const ofIcp = networks.filter((network) => familyOf(network as NetworkId) === 'icp');
  return new Map(
    ofIcp.map((network) => [
      network,
      TOKENS.filter((token) => token.network === network).map(({ address }) => address),
    ]),
  );
}
