// One refund by a careful merchant: what was not answered well is asked again until it is known how it ended. Now and then he
// is impatient and submits twice at once, and now and then somebody who saw the signature submits it to the chain himself.
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../harness/clock.ts';
import type { Dice } from '../harness/dice.ts';
import type { Told } from '../settlement/ask-api.ts';
import { askOf, type PaidPayment, type RefundDesk, refundIn, refundsPath } from './refund-calls.ts';

type SignedRefund = {
  /** For the submit call. */
  readonly body: object;
  /** What names the transfer on the chain, as the wallet saw it. */
  readonly mark: string;
  /** Hands the signature to the chain without the service. */
  readonly leak: () => Promise<boolean>;
};

export type RefundWallets = {
  /** Signs what the service answered. */
  readonly sign: (created: Readonly<Record<string, unknown>>) => Promise<SignedRefund>;
  /** Sends a part of what was paid back without the service; resolves when the transfer stands in a block. */
  readonly sendBack: (paid: PaidPayment, amountAtomic: bigint) => Promise<string | undefined>;
  /** Nothing is signed for the service: merchants send money back themselves and name the transfer. */
  readonly onlyReported?: boolean;
};

export type Refunding = RefundDesk &
  RefundWallets & { readonly dice: Dice; readonly endMs: number; readonly paid: PaidPayment };

/** Blocks are final after some seconds. */
const PAUSE_MS = 2_000;
const DOUBLED = 0.3;
const LEAKED = 0.1;
/** The payment has less left than was asked for: this refund is over. */
const EXCEEDS = 'refund_exceeds_paid';
/** Another refund of the payment was faster: a new one has to be prepared. */
const TOO_LATE: ReadonlySet<unknown> = new Set([EXCEEDS, 'refund_superseded', 'refund_canceled']);
const ENDS: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled']);

export async function untilKnown<Value>(
  { endMs, history }: Pick<Refunding, 'endMs' | 'history'>,
  attempt: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (;;) {
    const value = await attempt();
    if (value !== undefined || nowMs() > endMs || !history.isOpen()) return value;
    await sleep(PAUSE_MS);
  }
}

/** How it ended, or `exceeds`; undefined: the merchant gave up. Without an amount: all that is left. */
export async function refundOnce(run: Refunding, name: string, amountAtomic?: bigint): Promise<string | undefined> {
  for (let attempt = 0; nowMs() < run.endMs && run.history.isOpen(); attempt += 1) {
    const created = await create(run, `${run.paid.payment}-${name}-${attempt}`, amountAtomic);
    if (created === undefined || created === 'exceeds') return created;
    const ended = await signAndSubmit(run, created);
    // What failed without taking anything is signed anew.
    if (ended !== 'too late' && ended !== 'failed') return ended;
  }
  return undefined;
}

async function create(run: Refunding, idempotencyKey: string, amountAtomic: bigint | undefined) {
  const body = amountAtomic === undefined ? {} : { amount: String(amountAtomic) };
  const path = refundsPath(run.paid);
  return untilKnown(run, async () => {
    const told = await askOf(run, run.paid, 'create', { path, body, idempotencyKey });
    if (told?.body['error'] === EXCEEDS) return 'exceeds' as const;
    return told?.http === 201 ? told.body : undefined;
  });
}

async function signAndSubmit(run: Refunding, created: Told['body']): Promise<string | undefined> {
  const { paid, dice, history } = run;
  const id = (created['refund'] as { readonly id: string }).id;
  const signed = await run.sign(created);
  history.note('refund signed', { payment: paid.payment, refund: id, mark: signed.mark });
  const submit = () => askOf(run, paid, 'submit', { path: `/sdk/refunds/${id}/submit`, body: signed.body });
  if (dice.roll() < DOUBLED) void submit();
  const submitted = await untilKnown(run, async () => {
    const told = await submit();
    if (told?.http === 202) return 'taken' as const;
    return TOO_LATE.has(told?.body['error']) ? ('too late' as const) : undefined;
  });
  if (submitted === 'too late') await askOf(run, paid, 'cancel', { path: `/sdk/refunds/${id}/cancel`, body: {} });
  if (submitted !== 'taken') return submitted;
  if (dice.roll() < LEAKED) history.note('refund leaked', { refund: id, sent: await signed.leak() });
  return endOf(run, id);
}

export function endOf(run: Refunding, id: string): Promise<string | undefined> {
  return untilKnown(run, async () => {
    const refund = refundIn(await askOf(run, run.paid, 'get', { path: `/sdk/refunds/${id}` }));
    return refund !== undefined && ENDS.has(refund.status) ? refund.status : undefined;
  });
}
