// Reports the lane status that settlement has recorded.
import { RELAYER_STATUS } from '@svc-pay/core';
import { type LaneReport, type NetworkHealth, reportHealth, reportLanes } from '@svc-pay/postgres/settlement-service';
import { COMMAND } from '../command/leaf.ts';
import { type Finding, findingsOf } from './finding.ts';

type Pool = Parameters<typeof reportLanes>[0];

const SILENT_MS = 60_000;
const ADVICE: Readonly<Record<string, string>> = {
  chain_unreachable: 'No RPC endpoint answers settlement: check `rpcUrls` and the way to them.',
  processor_differs:
    'The chain has another processor version at this address than `processorVersion` of SVC_NETWORKS, or none: correct the network’s entry and restart settlement and the API.',
  token_differs:
    'A token has another signing domain than the catalogue, so signatures made for it would be refused: the findings of its token say which. Update to a release with the right entry, or have the council stop the processor from taking it.',
  paused:
    'The processor is paused; the council starts it again. Payments through it stay queued until then; direct ones are offered and sent.',
  no_active_relayer: `Activate a relayer (\`${COMMAND} relayers activate\`) or start settlement with a key.`,
  out_of_gas: 'Send coins to the relayers: docs/operate/out-of-gas.md.',
  not_allowed: 'Give the relayer its role on the processor: docs/operate/rotate-relayer.md. Direct payments need none.',
  over_cap: 'The hourly cap is used up; it comes back by itself, or the council raises it.',
};
const STUCK = 'See docs/operate/stuck-lane.md.';

export async function checkLanes(pool: Pool, nowMs: number): Promise<readonly Finding[]> {
  const [lanes, networks] = [await reportLanes(pool), await reportHealth(pool)];
  return [...networks.map((health) => networkFinding(health, nowMs)), ...lanes.flatMap(laneFindings)];
}

function networkFinding({ network, offered, reason, since, checkedAt }: NetworkHealth, nowMs: number): Finding {
  const { ok, problem } = findingsOf('network', network);
  if (nowMs - Date.parse(checkedAt) > SILENT_MS) {
    return problem(`Settlement has not looked at it since ${checkedAt}.`, 'Start settlement and its engine.');
  }
  if (offered) return ok('It is offered to payers.');
  return problem(`It is withdrawn since ${since}: ${reason}.`, ADVICE[reason ?? ''] ?? STUCK);
}

function laneFindings({
  network,
  relayer,
  status,
  condition,
  obstacle,
  capped,
  balance,
}: LaneReport): readonly Finding[] {
  if (status === RELAYER_STATUS.retired) return [];
  const { ok, warning, problem } = findingsOf('network', `${network}/${relayer}`);
  if (condition === 'empty') return [problem('This relayer has no coins to send with.', ADVICE['out_of_gas'] ?? STUCK)];
  if (condition === 'not_allowed')
    return [problem('The processor does not know this relayer.', ADVICE['not_allowed'] ?? STUCK)];
  if (obstacle !== null) return [problem(`This lane has stopped: ${obstacle}.`, STUCK)];
  if (condition === 'low') return [warning(`This relayer is low on coins: ${balance}.`, ADVICE['out_of_gas'] ?? STUCK)];
  if (capped) return [warning('This relayer is close to its hourly cap.', ADVICE['over_cap'] ?? STUCK)];
  return [ok(`The lane is ${status}.`)];
}
