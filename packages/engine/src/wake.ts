import { askEngine } from './ask-engine.ts';
import { JOB_KEY } from './job-key.ts';
import { createReach, type Reach } from './reach.ts';

/** Wakes a drain. A cheap hint and no more: the database holds the work. */
export type WakeDrain = (name: string, key: string) => Promise<void>;

/** Throws when no node answers. A drain that is woken twice finds nothing to do the second time. */
export const createWakeDrain = (ingressUrls: readonly string[]): WakeDrain => wakeBy(createReach(ingressUrls));

/** Lets a periodic job run once more, soon. A cheap hint: the job also runs by itself. */
export type HastenJob = (name: string) => Promise<void>;

/** Throws when no node answers. */
export function createHastenJob(ingressUrls: readonly string[]): HastenJob {
  const reach = createReach(ingressUrls);
  return async (name) => {
    await reach((url) => askEngine('POST', `${url}/${name}/${JOB_KEY}/soon/send`));
  };
}

export const wakeBy =
  (reach: Reach): WakeDrain =>
  async (name, key) => {
    await reach((url) => askEngine('POST', `${url}/${name}/${encodeURIComponent(key)}/drain/send`));
  };
