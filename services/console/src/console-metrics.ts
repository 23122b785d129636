// Metrics of the console. Labels are few and fixed: names of actions, never ids.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CONSOLE_ROUTES, type ConsoleRouteName } from './routes/console-routes.ts';

export type CountedAction = ConsoleRouteName | 'api' | 'admin' | 'operator' | 'page';

export type ConsoleMetrics = {
  readonly registry: Registry;
  readonly answered: (action: CountedAction, status: number) => void;
  readonly signedIn: (result: 'done' | 'refused') => void;
  readonly tokenReused: () => void;
  /** `lagMs` is asked for at every scrape. */
  readonly tellOverviewLag: (lagMs: () => number) => void;
};

export function createConsoleMetrics(): ConsoleMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'console_requests_total',
    help: 'Requests answered, by action',
    labelNames: ['action', 'status'] as const,
    registers,
  });
  for (const action of [...Object.keys(CONSOLE_ROUTES), 'api', 'admin', 'operator', 'page'])
    requests.inc({ action, status: '200' }, 0);
  const signIns = new Counter({
    name: 'console_sign_ins_total',
    help: 'Answers of passkeys that began a session, and answers that were refused',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['done', 'refused']) signIns.inc({ result }, 0);
  const reused = new Counter({
    name: 'console_tokens_reused_total',
    help: 'Sessions that ended because a replaced token came back',
    registers,
  });
  let overviewLagMs = () => 0;
  registry.registerMetric(
    new Gauge({
      name: 'overview_lag_seconds',
      help: 'Age of the time up to which the figures of the overview are counted',
      registers: [],
      collect() {
        this.set(overviewLagMs() / 1_000);
      },
    }),
  );
  return {
    registry,
    answered: (action, status) => requests.inc({ action, status }),
    signedIn: (result) => signIns.inc({ result }),
    tokenReused: () => reused.inc(),
    tellOverviewLag: (lagMs) => {
      overviewLagMs = lagMs;
    },
  };
}
