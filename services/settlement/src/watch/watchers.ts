// Everything that looks by itself. None of it holds a key: what they find is written down, and lanes act on it.
import type { Pulse } from '@svc-pay/engine';
import { createIntentExpiry } from './expire-intents.ts';
import { createAuditSealer, createPartitionMaker } from './keep-house.ts';
import { createRegistryMirror } from './mirror-registry.ts';
import { createReconciler } from './reconcile.ts';
import { createAuthorizationWatch } from './watch-authorizations.ts';
import { createFinalityWatch } from './watch-finality.ts';
import { createHealthWatch } from './watch-health.ts';
import type { WatchParts } from './watch-parts.ts';

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
      createHealthWatch(network, parts),
    ]),
  ];
}
