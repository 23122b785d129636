// What clients were told never contradicts how it ended. Not knowing is allowed; being wrong is not.
import { type CaseFile, isSuccess, type Violation } from './case-file.ts';
import type { PaymentRow } from './record-evidence.ts';
import type { Told } from './run-evidence.ts';

const SETTLING: ReadonlySet<string> = new Set(['settle', 'settle upto']);
const BUSY: ReadonlySet<number> = new Set([408, 429]);

export function checkTold(file: CaseFile): readonly Violation[] {
  const { run, paymentsOfIntent } = file;
  const byHeader = Map.groupBy(run.told, ({ intent, nonce }) => `${intent} ${nonce}`);
  return [...byHeader.values()].flatMap((told) => {
    const [first] = told;
    const own = (paymentsOfIntent.get(first?.intent ?? '') ?? []).find(({ nonce }) => nonce === first?.nonce);
    return [...told.flatMap((answer) => checkAnswer(file, answer, own)), ...checkOrder(file, told, own)];
  });
}

function checkAnswer(file: CaseFile, told: Told, own: PaymentRow | undefined): Violation[] {
  const { intentOf, reversedPayments } = file;
  const completed = own !== undefined && isSuccess(file, own);
  const { call, http, status, intent, transactionId, error, moneyMoved, askedAt } = told;
  const wrong = (is: boolean, text: string): Violation[] =>
    is ? [{ rule: 'told the truth', intent, text: `${call} was told ${text}` }] : [];
  if (http === null) return [];
  if (http !== 200) {
    return [
      ...wrong(http < 500 && !BUSY.has(http), `${http} ${error}`),
      ...wrong(
        moneyMoved === 'no' && SETTLING.has(call) && completed && own.createdMs < askedAt,
        `that no money moved (${http} ${error}), although its payment was taken before`,
      ),
    ];
  }
  if (!SETTLING.has(call)) return [];
  const moved = own !== undefined && reversedPayments.has(own.id);
  return [
    ...wrong(status === 'succeeded' && !completed, `succeeded, and it is ${own?.status ?? 'not there'}`),
    ...wrong(status === 'failed' && completed, `failed (${error}), and it completed`),
    ...wrong(status === 'completed' && intentOf.get(intent)?.status !== 'completed', 'completed, and it is not'),
    ...wrong(status === 'mismatched', 'mismatched'),
    ...(status === 'succeeded' && completed
      ? [
          ...wrong(
            transactionId !== own.transaction && !moved,
            `transaction ${transactionId}, and it is ${own.transaction}`,
          ),
          ...wrong(
            told.settledAmount !== undefined && told.settledAmount !== own.paid,
            `${told.settledAmount} settled`,
          ),
          ...wrong(
            told.refundAmount !== undefined && told.refundAmount !== own.refund,
            `${told.refundAmount} refunded`,
          ),
          ...wrong(told.feeAmount !== undefined && told.feeAmount !== own.fee, `a fee of ${told.feeAmount}`),
        ]
      : []),
  ];
}

/** Who asked after a success had been told hears of it again, unless the chain took it back. */
function checkOrder({ reversedPayments }: CaseFile, told: readonly Told[], own: PaymentRow | undefined): Violation[] {
  const successes = told.filter(({ call, status }) => SETTLING.has(call) && status === 'succeeded');
  if (successes.length === 0 || own === undefined || reversedPayments.has(own.id)) return [];
  const knownAt = Math.min(...successes.map(({ at }) => at));
  return told
    .filter(
      ({ askedAt, http, status, call }) =>
        SETTLING.has(call) && askedAt > knownAt && http === 200 && status !== 'succeeded',
    )
    .map(({ status, intent }) => ({ rule: 'told the truth', intent, text: `succeeded, and afterwards ${status}` }));
}
