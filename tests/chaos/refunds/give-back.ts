// What a merchant gives back of one payment: all at once, in parts that race for more than was paid, a part alone, or by a
// transfer of his own that he reports, also for another payment of the same payer.
import { askOf, type PaidPayment, refundIn, refundsPath } from './refund-calls.ts';
import { endOf, type Refunding, refundOnce, untilKnown } from './refund-once.ts';

const WHOLE = 0.35;
const RACING = 0.65;
const PART = 0.8;

/** `cousin`: another payment of the same payer to the same merchant. */
export async function giveBack(run: Refunding, cousin: PaidPayment | undefined): Promise<void> {
  const { paid, history } = run;
  const plan = run.onlyReported === true ? 'reported' : planOf(run.dice.roll());
  history.note('refund planned', { payment: paid.payment, plan });
  const known = await CARRIED[plan](run, cousin);
  if (!known) history.note('refund gave up', { payment: paid.payment, plan });
}

const planOf = (roll: number) =>
  roll < WHOLE ? 'whole' : roll < RACING ? 'racing' : roll < PART ? 'part' : 'reported';

type Carry = (run: Refunding, cousin: PaidPayment | undefined) => Promise<boolean>;

const CARRIED: Readonly<Record<ReturnType<typeof planOf>, Carry>> = {
  whole: async (run) => {
    const ended = await refundOnce(run, 'whole');
    await askAgain(run);
    return ended !== undefined;
  },
  racing: async (run) => {
    const { paidAtomic } = run.paid;
    const parts = [(paidAtomic * 2n) / 5n, (paidAtomic * 7n) / 10n, undefined];
    const raced = await Promise.all(parts.map((amount, index) => refundOnce(run, `racing-${index}`, amount)));
    const rest = await refundOnce(run, 'rest');
    await askAgain(run);
    return [...raced, rest].every((ended) => ended !== undefined);
  },
  part: async (run) => (await refundOnce(run, 'part', (run.paid.paidAtomic + 2n) / 3n)) !== undefined,
  reported: async (run, cousin) => {
    const transaction = await run.sendBack(run.paid, (run.paid.paidAtomic + 1n) / 2n);
    if (transaction === undefined) return true;
    const twice = [report(run, run.paid, transaction), report(run, run.paid, transaction)];
    const ended = await Promise.all([...twice, ...(cousin ? [report(run, cousin, transaction)] : [])]);
    return ended.every((end) => end !== undefined);
  },
};

/** A payment that was given back whole has nothing left. */
async function askAgain(run: Refunding): Promise<void> {
  await askOf(run, run.paid, 'again', { path: refundsPath(run.paid), body: { amount: '1' } });
}

async function report(run: Refunding, paid: PaidPayment, transactionId: string): Promise<string | undefined> {
  const path = refundsPath(paid);
  const reported = await untilKnown(run, async () => {
    const told = await askOf(run, paid, 'report', { path, body: { transactionId } });
    if (told?.body['error'] === 'refund_exceeds_paid') return 'exceeds';
    return told?.http === 201 ? refundIn(told)?.id : undefined;
  });
  return reported === undefined || reported === 'exceeds' ? reported : endOf({ ...run, paid }, reported);
}
