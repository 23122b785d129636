// Activates a direct payout: prints what the wallet and its approver sign, then takes both signatures.
import { readFileSync } from 'node:fs';
import {
  type ActivationFacts,
  type ActivationTerms,
  type NextActivation,
  nextTerms,
  type PayoutActivation,
  readActivation,
  systemClock,
} from '@svc-pay/core';
import { activationToSign, addressOfKey, createActivationCheck, createJsonRpc, signActivation } from '@svc-pay/evm';
import { activatePayout, loadActivationFacts, type Operation } from '@svc-pay/postgres/operator';
import { payoutRules } from '@svc-pay/runtime/config';
import { type Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, COMMAND, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import type { OperatorConfig } from '../config.ts';
import { type CommandOutcome, done, type Failure, failed, misused } from '../output/outcome.ts';
import { type ActivateOptions, readActivationOptions } from './read-activation.ts';
import { unknownAccount } from './refusals.ts';
import { shownPayouts } from './shown-payouts.ts';

type SignedOptions = ActivateOptions & {
  readonly number?: string;
  readonly signedAt?: string;
  readonly walletSignature?: string;
  readonly approver?: string;
  readonly approverSignature?: string;
  readonly walletKeyFile?: string;
  readonly approverKeyFile?: string;
};

const EXAMPLE =
  'payouts activate --account acct_… --mode test --network eip155:84532 --asset basesepolia_usdc --wallet 0x… ' +
  '--use exclusive';
const RPC_TIMEOUT_MS = 10_000;

export function payoutsActivateCommand(surroundings: Surroundings): Command {
  return leaf(
    'activate',
    'Activate a direct payout: payers pay this wallet themselves, without fee and splits. Without signatures it ' +
      'prints the EIP-712 message that the wallet and its approver sign; with them it activates. The approver is a ' +
      'key of SVC_PAYOUT_APPROVERS or the wallet that is replaced. A change of the wallet takes effect after ' +
      'SVC_PAYOUT_DELAY_HOURS.',
    [
      EXAMPLE,
      `${EXAMPLE} --number 7 --signed-at 1794744000 --wallet-signature 0x… --approver 0x… --approver-signature 0x…`,
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--network <name>', 'such as eip155:84532')
    .requiredOption('--asset <shortcode>', 'what is paid, such as basesepolia_usdc')
    .requiredOption('--wallet <address>', 'who receives the payments: a key’s address or a contract wallet')
    .addOption(
      new Option(
        '--use <use>',
        'exclusive if nobody but this installation has payments signed to the wallet, else shared: then a ' +
          'transaction of a stranger counts only for a bound nonce',
      )
        .choices(['exclusive', 'shared'])
        .makeOptionMandatory(),
    )
    .option('--number <number>', 'number that was signed (default: the next one)')
    .option('--signed-at <seconds>', 'time that was signed, in Unix seconds (default: now)')
    .option('--wallet-signature <hex>', 'the wallet’s signature of the message')
    .option('--approver <address>', 'who approves')
    .option('--approver-signature <hex>', 'the approver’s signature of the message')
    .option('--wallet-key-file <file>', 'test mode: file with the wallet’s private key, which signs at once')
    .option('--approver-key-file <file>', 'test mode: file with the approver’s private key, which signs at once')
    .action(runs<SignedOptions>(surroundings, activate));
}

async function activate({ options, context }: Input<SignedOptions>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation, config }) => {
    const read = readActivationOptions(options, config.networks);
    if (!read.ok) return misused(read.message);
    const { delayMs } = payoutRules(config);
    const facts = await loadActivationFacts(operation.pool, read.wanted, { nowMs: operation.nowMs, delayMs });
    const terms = termsOf(options, read.wanted, facts);
    if (terms === undefined) return misused('--number and --signed-at are whole numbers');
    const signed = await signedActivation(options, terms, facts);
    if (signed.step === 'misused') return misused(signed.message);
    if (signed.step === 'sign') return toSign(terms);
    const problem = await findProblem(signed.activation, facts, config);
    return problem ?? store(operation, signed.activation, delayMs, context.paint);
  });
}

const digits = (text: string): bigint | undefined => (/^\d{1,18}$/.test(text) ? BigInt(text) : undefined);

function termsOf(options: SignedOptions, wanted: NextActivation, facts: ActivationFacts): ActivationTerms | undefined {
  const next = nextTerms(wanted, facts);
  const number = options.number === undefined ? next.number : digits(options.number);
  const signedAtSeconds = options.signedAt === undefined ? next.signedAtSeconds : digits(options.signedAt);
  return number === undefined || signedAtSeconds === undefined ? undefined : { ...next, number, signedAtSeconds };
}

type Signed =
  | { readonly step: 'signed'; readonly activation: PayoutActivation }
  | { readonly step: 'sign' }
  | { readonly step: 'misused'; readonly message: string };

