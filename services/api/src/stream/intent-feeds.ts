// Reads an intent for all streams that follow it: one poll and one read per intent, independent of the number of
// streams. A notification only triggers a read; subscribers always get what the database holds. The feed also polls,
// because notifications can be lost.
import type { Caller } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { IntentSituation, StatusPorts } from '../ports.ts';

export type FeedOptions = { readonly pollMs: number; readonly onProblem: (problem: unknown, intentId: string) => void };

/** Called with undefined if the intent is gone. */
type OnSituation = (situation: IntentSituation | undefined) => void;

export type IntentFeeds = {
  /** Calls `onSituation` soon with a new read, and after every later read. Returns the function to unsubscribe. */
  readonly subscribe: (caller: Caller, intentId: Id<'paymentIntent'>, onSituation: OnSituation) => () => void;
};

type Feed = { readonly add: (onSituation: OnSituation) => () => void };

export function createIntentFeeds(ports: StatusPorts, options: FeedOptions): IntentFeeds {
  const feeds = new Map<string, Feed>();
  return {
    subscribe(caller, intentId, onSituation) {
      const name = `${caller.accountId}/${caller.mode}/${intentId}`;
      const known = feeds.get(name);
      if (known !== undefined) return known.add(onSituation);
      const feed = createFeed({
        load: () => ports.loadStatus(caller, intentId),
        watch: (onChange) => ports.watchIntent(intentId, onChange),
        onEmpty: () => feeds.delete(name),
        pollMs: options.pollMs,
        onProblem: (problem) => options.onProblem(problem, intentId),
      });
      feeds.set(name, feed);
      return feed.add(onSituation);
    },
  };
}

type FeedParts = {
  readonly pollMs: number;
  readonly onProblem: (problem: unknown) => void;
  readonly load: () => Promise<IntentSituation | undefined>;
  readonly watch: (onChange: () => void) => Promise<() => void | Promise<void>>;
  readonly onEmpty: () => void;
};

function createFeed({ load, watch, onEmpty, pollMs, onProblem }: FeedParts): Feed {
  const subscribers = new Set<{ readonly tell: OnSituation }>();
  let reading = false;
  let readAgain = false;
  const timer = setInterval(read, pollMs);
  const watching = watch(read).catch((problem: unknown) => {
    onProblem(problem);
    return () => {};
  });
  // Covers a change between a subscriber's first read and the start of the watch, which no notification reported.
  void watching.then(read);

  function read(): void {
    readAgain = true;
    if (!reading) void readWhileAsked();
  }

  async function readWhileAsked(): Promise<void> {
    reading = true;
    while (readAgain && subscribers.size > 0) {
      readAgain = false;
      // A subscriber that joins during a read may already have seen newer data, so it waits for the next read.
      const asking = [...subscribers];
      try {
        const situation = await load();
        for (const one of asking) if (subscribers.has(one)) one.tell(situation);
      } catch (problem) {
        // The next poll tries again.
        onProblem(problem);
      }
    }
    reading = false;
  }

  async function end(): Promise<void> {
    clearInterval(timer);
    onEmpty();
    try {
      await (await watching)();
    } catch (problem) {
      onProblem(problem);
    }
  }

  return {
    add(tell) {
      const one = { tell };
      subscribers.add(one);
      if (subscribers.size > 1) read();
      return () => {
        if (subscribers.delete(one) && subscribers.size === 0) void end();
      };
    },
  };
}
