import type { Environment } from '@svc-pay/config';
import type { Clock } from '@svc-pay/core';
import type { Paint } from '../output/paint.ts';

/** What a command may touch of the world around it. */
export type Context = {
  readonly clock: Clock;
  readonly environment: Environment;
  /** Colours of standard output. */
  readonly paint: Paint;
  /** Beside the result: progress and questions, on standard error. */
  readonly say: (text: string) => void;
  /** Puts a question to the person at the terminal; undefined when there is nobody. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
};

export type Input<Options> = {
  readonly options: Options;
  readonly positionals: readonly string[];
  readonly context: Context;
};
