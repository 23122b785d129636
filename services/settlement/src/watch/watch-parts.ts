import type { Clock } from '@svc-pay/core';
import type pg from 'pg';
import type { OpenNetwork } from '../open-networks.ts';

export type WatchParts = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly networks: readonly OpenNetwork[];
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly wake: (drain: string, key: string) => Promise<void>;
};
