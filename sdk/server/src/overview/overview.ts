// Figures of the account over time.
import type { Overview, OverviewInterval } from '@svc-pay/protocol/merchant';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { withQuery } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';

export type OverviewRequest = {
  readonly from: Date;
  /** Not included. At most 400 intervals behind `from`. */
  readonly to: Date;
  /** UTC; `day` when left out. */
  readonly interval?: OverviewInterval;
};

export type OverviewFound = { readonly ok: true; readonly overview: Overview };

/** Volume, counts, success rate, time to settle, reasons of failures and gas, up to the answer's `asOf`. */
export type ReadOverview = (request: OverviewRequest, options?: CallOptions) => Promise<OverviewFound | CallFailure>;

export function overviewOf({ call }: Connection): ReadOverview {
  return async ({ from, to, interval }, options) => {
    const read = withFields<Overview>({ asOf: 'text or null', total: 'object', points: 'list', failures: 'list' });
    const path = withQuery('/sdk/overview', { from: from.toISOString(), to: to.toISOString(), interval });
    const answer = await call({ method: 'GET', path, read }, options);
    return answer.ok ? { ok: true, overview: answer.value } : answer;
  };
}
