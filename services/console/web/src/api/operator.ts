import type { OperatorReport } from '@svc-pay/protocol/operator';
import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';

const EVERY_MS = 15_000;

/** The whole installation, for people whom the operator lets see it. */
export const useOperatorReport = () =>
  useQuery({
    queryKey: ['operator'],
    queryFn: ({ signal }) => call<OperatorReport>('/operator', { signal }),
    refetchInterval: EVERY_MS,
  });
