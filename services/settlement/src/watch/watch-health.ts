// Whether a network can be promised to payers. Looks at the relayers' coins, roles and caps, at the processor and at what
// waits; writes it down for whoever offers, and says it aloud when it changes.
import { ChainUnavailable, withdrawalOf } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import type { Fitness } from '@svc-pay/evm';
import { listRelayerAddresses, loadLaneFacts, recordFitness, recordHealth } from '@svc-pay/postgres/lanes';
import type { NetworkId } from '@svc-pay/protocol';
import { pulseName } from './pulse-name.ts';
import type { ReadFitness } from './read-fitness.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 1_000;
const ALARMS: Readonly<Record<string, readonly ['info' | 'warn' | 'error', string]>> = {
  fine: ['info', 'the relayer can send'],
  low: ['warn', 'the relayer’s coins are running low: top it up'],
  empty: ['error', 'the relayer has no coins to send with: top it up'],
  not_allowed: ['error', 'the processor does not know this relayer'],
};

export function createHealthWatch(network: NetworkId, readFitness: ReadFitness, parts: WatchParts): Pulse {
  const { pool, clock, health, log } = parts;
  let silentSinceMs: number | null = null;
  // As the chain last said: while it is silent nothing else is known.
  let paused = false;

  const look = async (): Promise<Fitness | undefined> => {
    const relayers = await listRelayerAddresses(pool, network);
    try {
      const fitness = await readFitness(relayers);
      silentSinceMs = null;
      paused = fitness.paused;
      return fitness;
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      silentSinceMs ??= clock.nowMs();
      return undefined;
    }
  };

  return {
    name: pulseName('health', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const fitness = await look();
      const nowMs = clock.nowMs();
      for (const { relayer, now } of fitness === undefined
        ? []
        : await recordFitness(pool, network, fitness.relayers, nowMs)) {
        const [level, message] = ALARMS[now] ?? ['warn', now];
        log(level, { network, relayer }, message);
      }
      const reason = withdrawalOf(
        {
          ...(await loadLaneFacts(pool, network, nowMs)),
          unreachableMs: silentSinceMs === null ? null : nowMs - silentSinceMs,
          paused,
        },
        health.stuckMs,
      );
      if (!(await recordHealth(pool, network, reason))) return;
      if (reason === null) log('info', { network }, 'the network is offered');
      else log('error', { network, reason }, 'the network is withdrawn: nothing new is promised there');
    },
  };
}
