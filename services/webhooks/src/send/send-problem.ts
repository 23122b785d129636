// Why a request failed, and whether the fault is ours.
import type { AttemptOutcome } from '@svc-pay/core';

export type FailedOutcome = Exclude<AttemptOutcome, 'succeeded'>;

export class SendProblem extends Error {
  override readonly name = 'SendProblem';
  readonly outcome: FailedOutcome;

  constructor(outcome: FailedOutcome, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** Failures of this machine, independent of the endpoint. */
const OURS = new Set(['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EACCES']);
/** The endpoint answered, but not with valid HTTP. */
const MALFORMED = /^(?:HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|UND_ERR_INVALID)/;

export function problemOf(thrown: unknown): SendProblem {
  if (thrown instanceof SendProblem) return thrown;
  const { code, message } = describe(thrown);
  if (OURS.has(code)) return new SendProblem('our_fault', message);
  const malformed = MALFORMED.test(code) || (thrown instanceof Error && thrown.name === 'HTTPParserError');
  return new SendProblem(malformed ? 'refused' : 'unreachable', message);
}

function describe(thrown: unknown): { code: string; message: string } {
  if (!(thrown instanceof Error)) return { code: '', message: 'it failed without a reason' };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return { code, message: code === '' ? thrown.message : `${code}: ${thrown.message}` };
}

/** True for a reused connection that the other side had closed meanwhile. */
export function isStale(thrown: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(describe(thrown).code);
}
