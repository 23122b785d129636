import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isoTime } from '@svc-pay/core';
import { providerOf, type RpcRecorder, startRpcRecorder } from '@svc-pay/evm';
import { stopSignal } from '@svc-pay/runtime/process/stop-signal';
import { createSvcPay } from '@svc-pay/server';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured } from '../command/with-operation.ts';
import { apiUrlOption, isPlainAddress, type MerchantOptions } from '../merchant/with-merchant-api.ts';
import { type CommandOutcome, done, type Failure, failed, misused } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';
import { askNodeAt, NodeUnusable } from '../rehearse/ask-node.ts';
import { type ChainReadings, readChainFacts } from '../rehearse/chain-facts.ts';
import { cleanUp } from '../rehearse/clean-up.ts';
import { type RehearseConfig, readPayerKey, readRehearseConfig } from '../rehearse/config.ts';
import { type Journal, openJournal } from '../rehearse/journal.ts';
import { lockFolder } from '../rehearse/lock-folder.ts';
import { createPayer } from '../rehearse/payer.ts';
import { type Plan, type PlanOptions, readPlan } from '../rehearse/plan.ts';
import type { Rehearsal, RehearsedMerchant } from '../rehearse/rehearsal.ts';
import { notCheckedOf, type RehearsalReport, reportPage } from '../rehearse/report.ts';
import { type RunResult, runRehearsal } from '../rehearse/run-rehearsal.ts';
import type { TestNetwork } from '../rehearse/test-network.ts';
import { printUnits } from '../rehearse/units.ts';

type RehearseOptions = MerchantOptions &
  PlanOptions & {
    readonly payerKeyFile?: string;
    readonly out: string;
  };

export function rehearseCommand(surroundings: Surroundings): Command {
  return leaf(
    'rehearse',
    'Pay a running deployment on a test network: an exact, a direct and an up-to payment of cents. Compare ' +
      'payment, events, books, receipts and balances to the smallest unit, wait until the blocks are final, and ' +
      'write a report and the RPC answers into a folder. Live networks and live keys are refused. Needs ' +
      'SVC_SECRET_KEY_FILE, SVC_REHEARSE_DIRECT_KEY_FILE and SVC_RPC_URL. Exit code 1 means that a check is red.',
    [
      'rehearse --network base-sepolia --payer-key-file payer.key --out rehearsal-1',
      'rehearse --network base-sepolia --payer-key-file payer.key --out rehearsal-2 --flows exact,upto',
      'rehearse --network base-sepolia --out recording-1 --record-only --listen 127.0.0.1:8546',
    ],
  )
    .requiredOption('--network <name>', 'test network: base-sepolia, anvil, or eip155:<chain id>')
    .requiredOption(
      '--out <folder>',
      'folder for report, journal and recording; a killed run is cleaned up in its folder',
    )
    .option('--payer-key-file <file>', 'file with the payer’s private key, 32 bytes in 0x-hex; needs tokens, no gas')
    .option('--flows <list>', 'which payments, with commas between', 'exact,direct,upto')
    .option('--asset <shortcode>', 'default: USDC of the network')
    .option('--amount <coins>', 'price of the exact and the direct payment; the cap is five times as much', '0.010007')
    .option(
      '--max-spend <coins>',
      'most that all runs in the folder sign for; a signature that was not used counts until it has expired',
      '0.10',
    )
    .option('--wait <duration>', 'how long blocks may take to be final; with 0m finality is not checked', '45m')
    .option('--patience <duration>', 'how long events, deliveries and books may take', '60s')
    .option('--listen <address>', 'where the recorder listens; port 0 takes a free one', '127.0.0.1:0')
    .option('--record-only', 'pay nothing: record what is asked through the recorder until Ctrl-C')
    .addOption(apiUrlOption())
    .action(runs<RehearseOptions>(surroundings, rehearse));
}

