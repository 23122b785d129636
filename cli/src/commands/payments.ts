// Ends payments that only the merchant can decide on.
import type { Mode } from '@svc-pay/core';
import { type ResolvedHeld, resolveHeld } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

type ResolveOptions = {
  readonly account: string;
  readonly mode: Mode;
  readonly payment: string;
  readonly accept?: boolean;
  readonly refuse?: boolean;
};

const EXAMPLE = 'payments resolve --account acct_… --mode live --payment pay_…';

export function paymentsCommand(surroundings: Surroundings): Command {
  const resolve = leaf(
    'resolve',
    'End a direct payment that is held for the merchant: somebody else’s transaction paid the wallet with its ' +
      'authorization. Ask the merchant what the payer bought with it, then accept the transfer as this payment, or ' +
      'refuse it. Neither can be taken back.',
    [`${EXAMPLE} --accept`, `${EXAMPLE} --refuse`],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--payment <id>', 'payment, such as pay_…, that the log line read_log_held names')
    .option('--accept', 'the transfer is this payment: it is completed')
    .option('--refuse', 'the payer bought something else: the payment fails, and its intent may be paid again')
    .action(runs<ResolveOptions>(surroundings, resolveOne));
  return new Command('payments').description('Decide on payments that are held.').addCommand(resolve);
}

const REFUSALS: Readonly<Record<Extract<ResolvedHeld, { ok: false }>['code'], readonly [string, string]>> = {
  payment_unknown: ['The account has no such payment in this mode.', 'Look at the log line read_log_held.'],
  payment_not_held: ['The payment is not held for the merchant.', 'It has its result, or a lane has it: do nothing.'],
  receipt_unknown: ['The transfer proves something else, or is not known.', 'It can only be refused.'],
  payment_busy: ['Another process writes this payment now.', 'Run the command again.'],
};

async function resolveOne({ options, context }: Input<ResolveOptions>): Promise<CommandOutcome> {
  const { account: accountId, mode, payment: paymentId, accept = false, refuse = false } = options;
  if (accept === refuse) return misused('give --accept or --refuse');
  return withOperation(context, [], async ({ operation }) => {
    const result = await resolveHeld(operation, { accountId, mode, paymentId }, accept ? 'accept' : 'refuse');
    if (!result.ok) return failed(result.code, ...REFUSALS[result.code]);
    const { intentId, status, transfer } = result;
    const of = transfer === undefined ? '' : ` The transfer is ${transfer.transactionId}, to ${transfer.wallet}.`;
    return done(
      { payment: paymentId, intent: intentId, status, transfer: transfer ?? null },
      `Payment ${harmless(paymentId)} is ${status}.${of}`,
    );
  });
}
