// The list of events for whoever follows it: an API that is away is waited for, one that refuses ends it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../output/outcome.ts';
import { eventPage } from './event-summary.ts';
import type { ListEvents } from './follow-events.ts';
import type { MerchantApi } from './merchant-api.ts';

/** Thrown when there is no use in asking on; without a failure when somebody wants it to end. */
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

type Parts = { readonly say: (text: string) => void; readonly stopping: AbortSignal };

export function listWith(api: MerchantApi, { say, stopping }: Parts): ListEvents {
  return async (createdAfter, startingAfter) => {
    let told = false;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      if (stopping.aborted) throw new StoppedAsking(undefined);
      const asked = await api.get('/sdk/events', { createdAfter, startingAfter, limit: PAGE }, eventPage);
      if (asked.ok) {
        if (told) say('The API answers again.\n');
        return asked.value;
      }
      if (!asked.again) throw new StoppedAsking(asked.failure);
      if (!told) say(`${asked.failure.message} Trying again; nothing is missed.\n`);
      told = true;
      await sleep(Math.max(waitMs, asked.waitMs), undefined, { signal: stopping }).catch(() => {});
    }
  };
}
