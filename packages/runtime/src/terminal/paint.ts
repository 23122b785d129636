import { styleText } from 'node:util';

export type Paint = {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
};

/** Colours on a terminal; elsewhere every text stays unchanged. */
export function paintFor(onTerminal: boolean): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    onTerminal ? styleText(format, text, { validateStream: false }) : text;
  return { bold: style('bold'), dim: style('dim'), good: style('green'), bad: style('red'), warn: style('yellow') };
}
