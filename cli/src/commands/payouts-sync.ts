// Mirrors the processor's payout registry into the rows from which new intents are made.
import { type MirroredPayout, PAYOUT_STATUS } from '@svc-pay/core';
import { readDeploymentRecord, syncPayouts } from '@svc-pay/evm';
import { basisPoints } from '@svc-pay/money';
import { mirrorPayout, type Operation } from '@svc-pay/postgres/operator';
import { evmNetwork } from '@svc-pay/protocol';
import type { Command } from 'commander';
import { openChainAccount } from '../chain/open-account.ts';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { missingRecord, RECORDS } from './contracts.ts';

type SyncOptions = { readonly records: string; readonly fromBlock?: string };
type Mirrored = { readonly payoutId: string; readonly event: string; readonly result: MirroredPayout | 'later' };
type Change = Awaited<ReturnType<typeof syncPayouts>>['changes'][number];

export function payoutsSyncCommand(surroundings: Surroundings): Command {
  return leaf(
    'sync',
    'Read the processor’s registry up to the last final block and update the payouts in the database. The RPC ' +
      'node is SVC_RPC_URL.',
    ['payouts sync'],
  )
    .option('--records <folder>', 'where deployment records are kept', RECORDS)
    .option('--from-block <number>', 'first block to read (default: the processor’s first block)')
    .action(runs<SyncOptions>(surroundings, sync));
}

async function sync({ options, context }: Input<SyncOptions>): Promise<CommandOutcome> {
  return withOperation(context, ['rpcUrl'], async ({ operation, config }) => {
    const opened = await openChainAccount(config.rpcUrl, undefined);
    if (!opened.ok) return opened.failure;
    const { chain } = opened;
    const read = await readDeploymentRecord(options.records, chain.chain.id);
    if (!read.ok) return missingRecord(read.file);
    const { processor, fromBlock } = read.record;
    const { number: toBlock } = await chain.getBlock({ blockTag: 'finalized' });
    const range = { fromBlock: BigInt(options.fromBlock ?? fromBlock), toBlock };
    const { changes, nextBlock } = await syncPayouts(chain, processor, range);
    const network = evmNetwork(chain.chain.id);
    const mirrored: Mirrored[] = [];
    for (const change of changes) mirrored.push(await mirror(operation, network, processor, change));
    const differing = mirrored.filter(({ result }) => result === 'differs');
    const text = mirrored.length === 0 ? 'The registry says nothing new.' : shown(mirrored, context.paint);
    const data = { network, processor, nextBlock: nextBlock.toString(), payouts: mirrored };
    if (differing.length === 0) return done(data, text);
    return {
      ...failed(
        'payout_differs',
        'The registry has other terms than the database.',
        'Look at these payouts before you take payments.',
      ),
      report: { data, text },
    };
  });
}

async function mirror(operation: Operation, network: string, processor: string, change: Change): Promise<Mirrored> {
  const { kind, transactionHash: transactionId } = change;
  if (kind === 'registered') {
    const { payoutId, merchant, feeBps, splits } = change.terms;
    const terms = { merchant, feeBps, splits: splits.map(({ to, bps }) => ({ to, bps: basisPoints(bps) })) };
    const status = PAYOUT_STATUS.active;
    const registered = { network, processor, payoutId, status, transactionId, terms };
    return { payoutId: payoutId.toString(), event: kind, result: await mirrorPayout(operation, registered) };
  }
  const { payoutId, offAtSeconds } = change;
  // Before `offAtSeconds` open authorizations may still settle to the payout, but it is no longer offered.
  const over = BigInt(Math.floor(operation.nowMs / 1_000)) >= offAtSeconds;
  const status = PAYOUT_STATUS.disabled;
  const result = await mirrorPayout(operation, { network, processor, payoutId, status, transactionId });
  return { payoutId: payoutId.toString(), event: over ? 'retired' : `retires at ${offAtSeconds}`, result };
}

function shown(mirrored: readonly Mirrored[], paint: Parameters<typeof table>[2]): string {
  return table(
    mirrored,
    [
      { head: 'ID', cell: (entry) => entry.payoutId },
      { head: 'REGISTRY', cell: (entry) => entry.event },
      { head: 'ROW', cell: (entry) => entry.result },
    ],
    paint,
  );
}
