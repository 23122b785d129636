import { type ChainRestoreResult, ChainUnavailable, LaneTakenOver, type NetworkRestore } from '@svc-pay/core';
import { NodeRefused, RpcUnavailable } from '@svc-pay/evm';
import { createPendingMigrations } from '@svc-pay/postgres';
import { lockRestore, RestoreLockLost } from '@svc-pay/postgres/restore';
import { familyOf, parseNetwork } from '@svc-pay/protocol';
import { bytesFromBase58 } from '@svc-pay/protocol/solana';
import { isSolana, type OperatedNetworks } from '@svc-pay/runtime/config/networks';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, type Failure, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { acceptOpenOf } from '../restore/accept-open.ts';
import { runRestore, type TransferNetworkToRead } from '../restore/run-restore.ts';
import { RECORDS } from './contracts.ts';
import { networksOf } from './ledger.ts';

type Options = {
  readonly fromChain?: boolean;
  readonly network?: string;
  readonly fromBlock?: string;
  readonly relayer?: readonly string[];
  readonly acceptOpen?: string;
  readonly reason?: string;
  readonly records: string;
};

const STATEMENT_TIMEOUT_MS = 600_000;
const RPC_TIMEOUT_MS = 30_000;
const PATIENCE_MS = 120_000;
/** A transaction lives for 150 blocks of about 0.4 s, and is final some 13 s later. */
const EXPIRY_PATIENCE_MS = 300_000;

export function recoverCommand(surroundings: Surroundings): Command {
  return leaf(
    'recover',
    'Bring a restored database up to date from the chains: restore payments that settled after the backup, and continue with unused nonces and intent codes. Stop all services first. The command can be run again safely.',
    [
      'recover --from-chain',
      'recover --from-chain --network eip155:8453 --from-block 31000000',
      'recover --accept-open eip155:8453 --reason "looked at the transaction"',
    ],
  )
    .alias('restore')
    .option('--from-chain', 'restore from every network of SVC_NETWORKS that has rpcUrls')
    .option('--network <caip2>', 'restore from this network only')
    .option(
      '--from-block <number>',
      'first block or slot to read, with --network (default: where an earlier run left something open, or else the last one that the database knows completely)',
    )
    .option('--relayer <address...>', 'Solana relayers that began after the backup, with --network and --from-block')
    .option(
      '--accept-open <caip2>',
      'read nothing, and forget what an earlier run on this network left open: the next one begins at the last block that the database knows; with --reason',
    )
    .option('--reason <text>', 'for the audit record, with --accept-open')
    .option('--records <folder>', 'where deployment records are kept', RECORDS)
    .action(runs<Options>(surroundings, recover));
}

