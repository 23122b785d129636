// Sending a range of events again, and waiting for the job that does it.
import type { EventType } from '@svc-pay/protocol';
import type { EventReplay } from '@svc-pay/protocol/merchant';
import { aborted, type CallFailure, recoveryFailed } from '../call/call-failure.ts';
import type { CallOptions, Connection, MakeOptions } from '../call/connection.ts';
import { segment } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';
import { ENDPOINTS } from './endpoint-answers.ts';

export type RecoverCall = {
  /** Events from here on. ISO 8601, or a date. */
  readonly from: string | Date;
  /** And before here. */
  readonly to: string | Date;
  /** Those that the endpoint subscribes to when left out. */
  readonly types?: readonly EventType[];
  /** `failed`, when left out: what the endpoint did not get since it exists. `all`: everything of the range. */
  readonly only?: 'failed' | 'all';
};

export type RecoveryFound = { readonly ok: true; readonly recovery: EventReplay };

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

const readRecovery = withFields<{ recovery: EventReplay }>({ recovery: 'object' });

export async function recoverEndpoint(
  { call }: Connection,
  endpointId: string,
  range: RecoverCall,
  options?: MakeOptions,
): Promise<RecoveryFound | CallFailure> {
  const path = `${ENDPOINTS}/${segment(endpointId)}/recover`;
  const answer = await call({ method: 'POST', path, body: range, makes: true, read: readRecovery }, options);
  return answer.ok ? { ok: true, ...answer.value } : answer;
}

export async function waitForRecovery(
  { call, wait }: Connection,
  recoveryId: string,
  options: CallOptions = {},
): Promise<RecoveryFound | CallFailure> {
  const path = `/sdk/webhooks/recoveries/${segment(recoveryId)}`;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const answer = await call({ method: 'GET', path, read: readRecovery }, options);
    if (!answer.ok) return answer;
    const { status, reason } = answer.value.recovery;
    if (status === 'failed') return recoveryFailed(reason);
    if (status !== 'running') return { ok: true, ...answer.value };
    await wait(pauseMs, options.signal);
    if (options.signal?.aborted === true) return aborted();
  }
}
