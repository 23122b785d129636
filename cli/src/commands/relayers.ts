import { normalizeAddress, RELAYER_STATUS, type RelayerStatus } from '@svc-pay/core';
import { changeRelayer } from '@svc-pay/postgres/operator';
import { type LaneReport, reportHealth, reportLanes } from '@svc-pay/postgres/settlement-service';
import { isSolanaAddress } from '@svc-pay/solana';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';

type One = { readonly network: string };

export function relayersCommand(surroundings: Surroundings): Command {
  const list = leaf(
    'list',
    'Show every relayer key with its lane: balance, pending transactions, and what stops it. Also show which ' +
      'networks the API offers.',
    ['relayers list'],
  ).action(runs<object>(surroundings, listAll));
  const change = (name: string, status: RelayerStatus, description: string) =>
    leaf(name, description, [`relayers ${name} 0x… --network eip155:84532`])
      .argument('<address>', 'as in `relayers list`')
      .requiredOption('--network <name>', 'such as eip155:84532')
      .action(runs<One>(surroundings, (input) => changeOne(input, status)));
  return new Command('relayers')
    .description('Look after the keys that send transactions.')
    .addCommand(list)
    .addCommand(
      change(
        'drain',
        RELAYER_STATUS.draining,
        'Give no new payments to this key. Its pending transactions finish; other relayers take its share of the ' +
          'queue.',
      ),
    )
    .addCommand(
      change(
        'retire',
        RELAYER_STATUS.retired,
        'Retire a drained key. The command refuses while a transaction of the key is not final.',
      ),
    )
    .addCommand(change('activate', RELAYER_STATUS.active, 'Let this key settle payments again.'));
}

async function listAll({ context }: Input<object>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation: { pool } }) => {
    const [relayers, networks] = [await reportLanes(pool), await reportHealth(pool)];
    if (relayers.length === 0)
      return done({ relayers, networks }, 'There are no relayers: settlement makes them when it starts with keys.');
    const lanes = table<LaneReport>(
      relayers,
      [
        { head: 'NETWORK', cell: ({ network }) => network },
        { head: 'ADDRESS', cell: ({ relayer }) => relayer },
        { head: 'STATUS', cell: ({ status }) => status },
        { head: 'CONDITION', cell: ({ condition }) => condition },
        { head: 'BALANCE', cell: ({ balance }) => balance ?? '' },
        { head: 'NONCE', cell: ({ nextNonce }) => nextNonce },
        { head: 'IN FLIGHT', cell: ({ inFlight }) => String(inFlight) },
        { head: 'STOPPED BY', cell: ({ obstacle, capped }) => obstacle ?? (capped ? 'hourly cap' : '') },
      ],
      context.paint,
    );
    const health = networks.map(({ network, offered, reason, since }) =>
      offered ? `${network} is offered.` : `${network} is withdrawn since ${since}: ${reason}.`,
    );
    return done({ relayers, networks }, [lanes, '', ...health].join('\n'));
  });
}

async function changeOne(
  { options: { network }, positionals: [given = ''], context }: Input<One>,
  status: RelayerStatus,
): Promise<CommandOutcome> {
  const address = normalizeAddress(given);
  if (!/^0x[0-9a-f]{40}$/.test(address) && !isSolanaAddress(address))
    return misused(`${harmless(given)} is no address`);
  return withOperation(context, [], async ({ operation }) => {
    const result = await changeRelayer(operation, { network, address, status });
    if (result.ok) {
      const words = result.changed ? `${address} is ${status} on ${network}.` : `It was ${status} already.`;
      return done({ network, address, status, before: result.before, changed: result.changed }, words);
    }
    if (result.code === 'relayer_has_unfinished')
      return failed(
        result.code,
        `${result.unfinished} transactions, queued payments or transactions for payers to sign still need this key.`,
        'Keep settlement running with this key, and try again when they are final or expired.',
      );
    if (result.code === 'relayer_not_draining')
      return failed(result.code, 'It still takes payments.', `Run \`${COMMAND} relayers drain\` first.`);
    return failed(
      result.code,
      `No relayer ${address} is known on ${harmless(network)}.`,
      `\`${COMMAND} relayers list\` shows them.`,
    );
  });
}
