// Prints each finished step with its duration: with a tick on a terminal, else as plain lines.
import type { Paint } from '@svc-pay/runtime/terminal/paint';

export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export type StepsOptions = {
  readonly print: (text: string) => void;
  readonly onTerminal: boolean;
  readonly paint: Paint;
};

const NAME_WIDTH = 34;

export function createSteps({ print, onTerminal, paint }: StepsOptions): Step {
  return async (name, work) => {
    const startMs = performance.now();
    const line = (mark: string, remark = '') => {
      const seconds = `${((performance.now() - startMs) / 1_000).toFixed(1)} s`.padStart(7);
      print(`${onTerminal ? `${mark} ` : ''}${name.padEnd(NAME_WIDTH)}${paint.dim(seconds)}${remark}\n`);
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