async function recover({ options, context }: Input<Options>): Promise<CommandOutcome> {
  const { fromBlock, acceptOpen, reason } = options;
  if (acceptOpen !== undefined && (options.fromChain ?? options.network ?? fromBlock ?? options.relayer) !== undefined)
    return misused('--accept-open: reads nothing, so it goes alone with --reason');
  if (acceptOpen !== undefined) return acceptOpenOf(context, acceptOpen, reason);
  if (reason !== undefined) return misused('--reason: only with --accept-open');
  if (options.fromChain !== true) return misused('--from-chain: say what to recover from');
  if (fromBlock !== undefined && !/^\d{1,18}$/.test(fromBlock)) return misused('--from-block: a block’s number');
  const lostRelayers = options.relayer ?? [];
  if (options.network === undefined && (fromBlock !== undefined || lostRelayers.length > 0))
    return misused('--network: say of which network the block or the relayer is');
  if (lostRelayers.length > 0 && !isSolanaName(options.network))
    return misused('--relayer: only for a Solana network; the relayers of an EVM network are found on chain');
  const misspelt = lostRelayers.find((relayer) => !isSolanaAddress(relayer));
  if (misspelt !== undefined) return misused(`--relayer: ${harmless(misspelt)} is no Solana address`);
  return withOperation(
    context,
    [],
    async ({ operation, config }) => {
      const networks = await networksOf(config.networks, options);
      const transferNetworks = solanaNetworksOf(config.networks, options.network);
      if (networks.length + transferNetworks.length === 0)
        return misused('SVC_NETWORKS has no such network with rpcUrls');
      const missing = await (await createPendingMigrations(operation))();
      if (missing.length > 0)
        return failed(
          'migrations_missing',
          `The database is of an older release, and lacks ${missing.join(', ')}.`,
          `Run \`${COMMAND} migrate\`, then run it again. Nothing was changed.`,
        );
      try {
        const command = {
          operation,
          clock: context.clock,
          networks,
          transferNetworks,
          lostRelayers,
          fromBlock: fromBlock === undefined ? undefined : BigInt(fromBlock),
          rpcTimeoutMs: RPC_TIMEOUT_MS,
          patienceMs: PATIENCE_MS,
          expiryPatienceMs: EXPIRY_PATIENCE_MS,
          print: context.print,
        };
        const held = await lockRestore(operation.pool, (requireLock) => runRestore(command, requireLock));
        if (held.ok) return outcomeOf(held.result, context.paint);
        if (held.code === 'recovery_running')
          return failed(
            held.code,
            `Somebody else is recovering this database: ${held.who.join('; ')}.`,
            'Wait for it. If its machine is gone, the lock goes within a minute; `select pg_terminate_backend(<server process>)` ends it at once.',
          );
        return failed(
          held.code,
          `These still run: ${held.who.join(', ') || 'services that were stopped just now'}.`,
          'Stop them and run it again.',
        );
      } catch (problem) {
        return brokenOff(problem);
      }
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}

function isSolanaName(name: string | undefined): boolean {
  const network = name === undefined ? undefined : parseNetwork(name);
  return network !== undefined && familyOf(network) === 'solana';
}

const isSolanaAddress = (text: string) => text.length <= 44 && bytesFromBase58(text)?.length === 32;

function solanaNetworksOf(operated: OperatedNetworks, only: string | undefined): readonly TransferNetworkToRead[] {
  const wanted = only === undefined ? undefined : parseNetwork(only);
  return [...operated].flatMap(([network, setup]) => {
    const [first, ...others] = setup.rpcUrls ?? [];
    if (!isSolana(setup) || first === undefined || (only !== undefined && network !== wanted)) return [];
    return [{ network, rpcUrls: [first, ...others], genesisHash: setup.genesisHash }];
  });
}

function brokenOff(problem: unknown): Failure {
  const again = 'What was written is whole. Run it again.';
  if (problem instanceof LaneTakenOver)
    return failed('lane_taken_over', `A service took over ${problem.message} meanwhile.`, `Stop it. ${again}`);
  if (problem instanceof RestoreLockLost)
    return failed('restore_lock_lost', `${problem.message}.`, `Stop all services. ${again}`);
  if (problem instanceof RpcUnavailable || problem instanceof NodeRefused || problem instanceof ChainUnavailable)
    return failed('chain_unreadable', `The chain can't be read: ${problem.message}.`, again);
  throw problem;
}

type Paint = Parameters<typeof table>[2];

function outcomeOf(recovery: ChainRestoreResult, paint: Paint): CommandOutcome {
  if (!recovery.ok) return refusalOf(recovery);
  const text = [
    `Intent codes begin anew in epoch ${recovery.epoch}.`,
    ...recovery.networks.map((network) => shown(network, paint)),
    `Now run \`${COMMAND} ledger check\`, then start the services.`,
  ].join('\n\n');
  const open = recovery.networks.flatMap(openOf);
  if (open.length === 0) return done(recovery, text);
  return {
    ...failed(
      'recovery_incomplete',
      `${open.length} things on chain could not be brought into the books.`,
      'docs/operate/restore.md says what each one means.',
    ),
    report: { data: recovery, text },
  };
}

/** What is not in the books; else, the blocks before `--from-block` that an earlier run left open. */
function openOf({ network, readAgainFrom, ...report }: NetworkRestore): readonly unknown[] {
  const { refused, notRebuilt, silentNonces, relayersUnknown } = report;
  const things = [...refused, ...notRebuilt, ...silentNonces, ...(relayersUnknown ? [network] : [])];
  return things.length === 0 && readAgainFrom !== null ? [readAgainFrom] : things;
}

function refusalOf(recovery: Extract<ChainRestoreResult, { ok: false }>): Failure {
  if (recovery.code === 'transactions_waiting')
    return failed(
      recovery.code,
      `Transactions of ${recovery.keys.join(', ')} on ${recovery.network} may be in no block yet.`,
      'Run it again when they are. Nothing was changed.',
    );
  if (recovery.code === 'payouts_unknown')
    return failed(
      recovery.code,
      `Payouts of ${recovery.network} that the database does not know were paid to: ${recovery.payouts.map(({ payoutId }) => payoutId).join(', ')}.`,
      `Find out whose they are, enter them with \`${COMMAND} payouts set --payout-id\`, and run it again. Nothing was changed.`,
    );
  if (recovery.code === 'from_block_ahead')
    return failed(
      recovery.code,
      `The newest block of ${recovery.network} is ${recovery.newest}: from the block of --from-block on there is nothing to read.`,
      'Give a block before the backup. Nothing was changed.',
    );
  return failed(
    recovery.code,
    `Nobody knows from which block on ${recovery.network} is to be read.`,
    'Say so with --from-block: a block before the backup. Nothing was changed.',
  );
}

function shown(network: NetworkRestore, paint: Paint): string {
  const { adopted, refused, notRebuilt, silentNonces, lanes, relayers, readAgainFrom } = network;
  const facts = [
    `${network.network}: blocks ${network.fromBlock} to ${network.toBlock}, ${network.transactions} transactions, ${network.restoredTransactions} of them were missing.`,
    `${network.completedPayments} payments completed.`,
    ...(network.unconfirmedTransactions > 0
      ? [`${network.unconfirmedTransactions} transactions wait for more blocks; settlement completes them.`]
      : []),
    ...(relayers.length > 0 ? [`Relayers that were read: ${relayers.join(', ')}.`] : []),
    ...(network.relayersUnknown
      ? [
          `relayers_unknown: the database has no relayer of ${network.network}, and nothing was read. If payments were settled there, run it again with --network ${network.network} --relayer … --from-block ….`,
        ]
      : []),
    ...lanes.map(({ relayer, nonceBefore, nextNonce }) =>
      nonceBefore === null
        ? `${relayer} began after the backup and is draining; next nonce ${nextNonce}.`
        : `${relayer}: next nonce ${nextNonce}, it was ${nonceBefore}.`,
    ),
  ];
  const payments = (title: string, list: NetworkRestore['adopted']) =>
    list.length === 0
      ? []
      : [
          title,
          table(
            list,
            [
              { head: 'INTENT CODE', cell: ({ intentCode }) => intentCode ?? '' },
              { head: 'ACCOUNT', cell: ({ accountId }) => accountId ?? '' },
              { head: 'INTENT', cell: ({ intentId }) => intentId ?? '' },
              { head: 'PAYER', cell: ({ payer }) => payer },
              { head: 'SETTLED', cell: ({ settledAtomic }) => settledAtomic },
              { head: 'TRANSACTION', cell: ({ transactionId }) => transactionId },
              { head: 'WHY', cell: ({ reason }) => reason ?? '' },
            ],
            paint,
          ),
        ];
  return harmlessLines([
    ...facts,
    ...payments(
      `${adopted.length} payments of intents that were lost; stand-ins were made of what the chain says:`,
      adopted,
    ),
    ...payments(`${refused.length} payments that the books contradict:`, refused),
    ...notRebuilt.map(({ transactionId, reason }) => `${transactionId} is not rebuilt: ${reason}.`),
    ...(readAgainFrom === null
      ? []
      : [
          `The next run on ${network.network} begins at block ${readAgainFrom} by itself, because something from there on is not in the books. Run it again once the cause is mended; the services may run until then. If it is to stay so: \`${COMMAND} recover --accept-open ${network.network} --reason …\`.`,
        ]),
    ...silentNonces.map((nonce) => `The transaction of ${nonce} was not found.`),
  ]);
}

const harmlessLines = (parts: readonly string[]) => parts.flatMap((part) => part.split('\n').map(harmless)).join('\n');