async function signedActivation(
  options: SignedOptions,
  terms: ActivationTerms,
  { newest }: ActivationFacts,
): Promise<Signed> {
  const { walletKeyFile, approverKeyFile } = options;
  if (options.mode === 'live' && (walletKeyFile !== undefined || approverKeyFile !== undefined))
    return { step: 'misused', message: 'key files are for test mode: sign the message with the wallet itself' };
  const twice = givenTwice(options);
  if (twice !== undefined) return { step: 'misused', message: twice };
  const keys = [walletKeyFile, approverKeyFile].map((file) => (file === undefined ? undefined : readKey(file)));
  if (keys.includes(null)) return { step: 'misused', message: 'a key file has 32 bytes in 0x-hex and nothing else' };
  const [walletKey, approverKey] = keys;
  const walletSignature = walletKey ? await signActivation(terms, walletKey) : options.walletSignature;
  const approverSignature = approverKey ? await signActivation(terms, approverKey) : options.approverSignature;
  const approver = approverKey ? addressOfKey(approverKey) : options.approver?.toLowerCase();
  const given = [walletSignature, approverSignature, approver].filter((part) => part !== undefined).length;
  if (given === 0) return { step: 'sign' };
  // Read as from the database: what the services could not read is not stored.
  const activation = readActivation({
    ...terms,
    number: terms.number.toString(),
    signedAtSeconds: terms.signedAtSeconds.toString(),
    walletSignature: walletSignature?.toLowerCase(),
    approver,
    approverSignature: approverSignature?.toLowerCase(),
  });
  if (activation === undefined)
    return { step: 'misused', message: 'both signatures (0x-hex) and the approver’s address are needed' };
  const { activation: replaced } = newest ?? {};
  const carries = replaced !== undefined && activation.approver === replaced.wallet;
  return { step: 'signed', activation: carries ? { ...activation, replaced } : activation };
}

/** A key file signs anew: which of the two is meant can't be known. */
function givenTwice(options: SignedOptions): string | undefined {
  const { walletKeyFile, walletSignature, approverKeyFile, approverSignature, approver } = options;
  if (walletKeyFile !== undefined && walletSignature !== undefined)
    return (
      'give --wallet-key-file or --wallet-signature, not both: leave the key file out if the message was ' +
      'signed elsewhere'
    );
  if (approverKeyFile !== undefined && (approverSignature !== undefined || approver !== undefined))
    return (
      'give --approver-key-file, or --approver and --approver-signature, not both: leave the key file out ' +
      'if the message was signed elsewhere'
    );
  return undefined;
}

/** Null when the file has no key. */
function readKey(file: string): `0x${string}` | null {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^0x[0-9a-fA-F]{64}$/.test(text) ? (text as `0x${string}`) : null;
  } catch {
    return null;
  }
}

function toSign(terms: ActivationTerms): CommandOutcome {
  const message = activationToSign(terms);
  const { number, signedAtSeconds } = terms;
  const more = `--number ${number} --signed-at ${signedAtSeconds} --wallet-signature 0x… --approver 0x… --approver-signature 0x…`;
  return done(
    { toSign: message, number: number.toString(), signedAt: signedAtSeconds.toString() },
    `${JSON.stringify(message, null, 2)}

The wallet and its approver sign this message (eth_signTypedData_v4). Then run the same command with
${more}`,
  );
}

const NEEDS_OPERATOR = 'Too many changes in a row had no operator’s approval: sign again with an operator’s key.';

const CHECKS = {
  activation_unreadable: 'The signatures are not of a form that can be stored.',
  activation_needs_operator: NEEDS_OPERATOR,
  activation_unapproved: 'The approver is neither in SVC_PAYOUT_APPROVERS nor the wallet that is replaced.',
  activation_signature_invalid: 'A signature is not of the wallet or the approver, or not of these terms.',
  activation_differs: 'The terms are not those of this installation.',
  chain_unavailable: 'No node of SVC_NETWORKS answers whether the contract wallet signed.',
} as const;

/** Both signatures, as API and settlement check them. */
async function findProblem(
  activation: PayoutActivation,
  { installation }: ActivationFacts,
  config: OperatorConfig,
): Promise<Failure | undefined> {
  const check = createActivationCheck({
    ...payoutRules(config),
    installation: async () => installation,
    clock: systemClock,
  });
  const urls = config.networks.get(activation.network)?.rpcUrls ?? [];
  const nodes = urls.map((url) => createJsonRpc({ urls: [url], timeoutMs: RPC_TIMEOUT_MS }));
  const verdict = await check(activation, activation, async () => nodes);
  if (verdict.ok || verdict.code === 'activation_not_in_effect') return undefined;
  return failed(verdict.code, CHECKS[verdict.code], 'Nothing was changed.');
}

const REFUSALS = {
  activation_of_other_installation: 'The message was signed for another installation.',
  activation_number: 'The number is taken, or far above the next one: sign again with the number that is printed.',
  activation_time: 'It was signed more than 30 days ago, or for a time to come: sign again.',
  activation_replaces_other: 'The account has another wallet for this token now: sign again.',
  activation_change_pending:
    'The last change has not taken effect. Wait for it, or end it with `payouts disable` and sign again.',
  activation_needs_operator: NEEDS_OPERATOR,
  wallet_in_use:
    'The wallet is exclusive to another account, or has another use in this one; a disabled payout does not count.',
} as const;

async function store(
  operation: Operation,
  activation: PayoutActivation,
  delayMs: number,
  paint: Input<unknown>['context']['paint'],
): Promise<CommandOutcome> {
  const result = await activatePayout(operation, activation, { delayMs });
  if (!result.ok)
    return result.code === 'account_unknown'
      ? unknownAccount(activation.accountId)
      : failed(result.code, REFUSALS[result.code], `\`${COMMAND} payouts list\` shows what there is.`);
  const { payout, change } = result;
  const words =
    change === 'none' ? 'It was so already.' : `Activated; new intents use it from ${payout.direct?.activeFrom}.`;
  return done({ payout, change }, `${words}\n\n${shownPayouts([payout], paint)}`);
}
