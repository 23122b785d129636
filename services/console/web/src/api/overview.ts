// Figures of the account, and how old they are by the clock of the server.
import type { Overview } from '@svc-pay/protocol/merchant';
import { useQuery } from '@tanstack/react-query';
import { boundsOf, RANGES, type RangeName } from '../charts/range.ts';
import { nowMs } from '../clock.ts';
import { queryText } from './call.ts';
import { keyOf, type PageScope, relayAnswer } from './scope.ts';

const EVERY_MS = 10_000;

export type ReadOverview = {
  readonly overview: Overview;
  /** By how much the figures were behind when they were answered; null while nothing was counted yet. */
  readonly behindMs: number | null;
  /** By the clock of the browser. */
  readonly answeredAtMs: number;
};

export const useOverview = (scope: PageScope, range: RangeName, enabled = true) =>
  useQuery({
    queryKey: keyOf(scope, 'overview', range),
    enabled,
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }): Promise<ReadOverview> => {
      const query = { ...boundsOf(range, nowMs()), interval: RANGES[range].interval };
      const answer = await relayAnswer(scope, `/sdk/overview${queryText(query)}`, { signal });
      const overview = (await answer.json()) as Overview;
      const serverMs = Date.parse(answer.headers.get('date') ?? '');
      const answeredAtMs = nowMs();
      const behindMs =
        overview.asOf === null
          ? null
          : Math.max(0, (Number.isNaN(serverMs) ? answeredAtMs : serverMs) - Date.parse(overview.asOf));
      return { overview, behindMs, answeredAtMs };
    },
  });