async function rehearse(input: Input<RehearseOptions>): Promise<CommandOutcome> {
  const { options, context } = input;
  if (options.apiUrl !== undefined && !isPlainAddress(options.apiUrl))
    return misused('--api-url takes an http or https address, without user and password.');
  const plan = readPlan(options);
  if (!plan.ok) return misused(plan.problem, plan.advice);
  const read = readRehearseConfig(context.environment, options.apiUrl);
  if (!read.ok) return misconfigured(read.problems);
  const { config } = read;
  if (!plan.recordOnly && plan.flows.includes('direct') && config.directKey === undefined)
    return misconfigured([
      'SVC_REHEARSE_DIRECT_KEY_FILE is missing: a secret key of an account with a direct payout, or leave direct ' +
        'out of --flows',
    ]);
  const opened = openFolder(options.out);
  if (!opened.ok) return opened.failure;
  try {
    return await recordInFolder(input, plan, config, opened);
  } finally {
    opened.unlock();
  }
}

async function recordInFolder(
  input: Input<RehearseOptions>,
  plan: Plan,
  config: RehearseConfig,
  opened: Folder,
): Promise<CommandOutcome> {
  const { context } = input;
  const startedAt = isoTime(context.clock.nowMs());
  const recorder = await startRecorder(config.rpcUrl, plan, opened.recordingFile, startedAt);
  if ('code' in recorder) return recorder;
  try {
    context.print(howToRecord(recorder.url, plan));
    if (plan.recordOnly) return await recordOnly(recorder, plan, opened.recordingFile);
    return await runInFolder(input, { plan, config, ...opened, recorder, startedAt });
  } finally {
    await recorder.close();
  }
}

type Folder = {
  readonly folder: string;
  readonly journal: Journal;
  readonly recordingFile: string;
  readonly unlock: () => void;
};

/** Each run has a recording of its own; the journal is of all runs in the folder, the report of the last one. */
function openFolder(
  folder: string,
): ({ readonly ok: true } & Folder) | { readonly ok: false; readonly failure: Failure } {
  let unlock = () => {};
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(folder);
    if (!lock.ok) return { ok: false, failure: failed('folder_in_use', lock.problem, lock.advice) };
    unlock = lock.unlock;
    const journal = openJournal(path.join(folder, 'journal.jsonl'));
    const names = Array.from({ length: 1_000 }, (_, index) => path.join(folder, `rpc-${index + 1}.jsonl`));
    const recordingFile = names.find((name) => !existsSync(name));
    if (recordingFile === undefined) throw new Error('the folder is full');
    return { ok: true, folder, journal, recordingFile, unlock };
  } catch {
    unlock();
    const failure = failed(
      'folder_unusable',
      `${harmless(folder)} can’t be used, or its journal.jsonl is no journal of a rehearsal.`,
      'Name another folder with --out.',
    );
    return { ok: false, failure };
  }
}

async function startRecorder(
  upstream: string,
  { listen, network }: Plan,
  file: string,
  recordedAt: string,
): Promise<RpcRecorder | Failure> {
  try {
    return await startRpcRecorder({ upstream, network: network.chain.network, file, recordedAt, listen });
  } catch {
    return failed(
      'recorder_failed',
      `Nothing can listen at ${listen.host}:${listen.port}.`,
      'Choose another --listen.',
    );
  }
}

function howToRecord(url: string, { network }: Plan): string {
  return [
    `Recording what is asked through ${url}.`,
    `  To record what the deployment asks too, put ${url} into "rpcUrls" of "${network.chain.network}" in its`,
    '  SVC_NETWORKS and restart it. Put the provider back before the recorder ends.\n',
  ].join('\n');
}

async function recordOnly(recorder: RpcRecorder, { network }: Plan, file: string): Promise<CommandOutcome> {
  const refused = await chainRefusal(readChainFacts(askNodeAt(recorder.url)), network);
  if (refused !== undefined) return refused;
  await stopSignal();
  const { recorded, repeated } = recorder.counts();
  const data = { recording: file, recorded, repeated };
  return done(data, `${recorded} requests recorded in ${file}, ${repeated} repeats left out.`);
}

