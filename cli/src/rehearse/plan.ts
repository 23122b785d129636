// What a rehearsal is to do, read from the options of the command before anything is asked.
import type { ListenAddress } from '@svc-pay/evm';
import { readDurationMs } from '../commands/duration.ts';
import { FLOWS, type PaymentFlow } from './journal.ts';
import type { FlowAmounts } from './pay-flow.ts';
import type { RunOptions } from './run-rehearsal.ts';
import { findTestNetwork, type TestNetwork } from './test-network.ts';
import { readUnits } from './units.ts';

export type Plan = RunOptions & {
  readonly network: TestNetwork;
  readonly recordOnly: boolean;
  readonly listen: ListenAddress;
  readonly maxSpendAtomic: bigint;
  /** What the flows sign for together. */
  readonly needsAtomic: bigint;
};

export type PlanOptions = {
  readonly network: string;
  readonly flows: string;
  readonly asset?: string;
  readonly amount: string;
  readonly maxSpend: string;
  readonly wait: string;
  readonly patience: string;
  readonly listen: string;
  readonly recordOnly?: boolean;
};

export type ReadRehearsalPlan =
  | ({ readonly ok: true } & Plan)
  | { readonly ok: false; readonly problem: string; readonly advice?: string };

export function readPlan(options: PlanOptions): ReadRehearsalPlan {
  const refused = (problem: string, advice?: string): ReadRehearsalPlan => ({
    ok: false,
    problem,
    ...(advice && { advice }),
  });
  const found = findTestNetwork(options.network, options.asset);
  if (!found.ok) return refused(found.problem, found.advice);
  const flows = FLOWS.filter((flow) => listed(options.flows).includes(flow));
  if (flows.length === 0 || flows.length !== new Set(listed(options.flows)).size)
    return refused('--flows takes exact, direct and upto, with commas between.');
  const { decimals } = found.network.token.unit;
  const amountAtomic = unitsOf(options.amount, decimals);
  const maxSpendAtomic = unitsOf(options.maxSpend, decimals);
  if (amountAtomic === undefined || maxSpendAtomic === undefined || amountAtomic === 0n)
    return refused(`--amount and --max-spend take an amount with at most ${decimals} decimals, such as 0.01.`);
  const [waitMs, patienceMs] = [readDurationMs(options.wait), readDurationMs(options.patience)];
  if (waitMs === undefined || patienceMs === undefined)
    return refused('--wait and --patience take a duration such as 30s, 10m or 2h.');
  const listen = addressOf(options.listen);
  if (listen === undefined) return refused('--listen takes an address and a port, such as 127.0.0.1:8546.');
  const amounts = amountsFrom(amountAtomic);
  return {
    ok: true,
    network: found.network,
    flows,
    amounts,
    needsAtomic: flows.reduce((sum, flow) => sum + amounts[flow].signedAtomic, 0n),
    maxSpendAtomic,
    patienceMs,
    finality: { patienceMs: waitMs },
    recordOnly: options.recordOnly === true,
    listen,
  };
}

/** Amounts that no two payments share, so that none is taken for another; shares of them have remainders to round. */
function amountsFrom(atomic: bigint): Readonly<Record<PaymentFlow, FlowAmounts>> {
  const same = (amount: bigint): FlowAmounts => ({ signedAtomic: amount, chargedAtomic: amount });
  return {
    exact: same(atomic),
    direct: same(atomic + 2n),
    upto: { signedAtomic: 5n * atomic + 3n, chargedAtomic: atomic + 4n },
  };
}

const listed = (text: string): readonly string[] => text.split(',').map((one) => one.trim());

function unitsOf(text: string, decimals: number): bigint | undefined {
  try {
    const atomic = readUnits(text, decimals);
    return atomic < 0n ? undefined : atomic;
  } catch {
    return undefined;
  }
}

function addressOf(text: string): ListenAddress | undefined {
  const [, host, port] = /^(\[[0-9a-f:]+\]|[\w.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || port === undefined) return undefined;
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number.parseInt(port, 10) };
}
