// Everything that looks by itself. None of it holds a key: what they find is written down, and lanes act on it.
import type { Clock } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import type pg from 'pg';
import type { OpenNetwork } from '../open-networks.ts';
import { createIntentExpiry } from './expire-intents.ts';
import { createAuditSealer, createPartitionMaker } from './keep-house.ts';
import { createRegistryMirror } from './mirror-registry.ts';
import { createReconciler } from './reconcile.ts';
import { createAuthorizationWatch } from './watch-authorizations.ts';
import { createFinalityWatch } from './watch-finality.ts';

export type WatchParts = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly networks: readonly OpenNetwork[];
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly wake: (drain: string, key: string) => Promise<void>;
};

export function createWatchers(parts: WatchParts): readonly Pulse[] {
  const { pool, clock, networks, wake } = parts;
  return [
    createReconciler(pool, clock, wake),
    createIntentExpiry(pool, clock),
    createAuditSealer(pool),
    createPartitionMaker(pool),
    ...networks.flatMap((network) => [
      createFinalityWatch(network, parts),
      createAuthorizationWatch(network, parts),
      createRegistryMirror(network, parts),
    ]),
  ];
}