type Opened = Folder & {
  readonly plan: Plan;
  readonly config: RehearseConfig;
  readonly recorder: RpcRecorder;
  readonly startedAt: string;
};

async function runInFolder({ options, context }: Input<RehearseOptions>, opened: Opened): Promise<CommandOutcome> {
  const { plan, config, journal, recorder } = opened;
  const privateKey = options.payerKeyFile === undefined ? undefined : readPayerKey(options.payerKeyFile);
  if (privateKey === undefined)
    return misused('--payer-key-file: no readable file with a private key of 32 bytes in 0x-hex');
  const stopping = new AbortController();
  void stopSignal().then(() => stopping.abort());
  const { chainId, token, chain: ofCatalogue } = plan.network;
  const ask = askNodeAt(recorder.url, stopping.signal);
  const chain = readChainFacts(ask);
  const payer = createPayer({ privateKey, chainId, token: token.address, ask, nowMs: () => context.clock.nowMs() });
  const run = opened.startedAt.replaceAll(/[-:.]/g, '').slice(0, 15);
  const rehearsal: Rehearsal = {
    run,
    apiUrl: config.apiUrl,
    network: plan.network,
    payer,
    chain,
    journal,
    merchantOf: merchantsOf(config),
    print: context.print,
    stopping: stopping.signal,
  };
  const began = journal.began();
  const about = { api: config.apiUrl, network: ofCatalogue.network, token: token.address };
  if (began !== undefined && (Object.keys(about) as (keyof typeof about)[]).some((of) => began[of] !== about[of]))
    return failed(
      'folder_of_another',
      'The folder has a rehearsal of another API, network or token.',
      'Name another --out.',
    );
  // What a killed run left open is ended first: its intents take no more money.
  const cleanedUp = await cleanUp(rehearsal);
  for (const { flow, paymentIntentId, how } of cleanedUp)
    context.print(`left open before: ${flow} ${paymentIntentId}: ${how}\n`);
  const refused = await refusalOf(rehearsal, plan, context.clock.nowMs());
  if (refused !== undefined) return refused;
  journal.write({ kind: 'began', at: opened.startedAt, ...about });
  const made = await runRehearsal(rehearsal, plan);
  const result = { ...made, cleanedUp: [...cleanedUp, ...made.cleanedUp] };
  return conclude(opened, result, { payer: payer.address, run, endedAtMs: context.clock.nowMs() });
}

function merchantsOf({ apiUrl, secretKey, directKey = secretKey }: RehearseConfig): Rehearsal['merchantOf'] {
  const merchantOf = (key: string): RehearsedMerchant => ({
    api: createSvcPay({ baseUrl: apiUrl, secretKey: key }),
    of: (accountId) => createSvcPay({ baseUrl: apiUrl, secretKey: key, accountId }),
  });
  const [processor, direct] = [merchantOf(secretKey), merchantOf(directKey)];
  return (flow) => (flow === 'direct' ? direct : processor);
}

