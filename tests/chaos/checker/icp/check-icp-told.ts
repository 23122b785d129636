// What clients were told about their intents never contradicts how they stand, and what a block means to an intent.
import type { Violation } from '../case-file.ts';
import { type IcpCase, type Notified, wrong } from './icp-case.ts';

const BUSY: ReadonlySet<number> = new Set([408, 429]);

export function checkIcpTold({ file, notified }: IcpCase): readonly Violation[] {
  const statusOf = (intent: string) => file.intentOf.get(intent)?.status;
  return [...Map.groupBy(notified, ({ intent }) => intent)].flatMap(([intent, told]) => [
    ...told.flatMap((answer) => checkAnswer(answer, statusOf(intent))),
    ...checkOrder(told),
  ]);
}

function checkAnswer({ intent, http, error, status, is, block, refusal }: Notified, ends?: string): Violation[] {
  if (http === null) return [];
  const rule = 'told the truth';
  if (http !== 200) return wrong(http < 500 && !BUSY.has(http), rule, `was told ${http} ${error}`, intent);
  return [
    ...wrong(status === 'completed' && ends !== 'completed', rule, `completed, and it is ${ends}`, intent),
    ...wrong(status === 'canceled' && ends !== 'canceled', rule, `canceled, and it is ${ends}`, intent),
    ...wrong(is === 'own' && refusal !== null, rule, `block ${block} is its own, and was refused: ${refusal}`, intent),
  ];
}

/** What is over stays over. */
function checkOrder(told: readonly Notified[]): Violation[] {
  const over = told.filter(({ status }) => status === 'completed' || status === 'canceled');
  const knownAt = Math.min(...over.map(({ at }) => at));
  return told
    .filter(({ askedAt, http, status }) => askedAt > knownAt && http === 200 && status !== over[0]?.status)
    .map(({ intent, status }) => ({
      rule: 'told the truth',
      intent,
      text: `${over[0]?.status}, afterwards ${status}`,
    }));
}
