import type { Clock } from '@svc-pay/core';
import type { Environment } from '@svc-pay/runtime/config';
import type { Paint } from '@svc-pay/runtime/terminal/paint';

/** Everything outside of the process that a command may use. */
export type Context = {
  readonly clock: Clock;
  readonly environment: Environment;
  /** Colours for standard output. */
  readonly paint: Paint;
  /** Prints progress and questions to standard error; results go to standard output. */
  readonly print: (text: string) => void;
  /** Asks the person at the terminal; undefined if there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
};

export type Input<Options> = {
  readonly options: Options;
  readonly positionals: readonly string[];
  readonly context: Context;
};
