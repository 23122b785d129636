// Awaiting what can't be stopped. Whoever waits can always leave, whatever the other side does.
import { SvcPayError } from '../error/svc-pay-error.ts';

export function haltIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new SvcPayError('aborted', { cause: signal.reason });
}

/** Settles with the promise, or with undefined as soon as the signal is aborted; a late rejection is nobody's. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** A controller that is aborted with its parent and can be aborted alone. */
export function childOf(parent: AbortSignal): { readonly controller: AbortController; readonly release: () => void } {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return { controller, release: () => parent.removeEventListener('abort', follow) };
}
