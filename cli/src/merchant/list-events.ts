// Lists events for a follower: waits while the API is down, and stops when it refuses.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../output/outcome.ts';
import { eventPage } from './event-summary.ts';
import type { ListEvents } from './follow-events.ts';
import type { MerchantApi } from './merchant-api.ts';

/** Thrown when retrying is useless; without a failure if the user stopped the command. */
export class StoppedAsking extends Error {
  override readonly name = 'StoppedAsking';
  readonly failure: Failure | undefined;
  constructor(failure: Failure | undefined) {
    super(failure?.message ?? 'stopped');
    this.failure = failure;
  }
}

const PAGE = '100';
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

type Deps = { readonly print: (text: string) => void; readonly stopping: AbortSignal };

export function listWith(api: MerchantApi, { print, stopping }: Deps): ListEvents {
  return async (createdAfter, startingAfter) => {
    let told = false;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      if (stopping.aborted) throw new StoppedAsking(undefined);
      const asked = await api.get('/sdk/events', { createdAfter, startingAfter, limit: PAGE }, eventPage);
      if (asked.ok) {
        if (told) print('The API answers again.\n');
        return asked.value;
      }
      if (!asked.again) throw new StoppedAsking(asked.failure);
      if (!told) print(`${asked.failure.message} Trying again; nothing is missed.\n`);
      told = true;
      await sleep(Math.max(waitMs, asked.waitMs), undefined, { signal: stopping }).catch(() => {});
    }
  };
}
