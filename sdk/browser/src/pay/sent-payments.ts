// What was sent for an intent and may still pay it: whoever pays again beside it pays twice. Kept where the place has storage, so
// that a page that was loaded again knows. Never the signature itself.

/** Of `localStorage`, what is needed. */
export type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

type SentPayment = {
  /** By the payer's clock. A transaction is kept over a reload until then, and longer by the client that asked for it. */
  readonly untilMs: number;
  /** A wallet was asked to send it. A header otherwise, which the service takes once per intent, whichever it is. */
  readonly isTransaction: boolean;
};

export type SentPayments = {
  /** Undefined once it can't pay any more. */
  readonly find: (paymentIntentId: string) => SentPayment | undefined;
  readonly save: (paymentIntentId: string, sent: SentPayment) => void;
  readonly forget: (paymentIntentId: string) => void;
};

const PREFIX = 'svc-pay-sent:';

/** `shelf` is undefined where a place has none: then memory has to do, for as long as the client lives. */
export function createSentPayments(shelf: Shelf | undefined, nowMs: () => number): SentPayments {
  const memory = new Map<string, SentPayment>();
  /** Storage that is full or forbidden throws. */
  const onShelf = <Value>(work: (place: Shelf) => Value): Value | undefined => {
    try {
      return shelf && work(shelf);
    } catch {
      return undefined;
    }
  };
  const isAlive = (sent: SentPayment | undefined): sent is SentPayment => sent !== undefined && sent.untilMs > nowMs();
  /** An open prompt of a wallet may be approved at any time, so the client that asked for it never forgets it by itself. */
  const remembered = (paymentIntentId: string): SentPayment | undefined => {
    const sent = memory.get(paymentIntentId);
    return sent?.isTransaction === true || isAlive(sent) ? sent : undefined;
  };
  const clear = (place: Shelf) => {
    const keys = Array.from({ length: place.length }, (_, index) => place.key(index) ?? '');
    for (const key of keys) {
      if (key.startsWith(PREFIX) && !isAlive(read(place.getItem(key)))) place.removeItem(key);
    }
  };
  return {
    find(paymentIntentId) {
      // A page may empty its storage while a payment is under way.
      const stored = onShelf((place) => read(place.getItem(PREFIX + paymentIntentId)));
      const kept = [remembered(paymentIntentId), isAlive(stored) ? stored : undefined].filter(
        (one) => one !== undefined,
      );
      if (kept.length === 0) return undefined;
      const untilMs = Math.max(...kept.map((one) => one.untilMs));
      return { untilMs, isTransaction: kept.some(({ isTransaction }) => isTransaction) };
    },
    save(paymentIntentId, sent) {
      memory.set(paymentIntentId, sent);
      onShelf((place) => {
        clear(place);
        place.setItem(PREFIX + paymentIntentId, JSON.stringify(sent));
      });
    },
    forget(paymentIntentId) {
      memory.delete(paymentIntentId);
      onShelf((place) => place.removeItem(PREFIX + paymentIntentId));
    },
  };
}

function read(text: string | null): SentPayment | undefined {
  try {
    const { untilMs, isTransaction } = JSON.parse(text ?? '{}') as Partial<SentPayment>;
    if (typeof untilMs !== 'number' || !Number.isFinite(untilMs)) return undefined;
    return { untilMs, isTransaction: isTransaction === true };
  } catch {
    return undefined;
  }
}
