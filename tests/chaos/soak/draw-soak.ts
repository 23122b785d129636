// A soak as curves over time, each with the faults as thin lines.
import { type Curve, drawPanels, type Panel } from '../harness/draw-panels.ts';
import type { Sample } from './sample-world.ts';

export function drawSoak(title: string, samples: readonly Sample[], faultSeconds: readonly number[]): string {
  const names = Object.keys(samples[0]?.parts ?? {});
  const perPart = (read: (sample: Sample, name: string) => number): readonly Curve[] =>
    names.map((name) => ({ name, values: samples.map((sample) => read(sample, name)) }));
  const panels: readonly Panel[] = [
    { title: 'payments completed a second', curves: [{ name: 'completed', values: ratesOf(samples) }] },
    { title: 'memory, MiB', curves: perPart(({ parts }, name) => parts[name]?.mebibytes ?? 0) },
    { title: 'open sockets', curves: perPart(({ parts }, name) => parts[name]?.sockets ?? 0) },
    {
      title: 'tables: stored KiB per payment',
      curves: [{ name: 'KiB', values: samples.map(({ bytesPerPayment }) => bytesPerPayment / 1_024) }],
    },
    {
      title: 'tables: dead rows per live row',
      curves: [{ name: 'dead share', values: samples.map(({ deadShare }) => deadShare) }],
    },
  ];
  const seconds = samples.map((sample) => sample.seconds);
  const footer = `${Math.round((seconds.at(-1) ?? 1) / 60)} minutes; thin lines are faults`;
  return drawPanels({ title, seconds, panels, marks: faultSeconds, footer });
}

/** From one sample to the next. */
function ratesOf(samples: readonly Sample[]): readonly number[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    if (before === undefined) return 0;
    return Math.max(0, (sample.completed - before.completed) / Math.max(1, sample.seconds - before.seconds));
  });
}
