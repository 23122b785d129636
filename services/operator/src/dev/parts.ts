// Parts that were started together and are stopped together. One that is still starting when another has failed is
// waited for and stopped too, so that nothing is left behind.

export type Part = {
  /** Settles when it has ended, for whatever reason. */
  readonly ended?: Promise<unknown>;
  readonly stop: () => Promise<void>;
};

export type Parts = {
  readonly start: <Started extends Part>(name: string, work: () => Promise<Started>) => Promise<Started>;
  /** Settles with the name of the first one that ended by itself. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

export function createParts(): Parts {
  const starting: Promise<Part>[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const nameWhenEnded = async (name: string, part: Part) => {
    if (part.ended === undefined) return;
    await part.ended;
    resolve(name);
  };
  return {
    ended,
    start: async (name, work) => {
      const started = work();
      starting.push(started);
      const part = await started;
      void nameWhenEnded(name, part);
      return part;
    },
    stop: async () => {
      const settled = await Promise.allSettled(starting);
      const parts = settled.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