/** Everything that speaks against paying, before anything is signed. */
async function refusalOf(
  { chain, payer, journal }: Rehearsal,
  plan: Plan,
  nowMs: number,
): Promise<Failure | undefined> {
  const { network, needsAtomic, maxSpendAtomic } = plan;
  const { token } = network;
  const coins = (atomic: bigint) => `${printUnits(atomic, token.unit.decimals)} ${token.symbol}`;
  const spentAtomic = journal.spentAtomic(nowMs);
  if (spentAtomic + needsAtomic > maxSpendAtomic)
    return failed(
      'limit_reached',
      `The rehearsal signs for ${coins(needsAtomic)}, runs in this folder signed for ${coins(spentAtomic)}, and ` +
        `the limit is ${coins(maxSpendAtomic)}.`,
      'Raise --max-spend, lower --amount, or name another --out. Signatures that were not used stop counting ' +
        'when they expire.',
    );
  const refused = await chainRefusal(chain, network);
  if (refused !== undefined) return refused;
  try {
    const [balance = 0n] = await chain.balances(token.address, [payer.address], 'latest');
    if (balance < needsAtomic)
      return failed(
        'payer_too_poor',
        `The payer ${payer.address} has ${coins(balance)} and needs ${coins(needsAtomic)}.`,
        'Get test tokens for this address from a faucet: docs/operate/rehearse.md names them.',
      );
    return undefined;
  } catch (problem) {
    return unreachable(problem);
  }
}

/** The node must be of the test network that was named: a live one is recorded and paid on by no option. */
async function chainRefusal(chain: Pick<ChainReadings, 'chainId'>, network: TestNetwork): Promise<Failure | undefined> {
  try {
    const chainId = await chain.chainId();
    if (chainId === BigInt(network.chainId)) return undefined;
    return failed('wrong_chain', `The node at SVC_RPC_URL is of chain ${chainId}, not of ${network.chain.name}.`);
  } catch (problem) {
    return unreachable(problem);
  }
}

function unreachable(problem: unknown): Failure {
  if (!(problem instanceof NodeUnusable)) throw problem;
  return failed('chain_unreachable', `SVC_RPC_URL: ${problem.message}.`);
}

type Ending = { readonly payer: string; readonly run: string; readonly endedAtMs: number };

function conclude(opened: Opened, result: RunResult, { payer, run, endedAtMs }: Ending): CommandOutcome {
  const endedAt = isoTime(endedAtMs);
  const { plan, config, journal, folder, recorder, startedAt } = opened;
  const { chain, token } = plan.network;
  const ok =
    !result.stopped &&
    result.flows.length === plan.flows.length &&
    [...result.flows, ...result.checks].every((one) => one.ok) &&
    result.cleanedUp.every(({ how }) => how !== 'open');
  const report: RehearsalReport = {
    rehearsal: 1,
    ok,
    run,
    startedAt,
    endedAt,
    api: config.apiUrl,
    network: chain.network,
    networkName: chain.name,
    provider: providerOf(config.rpcUrl),
    token: { shortcode: token.shortcode, address: token.address, decimals: token.unit.decimals },
    gasSymbol: chain.gasSymbol,
    gasDecimals: chain.gasDecimals,
    payer,
    maxSpend: plan.maxSpendAtomic.toString(),
    spent: journal.spentAtomic(endedAtMs).toString(),
    ...result,
    notChecked: notCheckedOf({ endedAt, waitMs: plan.finality.patienceMs, flows: result.flows }),
    recording: { file: path.basename(opened.recordingFile), ...recorder.counts() },
  };
  journal.write({ kind: 'finished', ok });
  writeFileSync(path.join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  writeFileSync(path.join(folder, 'report.md'), reportPage(report), { mode: 0o600 });
  const red = [...result.flows.flatMap(({ checks }) => checks), ...result.checks].filter((check) => !check.ok);
  const text = [
    ...result.flows.map(
      (flow) => `${flow.flow}: ${flow.ok ? 'green' : `RED${flow.problem ? `, ${flow.problem}` : ''}`}`,
    ),
    ...red.map(({ id, seen }) => `  red: ${id}: ${seen}`),
    ...report.notChecked.map((sentence) => `  not checked: ${sentence}`),
    `Report: ${path.join(folder, 'report.md')}`,
  ].join('\n');
  if (ok) return done(report, text);
  const message = result.stopped ? 'The rehearsal was stopped.' : 'The rehearsal is red: the report says what differs.';
  return { ...failed('rehearsal_red', message), report: { data: report, text: harmlessLines(text) } };
}

const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n');
