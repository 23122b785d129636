import { createAuthorizationWatch } from '../stranded/watch-authorizations.ts';
import { createHeldWatch } from '../stranded/watch-held.ts';
import type { PeriodicJob } from '../watch/periodic-job.ts';
import type { WatchDeps } from './watch-deps.ts';
import { createFinalityWatch } from './watch-finality.ts';
import type { WatchedChain } from './watched-chain.ts';

/**
 * All watchers of one network, of whatever family. They write what they find to the database; lanes act on it. The
 * watch of the network's health is the settlement service's own.
 */
export function createWatchers(chain: WatchedChain, deps: WatchDeps): readonly PeriodicJob[] {
  return [
    createFinalityWatch(chain, deps),
    createHeldWatch(chain, deps),
    createAuthorizationWatch(chain, deps),
    ...chain.extraJobs,
  ];
}
