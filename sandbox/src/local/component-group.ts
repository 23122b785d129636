// Components that start and stop together. If one fails, the others that are still starting are awaited and stopped
// too, so that no process is left.

export type Component = {
  /** Settles when the component has ended, for any reason. */
  readonly ended?: Promise<unknown>;
  readonly stop: () => Promise<void>;
};

export type ComponentGroup = {
  readonly start: <Started extends Component>(name: string, work: () => Promise<Started>) => Promise<Started>;
  /** Resolves with the name of the first component that ended by itself. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

export function createComponentGroup(): ComponentGroup {
  const starting: Promise<Component>[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const nameWhenEnded = async (name: string, component: Component) => {
    if (component.ended === undefined) return;
    await component.ended;
    resolve(name);
  };
  return {
    ended,
    start: async (name, work) => {
      const started = work();
      starting.push(started);
      const component = await started;
      void nameWhenEnded(name, component);
      return component;
    },
    stop: async () => {
      const settled = await Promise.allSettled(starting);
      const components = settled.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      await Promise.all(components.map((component) => component.stop()));
    },
  };
}
