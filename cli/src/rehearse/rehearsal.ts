// What the steps of a rehearsal share, and how they wait.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SvcPay } from '@svc-pay/server';
import type { ChainReadings } from './chain-facts.ts';
import type { Journal, PaymentFlow } from './journal.ts';
import type { Payer } from './payer.ts';
import type { TestNetwork } from './test-network.ts';

/** The account that a flow pays. */
export type RehearsedMerchant = {
  readonly api: SvcPay;
  /** With the account's id, which charging an up-to payment needs. */
  readonly of: (accountId: string) => SvcPay;
};

export type Rehearsal = {
  readonly run: string;
  readonly apiUrl: string;
  readonly network: TestNetwork;
  readonly payer: Payer;
  readonly chain: ChainReadings;
  readonly journal: Journal;
  readonly merchantOf: (flow: PaymentFlow) => RehearsedMerchant;
  readonly print: (text: string) => void;
  /** Aborted when the user stops the command. */
  readonly stopping: AbortSignal;
};

/** Ends a flow with a sentence for the report. */
export class FlowFailed extends Error {
  override readonly name = 'FlowFailed';
}

export class Stopped extends Error {
  override readonly name = 'Stopped';
}

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 2_000;

/** Polls until `look` finds something; undefined after `patienceMs`. Throws `Stopped` when the user stops the command. */
export async function waitFor<Found>(
  look: () => Promise<Found | undefined>,
  patienceMs: number,
  stopping: AbortSignal,
): Promise<Found | undefined> {
  const untilMs = performance.now() + patienceMs;
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS)) {
    if (stopping.aborted) throw new Stopped('the rehearsal was stopped');
    const found = await look();
    if (found !== undefined || performance.now() > untilMs) return found;
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
  }
}

/** The value of a call, or the flow fails with what the service said. */
export function answered<Answer extends { readonly ok: boolean }>(
  what: string,
  answer: Answer,
): Extract<Answer, { readonly ok: true }> {
  if (answer.ok) return answer as Extract<Answer, { readonly ok: true }>;
  const { code, message } = answer as unknown as { readonly code: string; readonly message: string };
  throw new FlowFailed(`${what}: ${code}: ${message}`);
}
