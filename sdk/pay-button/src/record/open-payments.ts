// What this browser remembers of a payment whose signature has left the page, or that a wallet was asked to send: which intent,
// and until when it could still be taken. Never the signature. While there is a record nothing new is signed for the same thing.
export type OpenPayment = {
  readonly paymentIntentId: string;
  readonly savedAtMs: number;
  /** By the payer's clock, with a margin: a service that still waits for payment after this will never take the signature. */
  readonly takenBeforeMs: number;
  /** A wallet was asked to send it: the regular flow. */
  readonly isRegular?: boolean;
  /** Hash of the transaction that the wallet sent, once it told. Until the service speaks of it, it may always arrive. */
  readonly transactionId?: string;
  /** Name of the wallet that sent it. */
  readonly wallet?: string;
  /** The service refused the signature. Nobody waits for it; the regular flow does not follow while it could be taken. */
  readonly isRefused?: boolean;
  /** The page was told of the confirmed up-to authorization. */
  readonly isTold?: boolean;
  /** The service said of this payment itself that it was of another amount. */
  readonly isMismatched?: boolean;
};

export type OpenPayments = {
  readonly find: (key: string) => OpenPayment | undefined;
  readonly save: (key: string, payment: OpenPayment) => void;
  readonly forget: (key: string) => void;
};

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'svc-pay:';
const KEPT_MS = 7 * 86_400_000;

/** `shelf` is undefined where a browser has no storage to give: then memory has to do, for as long as the page lives. */
export function openPayments(shelf: Shelf | undefined, nowMs: () => number): OpenPayments {
  const memory = new Map<string, OpenPayment>();
  const onShelf = <Value>(work: (place: Shelf) => Value): Value | undefined => {
    try {
      return shelf && work(shelf);
    } catch {
      return undefined;
    }
  };
  const forget = (key: string) => {
    memory.delete(key);
    onShelf((place) => place.removeItem(PREFIX + key));
  };
  return {
    find(key) {
      const found = read(onShelf((place) => place.getItem(PREFIX + key))) ?? memory.get(key);
      if (found === undefined || nowMs() - found.savedAtMs <= KEPT_MS) return found;
      forget(key);
      return undefined;
    },
    save(key, payment) {
      memory.delete(key);
      const kept = onShelf((place) => {
        place.setItem(PREFIX + key, JSON.stringify(payment));
        return true;
      });
      if (kept !== true) memory.set(key, payment);
    },
    forget,
  };
}

function read(text: string | null | undefined): OpenPayment | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as Partial<OpenPayment>;
    const {
      paymentIntentId,
      savedAtMs,
      takenBeforeMs,
      isTold,
      isRegular,
      isRefused,
      transactionId,
      wallet,
      isMismatched,
    } = record;
    if (typeof paymentIntentId !== 'string' || !Number.isFinite(savedAtMs) || !Number.isFinite(takenBeforeMs)) {
      return undefined;
    }
    return {
      paymentIntentId,
      savedAtMs: savedAtMs ?? 0,
      takenBeforeMs: takenBeforeMs ?? 0,
      isTold: isTold === true,
      ...(isRegular === true && { isRegular }),
      ...(isRefused === true && { isRefused }),
      ...(isMismatched === true && { isMismatched }),
      ...(typeof transactionId === 'string' && { transactionId }),
      ...(typeof wallet === 'string' && { wallet }),
    };
  } catch {
    return undefined;
  }
}
