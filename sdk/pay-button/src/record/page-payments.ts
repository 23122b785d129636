import { nowMs } from '../clock.ts';
import { type OpenPayments, openPayments } from './open-payments.ts';

let ofThisPage: OpenPayments | undefined;

/** One for all buttons of a page. In `localStorage`, so that a second tab knows what the first one has sent. */
export function pagePayments(): OpenPayments {
  ofThisPage ??= openPayments(pageStorage(), nowMs);
  return ofThisPage;
}

/** Merely looking throws where storage is forbidden. */
function pageStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
