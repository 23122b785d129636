import { type CallFailure, createSvcPay, type Refund, type SvcPay } from '@svc-pay/server';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { openWallet, type WalletFiles } from '../merchant/refund-signer.ts';
import { apiUrlOption, type MerchantOptions, withMerchantApi } from '../merchant/with-merchant-api.ts';
import { type CommandOutcome, done, type Failure, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';

type Options = MerchantOptions &
  WalletFiles & {
    readonly amount?: string;
    readonly refundTo?: string;
    readonly reason?: string;
    readonly payer?: string;
    readonly idempotencyKey?: string;
    readonly transaction?: string;
    readonly logIndex?: string;
    readonly list?: boolean;
    readonly wait?: boolean;
  };

export function refundCommand(surroundings: Surroundings): Command {
  return leaf(
    'refund',
    'Refund a payment from a wallet of yours. The wallet signs here, after the command has checked what it is asked to ' +
      'sign; the service pays for the transaction. With --transaction it reports a transfer that you made, with --list it ' +
      'shows the refunds of the payment. Needs SVC_SECRET_KEY.',
    [
      'refund pay_… --key-file wallet.key --idempotency-key return-1234',
      'refund pay_… --amount 500000 --keystore wallet.json --password-file password --wait',
      'refund pay_… --transaction 0x…',
      'refund pay_… --list',
    ],
  )
    .argument('<payment>', 'id of the payment, pay_…')
    .option('--amount <units>', 'in the token’s smallest unit (default: all that is left)')
    .option(
      '--key-file <file>',
      'file with the wallet’s key: 32 bytes in 0x-hex, or a Solana key as solana-keygen writes it',
    )
    .option('--keystore <file>', 'encrypted key of an Ethereum wallet, as geth and cast write it')
    .option('--password-file <file>', 'file with the password of the keystore')
    .option('--payer <address>', 'who paid, by your own records: nothing is signed for another address')
    .option('--refund-to <address>', 'only where the payer can’t receive: the address that the payer named')
    .option('--reason <text>', 'your own words, at most 200 characters')
    .option('--idempotency-key <key>', 'name of this refund: it is made once, whatever happens')
    .option('--transaction <id>', 'a transfer that you made; nothing is signed')
    .option('--log-index <number>', 'which log of the transaction, where several fit')
    .option('--list', 'show the refunds of the payment')
    .option('--wait', 'wait for the end, until a final block shows the transfer')
    .addOption(apiUrlOption())
    .action(runs<Options>(surroundings, refund));
}

async function refund(input: Input<Options>): Promise<CommandOutcome> {
  const {
    options,
    positionals: [paymentId = ''],
    context: { paint },
  } = input;
  const problem = misuseOf(options);
  if (problem !== undefined) return misused(problem);
  return withMerchantApi(input, async ({ apiUrl, secretKey }) => {
    const opened = openService(apiUrl, secretKey);
    if (typeof opened === 'string') return misused(opened);
    if (options.list === true) return list(opened, paymentId, paint);
    const made =
      options.transaction === undefined
        ? await signed(opened, paymentId, options)
        : await reported(opened, paymentId, options);
    if (!made.ok) return made;
    const ended = options.wait === true ? await opened.refunds.wait(made.refund.id) : made;
    return ended.ok ? done({ refund: ended.refund }, sentenceOf(ended.refund)) : failureOf(ended);
  });
}

function misuseOf({ list, transaction, keyFile, keystore, amount, logIndex }: Options): string | undefined {
  const ways = [list === true, transaction !== undefined, keyFile !== undefined || keystore !== undefined];
  if (ways.filter(Boolean).length !== 1) return 'give one of --key-file, --keystore, --transaction and --list';
  if (amount !== undefined && !/^[1-9]\d{0,77}$/.test(amount)) return '--amount takes a whole number of smallest units';
  if (logIndex !== undefined && (transaction === undefined || !/^\d{1,9}$/.test(logIndex)))
    return '--log-index takes a number, beside --transaction';
  return undefined;
}

/** The sentence of a key that can't be sent there. */
function openService(baseUrl: string, secretKey: string): SvcPay | string {
  try {
    return createSvcPay({ baseUrl, secretKey });
  } catch (problem) {
    if (problem instanceof TypeError) return problem.message;
    throw problem;
  }
}

type Made = { readonly ok: true; readonly refund: Refund } | Failure;

async function signed({ refunds }: SvcPay, paymentId: string, options: Options): Promise<Made> {
  const wallet = await openWallet(options);
  if (!wallet.ok) return wallet.failure;
  const { amount, refundTo, reason, payer, idempotencyKey } = options;
  const made = await refunds.refundWith(
    wallet.signer,
    {
      paymentId,
      ...(amount !== undefined && { amount }),
      ...(refundTo !== undefined && { refundTo }),
      ...(reason !== undefined && { reason }),
      ...(payer !== undefined && { expect: { payer } }),
    },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
  return made.ok ? made : failureOf(made);
}

async function reported({ refunds }: SvcPay, paymentId: string, options: Options): Promise<Made> {
  const { amount, refundTo, reason, transaction = '', logIndex, idempotencyKey } = options;
  const made = await refunds.create(
    {
      paymentId,
      transactionId: transaction,
      ...(logIndex !== undefined && { logIndex: Number.parseInt(logIndex, 10) }),
      ...(amount !== undefined && { amount }),
      ...(refundTo !== undefined && { refundTo }),
      ...(reason !== undefined && { reason }),
    },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
  return made.ok ? { ok: true, refund: made.refund } : failureOf(made);
}

async function list(
  { refunds }: SvcPay,
  paymentId: string,
  paint: Input<Options>['context']['paint'],
): Promise<CommandOutcome> {
  const found = await refunds.list(paymentId);
  if (!found.ok) return failureOf(found);
  if (found.refunds.length === 0) return done({ refunds: [] }, 'No refund of this payment.');
  const text = table(
    found.refunds,
    [
      { head: 'REFUND', cell: ({ id }) => id },
      { head: 'STATUS', cell: ({ status }) => status },
      { head: 'AMOUNT', cell: ({ amount }) => amount ?? 'not known yet' },
      { head: 'TOKEN', cell: ({ tokenShortcode }) => tokenShortcode },
      { head: 'TO', cell: ({ to }) => to ?? '' },
      { head: 'TRANSACTION', cell: ({ transactionId }) => transactionId ?? '' },
      { head: 'WHY', cell: ({ failureCode }) => failureCode ?? '' },
    ],
    paint,
  );
  return done({ refunds: found.refunds }, text);
}

function sentenceOf({ id, status, amount, tokenShortcode, to, transactionId }: Refund): string {
  const what = amount === null ? 'what the chain shows' : `${amount} units of ${tokenShortcode}`;
  const where = transactionId === null ? '' : ` Transaction: ${transactionId}.`;
  return harmless(`${id} is ${status}: ${what} to ${to ?? 'the payer'}.${where}`);
}

const ADVICE: Readonly<Record<string, string>> = {
  refund_terms_differ: 'Do not sign anything for this service before you know why; ask its operator.',
  refund_payment_not_final: 'Try again in a few minutes.',
};

function failureOf({ code, message, param }: CallFailure): Failure {
  const where = code === 'refund_terms_differ' && param !== null ? ` It differs in \`${param}\`.` : '';
  return failed(code, `${message}${where}`, ADVICE[code]);
}
