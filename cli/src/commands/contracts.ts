import { readFileSync } from 'node:fs';
import {
  type DeploymentPlan,
  DIRECT_BATCH_ADDRESS,
  deployDirectBatch,
  deploymentProblems,
  deployProcessor,
  directBatchProblems,
  openSigners,
  pauseProcessor,
  performCeremony,
  type RetiredRelayer,
  readDeploymentRecord,
  readPlan,
  retireRelayerBySigner,
  writeDeploymentRecord,
} from '@svc-pay/evm';
import { Command } from 'commander';
import { type OpenedChainAccount, openChainAccount } from '../chain/open-account.ts';
import type { Context, Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { type CommandOutcome, done, type Failure, failed, misused } from '../output/outcome.ts';

export const RECORDS = 'contracts/deployments';

type KeyOptions = { readonly keyFile?: string };
type RecordOptions = KeyOptions & { readonly records: string };
type RetireOptions = RecordOptions & {
  readonly keystore?: string;
  readonly passwordFile?: string;
  readonly kmsKey?: string;
  readonly wait: string;
};
type PlanOptions = RecordOptions & { readonly plan: string };
type DeployOptions = PlanOptions & { readonly ceremony?: boolean };

export function contractsCommand(surroundings: Surroundings): Command {
  const deploy = chainLeaf(
    'deploy',
    'Deploy the payment processor and its timelock, and write the deployment record.',
    ['contracts deploy --plan plan.json --key-file deployer.key'],
  )
    .requiredOption('--plan <file>', 'plan file: holders of roles and accepted tokens')
    .requiredOption('--key-file <file>', 'file with the private key of the deployer, which pays the gas')
    .option('--ceremony', 'grant the roles at once; the key must belong to the council')
    .action(runs<DeployOptions>(surroundings, deployOne));
  const verify = chainLeaf(
    'verify',
    'Compare the deployed contracts with the plan and with the bytecode of this commit.',
    ['contracts verify --plan plan.json'],
  )
    .requiredOption('--plan <file>', 'plan file of the deployment')
    .action(runs<PlanOptions>(surroundings, verifyOne));
  const pause = chainLeaf('pause', 'Pause the processor: it refuses every payment until the council unpauses it.', [
    'contracts pause --key-file guardian.key',
  ])
    .requiredOption('--key-file <file>', 'file with the guardian’s private key')
    .action(runs<RecordOptions>(surroundings, pauseOne));
  const retire = chainLeaf(
    'retire-relayer',
    'Let a relayer key give up its own role, at once and for good: only the council can give it back. For a ' +
      'stolen key, since both holders have it; it replaces a pending transaction of the key.',
    [
      'contracts retire-relayer --keystore relayer-1.json --password-file password',
      'contracts retire-relayer --kms-key arn:aws:kms:…',
    ],
  )
    .option('--keystore <file>', 'encrypted keystore of the relayer, as in SVC_RELAYER_KEYSTORES')
    .option('--password-file <file>', 'file whose first line is the password of the keystore')
    .option('--kms-key <arn>', 'ARN of the relayer’s key in AWS KMS, as in SVC_RELAYER_KMS_KEYS')
    .option('--key-file <file>', 'file with the relayer’s private key')
    .option('--wait <seconds>', 'how long to wait until it is mined', '180')
    .action(runs<RetireOptions>(surroundings, retireRelayerOne));
  const deployDirect = leaf(
    'deploy-direct',
    'Deploy DirectBatch, which submits direct payments in batches. It has one address on every chain. The RPC ' +
      'node is SVC_RPC_URL.',
    ['contracts deploy-direct --key-file deployer.key'],
  )
    .requiredOption('--key-file <file>', 'file with the private key of any account, which pays the gas')
    .action(runs<KeyOptions>(surroundings, deployDirectOne));
  const verifyDirect = leaf(
    'verify-direct',
    'Check that this commit’s DirectBatch is deployed. The RPC node is SVC_RPC_URL.',
    ['contracts verify-direct'],
  ).action(runs<KeyOptions>(surroundings, verifyDirectOne));
  return new Command('contracts')
    .description('Deploy and guard the payment processor, and deploy DirectBatch.')
    .addCommand(deploy)
    .addCommand(verify)
    .addCommand(pause)
    .addCommand(retire)
    .addCommand(deployDirect)
    .addCommand(verifyDirect);
}

function chainLeaf(name: string, description: string, examples: readonly string[]): Command {
  return leaf(name, `${description} The RPC node is SVC_RPC_URL.`, examples).option(
    '--records <folder>',
    'where deployment records are kept',
    RECORDS,
  );
}

async function deployOne({ options, context }: Input<DeployOptions>): Promise<CommandOutcome> {
  const plan = planFrom(options.plan);
  if ('code' in plan) return plan;
  const opened = await openFrom(context, options.keyFile);
  if (!opened.ok) return opened.failure;
  const deployed = await deployProcessor(opened.chain, plan);
  if (!deployed.ok) return failed(deployed.code, deployed.problems.join('\n'));
  const { record } = deployed;
  const file = await writeDeploymentRecord(options.records, record);
  if (options.ceremony === true) {
    const ceremony = await performCeremony(opened.chain, record, plan);
    if (!ceremony.ok) return failed(ceremony.code, `The ceremony failed: ${ceremony.reason}`);
  }
  const next =
    options.ceremony === true ? 'Its roles are handed out.' : 'Its roles are not handed out yet: see the key ceremony.';
  return done(
    { record, file, ceremony: options.ceremony === true },
    `Processor ${record.processorVersion} at ${record.processor} on ${record.network}.\n${next}\nWritten to ${file}.`,
  );
}

async function verifyOne({ options, context }: Input<PlanOptions>): Promise<CommandOutcome> {
  const plan = planFrom(options.plan);
  if ('code' in plan) return plan;
  const opened = await openFrom(context, options.keyFile);
  if (!opened.ok) return opened.failure;
  const read = await readDeploymentRecord(options.records, opened.chain.chain.id);
  if (!read.ok) return missingRecord(read.file);
  const problems = await deploymentProblems(opened.chain, read.record, plan);
  if (problems.length === 0) return done({ record: read.record, problems }, 'The chain is as planned.');
  const text = problems.map((problem) => `  ${problem}`).join('\n');
  return {
    ...failed('deployment_differs', `The chain is not as planned:\n${text}`),
    report: { data: { problems }, text },
  };
}

async function pauseOne({ options, context }: Input<RecordOptions>): Promise<CommandOutcome> {
  const opened = await openFrom(context, options.keyFile);
  if (!opened.ok) return opened.failure;
  const read = await readDeploymentRecord(options.records, opened.chain.chain.id);
  if (!read.ok) return missingRecord(read.file);
  const paused = await pauseProcessor(opened.chain, read.record.processor);
  if (!paused.ok) return failed(paused.code, `The processor was not paused: ${paused.reason}`);
  return done({ processor: read.record.processor }, `Paused ${read.record.processor}.`);
}

async function retireRelayerOne({ options, context }: Input<RetireOptions>): Promise<CommandOutcome> {
  const { keystore, kmsKey, keyFile } = options;
  if ([keystore, kmsKey, keyFile].filter((given) => given !== undefined).length !== 1)
    return misused('Name one key: --keystore with --password-file, --kms-key or --key-file.');
  if (!/^\d{1,4}$/.test(options.wait)) return misused('--wait: a number of seconds, up to 9999.');
  const waitSeconds = Number.parseInt(options.wait, 10);
  const config = readOperatorConfig(['rpcUrl'], context.environment);
  if (!config.ok) return misconfigured(config.problems);
  const { rpcUrl } = config.config;
  const reader = await openChainAccount(rpcUrl, undefined);
  if (!reader.ok) return reader.failure;
  const read = await readDeploymentRecord(options.records, reader.chain.chain.id);
  if (!read.ok) return missingRecord(read.file);
  const signer = await openRelayer(options);
  if (signer === undefined) return misused('The key can’t be opened: look at the file and its password, or the ARN.');
  const { processor } = read.record;
  const retired = await retireRelayerBySigner(rpcUrl, signer, { processor, patienceMs: waitSeconds * 1_000 }).catch(
    () => ({ ok: false, code: 'not_sent', reason: 'the node or the signer did not answer' }) as const,
  );
  if (!retired.ok) return notRetired(retired, { relayer: signer.address, processor });
  const { transactionHash } = retired;
  return done(
    { processor, relayer: signer.address, transactionHash },
    `${signer.address} can settle nothing on ${processor} any more.`,
  );
}

function notRetired(
  retired: Extract<RetiredRelayer, { ok: false }>,
  { relayer, processor }: { readonly relayer: string; readonly processor: string },
): Failure {
  const { code } = retired;
  const pause = 'If this key is stolen, let the guardian pause the processor: contracts pause.';
  if (code === 'relayer_has_no_role')
    return failed(code, `${relayer} has no relayer’s role on ${processor}: there is nothing to give up.`);
  if (code === 'not_sent')
    return failed(code, `Nothing was sent: ${retired.reason}.`, `Has ${relayer} coins for gas? ${pause}`);
  const { transactionHash } = retired;
  const { message, advice } = {
    pending: {
      message: `${transactionHash} was sent and is not mined yet: ${relayer} still has its role.`,
      advice:
        'Run the command again: it looks whether the role is gone, and otherwise replaces the transaction at a ' +
        'higher fee. ',
    },
    nonce_taken: {
      message: `Another transaction of ${relayer} was mined instead of ${transactionHash}: it still has its role.`,
      advice: 'Run the command again. ',
    },
    role_not_given_up: {
      message: `${transactionHash} was mined, and ${relayer} still has its role on ${processor}.`,
      advice: '',
    },
  }[code];
  return {
    ...failed(code, message, `${advice}${pause}`),
    report: { data: { error: code, message, processor, relayer, transactionHash }, text: transactionHash },
  };
}

/** Undefined for a key that can't be opened: the message of the library may contain a part of it. */
async function openRelayer({ keystore, passwordFile, kmsKey, keyFile }: RetireOptions) {
  try {
    const { relayers } = await openSigners({
      ...(keystore !== undefined && { relayerKeystores: [keystore], relayerPasswordFile: passwordFile }),
      ...(kmsKey !== undefined && { relayerKmsKeys: [kmsKey] }),
      ...(keyFile !== undefined && { relayerTestKeys: [readFileSync(keyFile, 'utf8').trim()] }),
    });
    return relayers[0];
  } catch {
    return undefined;
  }
}

async function deployDirectOne({ options, context }: Input<KeyOptions>): Promise<CommandOutcome> {
  const opened = await openFrom(context, options.keyFile);
  if (!opened.ok) return opened.failure;
  const deployed = await deployDirectBatch(opened.chain);
  if (!deployed.ok) return failed(deployed.code, `DirectBatch was not deployed: ${deployed.reason}`);
  const { address, transactionHash } = deployed;
  const network = opened.chain.chain.name;
  return done(
    { network, address, transactionHash },
    transactionHash === null ? `DirectBatch was at ${address} already.` : `DirectBatch is at ${address} on ${network}.`,
  );
}

async function verifyDirectOne({ options, context }: Input<KeyOptions>): Promise<CommandOutcome> {
  const opened = await openFrom(context, options.keyFile);
  if (!opened.ok) return opened.failure;
  const problems = await directBatchProblems(opened.chain);
  const data = { network: opened.chain.chain.name, address: DIRECT_BATCH_ADDRESS, problems };
  if (problems.length === 0) return done(data, `DirectBatch of this commit is at ${DIRECT_BATCH_ADDRESS}.`);
  const text = problems.join('\n');
  return {
    ...failed('deployment_differs', text, 'Deploy it with contracts deploy-direct.'),
    report: { data: { problems }, text },
  };
}

async function openFrom(context: Context, keyFile: string | undefined): Promise<OpenedChainAccount> {
  const read = readOperatorConfig(['rpcUrl'], context.environment);
  return read.ok ? openChainAccount(read.config.rpcUrl, keyFile) : { ok: false, failure: misconfigured(read.problems) };
}

export function missingRecord(file: string): Failure {
  return failed(
    'record_missing',
    `There is no readable deployment record at ${file}.`,
    'Deploy first, or name --records.',
  );
}

function planFrom(file: string): DeploymentPlan | Failure {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return misused(`--plan: ${file} cannot be read`);
  }
  const read = readPlan(text);
  return read.ok ? read.plan : misused(`--plan: ${read.problems.join('; ')}`);
}
