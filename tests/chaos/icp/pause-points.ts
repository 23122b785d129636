// Places at which a service can be told to stop while it handles transfers of a token ledger. What gets there stays there.
import { ServerResponse } from 'node:http';
import { createStatementPoints } from '../settlement/statement-points.ts';

/**
 * `cursor` loads it and is followed by the reading of blocks, `move` writes it with what was read, `keep` writes transfers,
 * `apply` and `drop` begin and end the transaction in which one counts, `notify` begins a notification, `proof` and
 * `completion` are of a refund.
 */
type Step = 'cursor' | 'move' | 'keep' | 'apply' | 'drop' | 'notify' | 'proof' | 'completion';
const STEP_OF: Readonly<Record<string, Step>> = {
  'load-icrc-cursor': 'cursor',
  'move-icrc-cursor': 'move',
  'keep-icrc-transfers': 'keep',
  'lock-icrc-transfer': 'apply',
  'drop-icrc-transfer': 'drop',
  'load-code-of-intent': 'notify',
  'prove-refund': 'proof',
  'write-refunded-payment': 'completion',
};

export type LedgerPoint = `${'before' | 'after'} ${Step}` | 'before answer';
export type AskPoint = `${'before' | 'after'} ask`;

const NOTIFY = '/payments/notify';

type Points<Point> = { readonly pauseAt: (point: Point | 'nowhere') => void };

const isAnswer = (point: LedgerPoint | 'nowhere'): point is 'before answer' => point === 'before answer';

type End = (this: ServerResponse, ...given: unknown[]) => ServerResponse;

/** Of settlement. */
export function createLedgerPoints(): Points<LedgerPoint> {
  // A cursor that stays where it is tells only that the ledger was read.
  const isMeant = (step: Step, values: readonly unknown[]) => step !== 'move' || values[2] !== values[3];
  const statements = createStatementPoints(STEP_OF, isMeant);
  let answers = false;
  const proto = ServerResponse.prototype as unknown as { end: End };
  const { end } = proto;
  proto.end = function endOrStay(...given) {
    if (!answers || this.req.url !== NOTIFY) return end.apply(this, given);
    process.send?.({ held: ['before answer'] });
    return this;
  };
  return {
    pauseAt: (point) => {
      answers = isAnswer(point);
      statements.pauseAt(isAnswer(point) ? 'nowhere' : point);
    },
  };
}

/** Of an API: around its question to settlement. */
export function createAskPoints(): Points<AskPoint> {
  let armed: AskPoint | 'nowhere' = 'nowhere';
  const pass = async (point: AskPoint): Promise<void> => {
    if (armed !== point) return;
    process.send?.({ held: [point] });
    await new Promise(() => {});
  };
  const ask = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const [url] = given;
    if (typeof url !== 'string' || !url.endsWith(NOTIFY)) return ask(...given);
    await pass('before ask');
    const answer = await ask(...given);
    await pass('after ask');
    return answer;
  };
  return {
    pauseAt: (point) => {
      armed = point;
    },
  };
}
