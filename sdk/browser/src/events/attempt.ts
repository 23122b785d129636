// One attempt to pay and what is told about it: `created`, then `updated` as often as something changes, then exactly one
// end. Whatever comes after the end is not told.
import type { SvcPayError } from '../error/svc-pay-error.ts';
import type { TransactionDetail, TransactionEventType } from './transaction-event.ts';

export type Tell = (type: TransactionEventType, detail: TransactionDetail) => void;

type Named = Pick<TransactionDetail, 'attemptId' | 'kind' | 'flow'>;
type Known = Partial<Omit<TransactionDetail, keyof Named | 'error'>>;

export type Attempt = {
  readonly attemptId: string;
  readonly known: () => TransactionDetail;
  readonly created: (known: Known) => void;
  /** Tells only what differs from what was told. */
  readonly updated: (known: Known) => void;
  readonly completed: (known: Known) => void;
  readonly failed: (error: SvcPayError) => void;
  readonly mismatched: (known: Known, error: SvcPayError) => void;
};

export function beginAttempt({ attemptId, kind, flow }: Named, tell: Tell): Attempt {
  let ended = false;
  let detail: TransactionDetail = {
    attemptId,
    paymentIntentId: null,
    kind,
    flow,
    status: null,
    transactionId: null,
    network: null,
    asset: null,
    payer: null,
    amount: null,
    requestedAmount: null,
    paidAmount: null,
    authorizedCap: null,
    moneyMoved: 'no',
    error: null,
  };
  const learn = (known: Known, error: SvcPayError | null = null): boolean => {
    const next = {
      ...detail,
      ...known,
      // What was once known is not forgotten because an answer left it out.
      transactionId: known.transactionId === undefined ? detail.transactionId : known.transactionId,
      authorizedCap: known.authorizedCap ?? detail.authorizedCap,
      error: error && { code: error.code, message: error.message, userCancelled: error.isUserCancelled() },
    };
    const changed = JSON.stringify(next) !== JSON.stringify(detail);
    detail = next;
    return changed;
  };
  const end = (type: TransactionEventType, known: Known, error: SvcPayError | null = null) => {
    if (ended) return;
    ended = true;
    learn(known, error);
    tell(type, detail);
  };
  return {
    attemptId,
    known: () => detail,
    created(known) {
      learn(known);
      if (!ended) tell('svc-sdk-transaction-created', detail);
    },
    updated(known) {
      if (!ended && learn(known)) tell('svc-sdk-transaction-updated', detail);
    },
    completed: (known) => end('svc-sdk-transaction-completed', { ...known, moneyMoved: 'yes' }),
    failed: (error) => end('svc-sdk-transaction-failed', { moneyMoved: error.moneyMoved }, error),
    mismatched: (known, error) => end('svc-sdk-transaction-mismatched', { ...known, moneyMoved: 'yes' }, error),
  };
}
