// Everything that looks by itself. What they find is written down, and lanes act on it; with a key only lent rent is taken
// back.
import type { Pulse } from '@svc-pay/engine';
import { findForgottenLanes } from '@svc-pay/postgres/lanes';
import { createSolanaHousekeeping } from '../solana/close-authorizations.ts';
import { createSolanaFinality } from '../solana/watch-finality.ts';
import { createSolanaHeldWatch } from '../solana/watch-held.ts';
import { createIntentExpiry } from './expire-intents.ts';
import { createAuditSealer, createPartitionMaker } from './keep-house.ts';
import { createRegistryMirror } from './mirror-registry.ts';
import { evmFitness, solanaFitness } from './read-fitness.ts';
import { createReconciler } from './reconcile.ts';
import { createAuthorizationWatch } from './watch-authorizations.ts';
import { createFinalityWatch } from './watch-finality.ts';
import { createHealthWatch } from './watch-health.ts';
import { createHeldWatch } from './watch-held.ts';
import type { WatchParts } from './watch-parts.ts';

export function createWatchers(parts: WatchParts): readonly Pulse[] {
  const { pool, clock, networks, solana, wake } = parts;
  return [
    createReconciler((silentSinceMs) => findForgottenLanes(pool, silentSinceMs), clock, wake),
    createIntentExpiry(pool, clock),
    createAuditSealer(pool),
    createPartitionMaker(pool),
    ...networks.flatMap((network) => [
      createFinalityWatch(network, parts),
      createHeldWatch(network, parts),
      createAuthorizationWatch(network, parts),
      createRegistryMirror(network, parts),
      createHealthWatch(network.network, evmFitness(network, parts.health), parts),
    ]),
    ...solana.flatMap((network) => [
      createSolanaFinality(network, parts),
      createSolanaHeldWatch(network, parts),
      createSolanaHousekeeping(network, parts),
      createHealthWatch(network.network, solanaFitness(network, parts.health), parts),
    ]),
  ].map((pulse) => lasting(pulse, parts));
}

/** A beat that fails is told and done with: were it left to be tried again, a long outage would end the pulse for good. */
function lasting(pulse: Pulse, { log }: WatchParts): Pulse {
  return {
    ...pulse,
    beat: async () => {
      try {
        await pulse.beat();
      } catch (problem) {
        log('warn', { pulse: pulse.name, err: problem }, 'a watcher could not finish its round');
      }
    },
  };
}
