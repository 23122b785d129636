// An operator accepts what a restore has left open, with a reason that the audit record keeps.
import { acceptOpenRestore } from '@svc-pay/postgres/restore';
import { parseNetwork } from '@svc-pay/protocol';
import type { Context } from '../command/context.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

const MAX_REASON = 200;

export async function acceptOpenOf(context: Context, name: string, given = ''): Promise<CommandOutcome> {
  const network = parseNetwork(name);
  if (network === undefined) return misused('--accept-open: a network such as eip155:8453');
  const reason = given.trim();
  if (reason === '' || reason.length > MAX_REASON || harmless(reason) !== reason)
    return misused(`--reason: 1 to ${MAX_REASON} printable characters, for the audit record`);
  return withOperation(context, [], async ({ operation }) => {
    const accepted = await acceptOpenRestore(operation, network, reason);
    if (accepted === undefined) return failed('nothing_open', `No restore of ${network} has left anything open.`);
    const { relayers } = accepted;
    const fromBlock = accepted.fromBlock?.toString() ?? null;
    const where = fromBlock === null ? 'no known block' : `block ${fromBlock}`;
    const text = `Accepted on ${network}: what was open from ${where} on. The next restore begins at the last block that the database knows.`;
    return done({ network, fromBlock, relayers, reason }, text);
  });
}
