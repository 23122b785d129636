// Where events go: to this client's own listeners always, and as DOM events to a target when the page wants that.
import type { Tell } from './attempt.ts';
import type { TransactionDetail, TransactionEventType } from './transaction-event.ts';

export type Announcer = {
  readonly tell: Tell;
  readonly on: (type: TransactionEventType, listener: (detail: TransactionDetail) => void) => () => void;
};

/** A listener that throws is reported as an uncaught error and disturbs neither the payment nor other listeners. */
export function createAnnouncer(target: EventTarget | undefined): Announcer {
  const own = new EventTarget();
  return {
    tell(type, detail) {
      for (const place of [own, target]) place?.dispatchEvent(new CustomEvent(type, { detail: { ...detail } }));
    },
    on(type, listener) {
      const hear = (event: Event) => listener((event as CustomEvent<TransactionDetail>).detail);
      own.addEventListener(type, hear);
      return () => own.removeEventListener(type, hear);
    },
  };
}
