import type { Announcer } from '../events/announce.ts';
import type { Service } from '../http/service.ts';
import type { Ports } from '../ports.ts';
import type { PayerWallet } from '../wallet.ts';

/** What a client is made of. */
export type ClientDeps = {
  readonly ports: Ports;
  readonly service: Service;
  readonly wallet: PayerWallet | undefined;
  readonly announcer: Announcer;
  readonly walletTimeoutMs: number;
  readonly paymentTimeoutMs: number;
  /** Who may be paid, where a request does not say it; undefined for anybody. */
  readonly payTo: readonly string[] | undefined;
};

export type CallOptions = {
  /** Ends the call at whatever it is waiting for. Money that is already on its way is not called back. */
  readonly signal?: AbortSignal;
  /** How long to wait for the result, from the moment the signed payment is sent. */
  readonly timeoutMs?: number;
};

export const signalOf = ({ signal }: CallOptions): AbortSignal => signal ?? new AbortController().signal;
