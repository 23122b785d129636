import { writeFileSync } from 'node:fs';
import { drawSoak } from './draw-soak.ts';
import type { SoakResult } from './run-soak.ts';

const MOST_SHOWN = 20;

/** Whether nothing was violated and nothing grew. */
export function reportSoak(result: SoakResult, seed: number, print: (line: string) => void, svgFile?: string): boolean {
  const { violations, shortest, growth, struck, samples, perSecond, payments } = result;
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  for (const line of shortest) print(line);
  for (const { what, early, late, flat } of growth) {
    print(
      `${flat ? 'flat' : 'GROWS'}: ${what} ${early.toFixed(2)} in the second quarter, ${late.toFixed(2)} in the last`,
    );
  }
  const minutes = Math.round((samples.at(-1)?.seconds ?? 0) / 60);
  const title = `seed ${seed}: ${minutes} minutes at ${perSecond} payments a second, ${payments} payments, ${struck.length} faults, ${violations.length} violations`;
  if (svgFile !== undefined)
    writeFileSync(
      svgFile,
      drawSoak(
        title,
        samples,
        struck.map(({ atSeconds }) => atSeconds),
      ),
    );
  const growing = growth.filter(({ flat }) => !flat).map(({ what }) => what);
  console.log(
    JSON.stringify({
      seed,
      minutes,
      per_s: perSecond,
      payments,
      faults: struck.length,
      violations: violations.length,
      growing,
    }),
  );
  return violations.length === 0 && growing.length === 0;
}
