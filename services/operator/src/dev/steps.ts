// Says what is going on: each step by name when it is done, with its time. A tick on a terminal, plain lines elsewhere.
import type { Paint } from '../output/paint.ts';

export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export type StepsOptions = {
  readonly say: (text: string) => void;
  readonly onTerminal: boolean;
  readonly paint: Paint;
};

const NAME_WIDTH = 34;

export function createSteps({ say, onTerminal, paint }: StepsOptions): Step {
  return async (name, work) => {
    const startMs = performance.now();
    const line = (mark: string, remark = '') => {
      const seconds = `${((performance.now() - startMs) / 1_000).toFixed(1)} s`.padStart(7);
      say(`${onTerminal ? `${mark} ` : ''}${name.padEnd(NAME_WIDTH)}${paint.dim(seconds)}${remark}\n`);
    };
    try {
      const result = await work();
      line(paint.good('✓'));
      return result;
    } catch (problem) {
      line(paint.bad('✗'), paint.bad('  failed'));
      throw problem;
    }
  };
}
