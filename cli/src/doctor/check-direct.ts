// Checks what direct payments need: activations with both signatures, the batch contract, the order of a token's logs, and
// cursors of the chain reader near the head.
import { type Clock, findTokenOf } from '@svc-pay/core';
import {
  type CheckActivation,
  createActivationCheck,
  createJsonRpc,
  DIRECT_BATCH_ADDRESS,
  type JsonRpc,
  readLogOrder,
} from '@svc-pay/evm';
import type { Database } from '@svc-pay/postgres';
import {
  type DirectReport,
  type ReportedCursor,
  type ReportedDirectPayout,
  reportDirect,
} from '@svc-pay/postgres/operator';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { isEvm, type OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { explainFailure } from '../command/explain-failure.ts';
import { COMMAND } from '../command/leaf.ts';
import { type Finding, findingsOf } from './finding.ts';
import { withDoctorDatabase } from './with-doctor-database.ts';

export type DirectPayoutsToCheck = {
  readonly report: DirectReport;
  readonly networks: OperatedNetworks;
  /** Addresses in lower case. */
  readonly approvers: ReadonlySet<string>;
  readonly delayMs: number;
  readonly clock: Clock;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 5_000;
/** Finality takes a quarter of an hour on the slowest chain, and a single node is read up to there. */
const BEHIND_SECONDS = 1_800n;
const PAGE = 'docs/operate/direct-payouts.md';

/** An older schema, or a role that may not read it: what is not checked must not look sound. */
const unread = (problem: unknown): Finding =>
  findingsOf('database', 'direct payouts').problem(
    `Direct payouts could not be read, so nothing about them was checked: ${explainFailure(problem).message}`,
    'See the findings on the database and its migrations, and what this role may read.',
  );

export async function checkDirectOf(
  url: string,
  given: Omit<DirectPayoutsToCheck, 'report'>,
): Promise<readonly Finding[]> {
  const read = async ({ pool }: Database): Promise<readonly Finding[]> => {
    const report = await reportDirect(pool).catch(unread);
    return 'status' in report ? [report] : await checkDirect({ ...given, report });
  };
  return withDoctorDatabase(url, read, TIMEOUT_MS);
}

/** One finding list for all networks; empty without direct payouts and cursors. */
export async function checkDirect(given: DirectPayoutsToCheck): Promise<readonly Finding[]> {
  const { report, networks, approvers } = given;
  const findings: Finding[] = [];
  if (report.payouts.length > 0 && approvers.size === 0)
    findings.push(
      findingsOf('configuration', 'SVC_PAYOUT_APPROVERS').problem(
        'There are direct payouts and no approver is set, so none of them is used.',
        `Set it in the environment of API, settlement and this command: ${PAGE}.`,
      ),
    );
  const named = [...report.payouts, ...report.cursors].map(({ network }) => network);
  for (const network of new Set(named)) {
    const known = parseNetwork(network);
    const setup = known === undefined ? undefined : networks.get(known);
    const urls = setup === undefined || !isEvm(setup) ? [] : (setup.rpcUrls ?? []);
    const [first, ...others] = urls;
    if (known === undefined || first === undefined) continue;
    const rpc = createJsonRpc({ urls: [first, ...others], timeoutMs: given.timeoutMs ?? TIMEOUT_MS });
    try {
      findings.push(...(await checkNetworkOfDirect(given, known, rpc)));
    } catch {
      findings.push(
        findingsOf('network', network).problem(
          'No RPC endpoint answers, so direct payments could not be checked.',
          'Check `rpcUrls` and the way to them.',
        ),
      );
    }
  }
  return findings;
}

async function checkNetworkOfDirect(
  { report, approvers, delayMs, clock }: DirectPayoutsToCheck,
  network: NetworkId,
  rpc: JsonRpc,
): Promise<readonly Finding[]> {
  const payouts = report.payouts.filter((payout) => payout.network === network);
  const cursors = report.cursors.filter((cursor) => cursor.network === network);
  const findings: Finding[] = [];
  if (payouts.length > 0) findings.push(await checkBatchContract(network, rpc));
  for (const asset of new Set(payouts.map((payout) => payout.asset.toLowerCase())))
    findings.push(await checkTokenLogs(network, asset, rpc), ...checkToken(network, asset, cursors));
  const check = createActivationCheck({
    installation: async () => report.installation,
    approvers,
    delayMs,
    clock,
  });
  for (const payout of payouts) findings.push(await checkPayout(payout, check, rpc, clock));
  if (cursors.length > 0) findings.push(...(await checkCursors(network, cursors, rpc)));
  return findings;
}

async function checkBatchContract(network: NetworkId, rpc: JsonRpc): Promise<Finding> {
  const { ok, problem } = findingsOf('network', network);
  const [code] = await rpc([{ method: 'eth_getCode', params: [DIRECT_BATCH_ADDRESS, 'latest'] }]);
  if (code?.ok !== true) throw new Error('no answer');
  return typeof code.result === 'string' && code.result !== '0x'
    ? ok('DirectBatch has its code.')
    : problem(
        `There is no DirectBatch at ${DIRECT_BATCH_ADDRESS}: direct payments are sent one by one, and cost more gas.`,
        'Deploy it: docs/contracts/direct-batch.md.',
      );
}

async function checkTokenLogs(network: NetworkId, asset: string, rpc: JsonRpc): Promise<Finding> {
  const token = findTokenOf(network, asset);
  const { ok, warning, problem } = findingsOf('token', token?.shortcode ?? asset);
  const advice = 'Direct payments in it can’t be proven: retire its direct payouts.';
  if (token?.directLogs === undefined) return problem('The catalogue does not pin the order of its logs.', advice);
  const order = await readLogOrder(rpc, asset);
  if (order === 'another') return problem('It does not log the transfer right after the use.', advice);
  if (order === 'used_then_transfer') return ok('It logs the transfer right after the use of an authorization.');
  return warning(
    'No use of an authorization was seen in recent blocks, so the order of its logs is not checked.',
    'Run the doctor again after the first payment.',
  );
}

function checkToken(network: NetworkId, asset: string, cursors: readonly ReportedCursor[]): readonly Finding[] {
  if (cursors.some(({ address }) => address === asset)) return [];
  return [
    findingsOf('network', network).problem(
      `The chain reader has no cursor for token ${asset}.`,
      'Start settlement and its engine: it makes the cursor.',
    ),
  ];
}

async function checkPayout(
  payout: ReportedDirectPayout,
  check: CheckActivation,
  rpc: JsonRpc,
  clock: Clock,
): Promise<Finding> {
  const { accountId, mode, network, payoutId, wallet, asset, activation, activeFromMs } = payout;
  const { ok, warning, problem } = findingsOf('network', `${network}/${wallet}`);
  const stranger = `If nobody here changed it, treat the database as changed by a stranger: ${PAGE}.`;
  if (activation === undefined) return problem(`Direct payout ${payoutId} has no readable activation.`, stranger);
  const used = { accountId, mode, network: activation.network, asset, wallet, number: payoutId };
  const verdict = await check(used, activation, async () => [rpc]);
  const by = `Direct payout ${payoutId} of ${accountId} (${activation.use})`;
  if (verdict.ok && activeFromMs <= clock.nowMs()) return ok(`${by} is activated.`);
  if (verdict.ok || verdict.code === 'activation_not_in_effect')
    return warning(
      `${by} takes effect at ${new Date(activeFromMs).toISOString()}.`,
      `If nobody here wanted it, end it now: \`${COMMAND} payouts disable --account ${accountId} --network ${network} --payout-id ${payoutId}\`.`,
    );
  if (verdict.code === 'chain_unavailable')
    return warning(`${by} could not be checked: its contract wallet was not asked.`, 'Run the doctor again.');
  return problem(`${by} is not used: ${verdict.code}.`, stranger);
}

async function checkCursors(
  network: NetworkId,
  cursors: readonly ReportedCursor[],
  rpc: JsonRpc,
): Promise<readonly Finding[]> {
  const { ok, problem } = findingsOf('network', network);
  const [block] = await rpc([{ method: 'eth_getBlockByNumber', params: ['latest', false] }]);
  const head = block?.ok === true ? (block.result as { number?: string; timestamp?: string } | null) : null;
  if (typeof head?.number !== 'string' || typeof head.timestamp !== 'string') throw new Error('no answer');
  const headSeconds = BigInt(head.timestamp);
  const behind = cursors.filter(({ blockTimeSeconds }) => headSeconds - blockTimeSeconds > BEHIND_SECONDS);
  if (behind.length === 0) return [ok(`The chain reader is near the head with ${cursors.length} sources.`)];
  return behind.map(({ address, kind, blockNumber }) =>
    problem(
      `The chain reader is at block ${blockNumber} with ${kind} ${address}, the chain at ${BigInt(head.number ?? 0)}.`,
      'See docs/operate/chain-reader.md#when-it-is-behind.',
    ),
  );
}
