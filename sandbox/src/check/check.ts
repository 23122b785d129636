// npm run sandbox -- --check: starts a separate sandbox, runs every flow as a payer and a merchant would, and prints
// one line per flow. The flows use different wallets and run in parallel.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '@svc-pay/core';
import { freePort } from '@svc-pay/postgres/server';
import { EXIT_FAILED } from '@svc-pay/runtime/terminal/exit-codes';
import { paintFor } from '@svc-pay/runtime/terminal/paint';
import { createSteps, type Step } from '../local/steps.ts';
import { startSandbox } from '../start-sandbox.ts';
import { FLOWS } from './flows.ts';
import { createVisit } from './visit.ts';

export type CheckOptions = {
  readonly clock: Clock;
  readonly step: Step;
  /** Resolves when the user stops the command. */
  readonly stopped: Promise<NodeJS.Signals>;
  /** Prints the result lines. */
  readonly print: (text: string) => void;
};

const PATIENCE_MS = 60_000;

/** Returns the exit code. Leaves no processes and no files. */
export async function check({ clock, step, stopped, print }: CheckOptions): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-sandbox-'));
  // PostgreSQL may run as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  const complaints: string[] = [];
  const startMs = performance.now();
  try {
    const [shop, timeline] = await Promise.all([freePort(), freePort()]);
    const complain = (text: string) => void complaints.push(text);
    const sandbox = await startSandbox({
      folder,
      fresh: true,
      freePorts: true,
      ports: { shop, timeline },
      clock,
      step,
      complain,
    });
    try {
      const flow = createSteps({ print, onTerminal: false, paint: paintFor(false) });
      const giveUp = AbortSignal.timeout(PATIENCE_MS);
      const ended = Promise.race([stopped, sandbox.ended]).then((reason) => `stopped: ${reason}`);
      const failures: string[] = [];
      const runs = FLOWS.map(({ name, run }) =>
        flow(name, () => run(createVisit(sandbox, clock, giveUp))).catch((problem: unknown) => {
          failures.push(`${name}: ${problem instanceof Error ? problem.message : String(problem)}`);
        }),
      );
      const first = await Promise.race([Promise.all(runs), ended]);
      if (typeof first === 'string') failures.push(first);
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
      if (failures.length === 0) {
        print(`${FLOWS.length} flows in ${seconds} s, all well\n`);
        return 0;
      }
      print([...failures, ...complaints].map((text) => `RED  ${text}\n`).join(''));
      return EXIT_FAILED;
    } finally {
      await step('everything stopped', sandbox.stop);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
