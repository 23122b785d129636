import { writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { isoTime } from '@svc-pay/core';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { bundleText } from '../doctor/bundle.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { done, failed, type Outcome } from '../output/outcome.ts';
import type { Paint } from '../output/paint.ts';
import { harmless } from '../output/table.ts';

type Options = { readonly bundle?: string };

export function doctorCommand(surroundings: Surroundings): Command {
  return leaf(
    'doctor',
    'Look at the configuration, the database, the clocks, the chains and the tokens, and say in words what is wrong and what to do. Fails when there is a problem; warnings are no failure.',
    ['doctor', 'doctor --bundle report.json'],
  )
    .option('--bundle <file>', 'also write a report without secrets, to hand to somebody')
    .action(runs<Options>(surroundings, run));
}

async function run({ options, context }: Input<Options>): Promise<Outcome> {
  const { environment, clock, paint } = context;
  const { findings, networks } = await examine(environment, clock, context.say);
  if (options.bundle !== undefined) {
    const text = bundleText({
      findings,
      environment,
      networks,
      generatedAt: isoTime(clock.nowMs()),
      machine: { node: process.version, system: `${platform()} ${release()} ${arch()}` },
    });
    try {
      await writeFile(options.bundle, text, { mode: 0o600, flag: 'wx' });
    } catch (problem) {
      const exists = (problem as NodeJS.ErrnoException).code === 'EEXIST';
      return failed(
        'bundle_not_written',
        `${harmless(options.bundle)} ${exists ? 'exists already' : 'can’t be written'}.`,
        'Choose another file.',
      );
    }
  }
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const summary = `${count('ok')} fine, ${warnings} to look at, ${problems} wrong.`;
  const report = {
    data: { healthy: problems === 0, findings },
    text: [...findings.map((finding) => shown(finding, paint)), '', summary].join('\n'),
  };
  if (problems === 0) return done(report.data, report.text);
  return { ...failed('unhealthy', `${problems} things are wrong; each says above what to do.`), report };
}

function shown({ area, subject, status, message, advice }: Finding, paint: Paint): string {
  const mark = { ok: paint.good('ok     '), warning: paint.warn('look   '), problem: paint.bad('wrong  ') }[status];
  const line = `${mark}${area} ${harmless(subject)}: ${harmless(message)}`;
  return advice === undefined ? line : `${line}\n       → ${advice}`;
}
