// A client in a place where time, service and wallet are played, and everything it tells is heard.
import { createSvcPay, type SvcPayOptions } from '../client.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { TRANSACTION_EVENTS, type TransactionDetail, type TransactionEventType } from '../events/transaction-event.ts';
import { evmWallet } from '../evm/evm-wallet.ts';
import type { Shelf } from '../pay/sent-payments.ts';
import type { PayerWallet } from '../wallet.ts';
import { type Answer, fakeService, type Route } from './fake-service.ts';
import { type FakeWallet, fakeWallet } from './fake-wallet.ts';
import { virtualTime } from './virtual-time.ts';

export type WorldOptions = {
  readonly answers?: Partial<Record<Route, readonly Answer[]>>;
  readonly provider?: FakeWallet;
  readonly wallet?: PayerWallet;
  readonly startMs?: number;
  /** What the browser keeps from one page to the next. */
  readonly storage?: Shelf;
  readonly client?: Partial<SvcPayOptions>;
};

type Heard = { readonly type: TransactionEventType; readonly detail: TransactionDetail };

const isTerminal = ({ type }: Heard): boolean => /-(?:completed|failed|mismatched)$/.test(type);

export function payWorld(options: WorldOptions = {}) {
  const { answers = {}, provider = fakeWallet(), wallet, startMs, storage, client } = options;
  const time = virtualTime(startMs);
  const service = fakeService(answers);
  let drawn = 0;
  const randomBytes = (length: number) => {
    drawn += 1;
    return new Uint8Array(length).fill(drawn % 256);
  };
  const warned: string[] = [];
  const pay = createSvcPay({
    baseUrl: 'https://pay.example',
    publishableKey: 'pk_test_x',
    wallet: wallet ?? evmWallet({ provider }),
    ports: {
      fetch: service.fetch,
      nowMs: time.nowMs,
      sleep: time.sleep,
      randomBytes,
      warn: (line) => warned.push(line),
      storage,
    },
    ...client,
  });
  const heard: Heard[] = [];
  for (const type of TRANSACTION_EVENTS) pay.on(type, (detail) => heard.push({ type, detail }));
  return {
    pay,
    time,
    service,
    provider,
    heard,
    warned,
    terminals: () => heard.filter(isTerminal),
    /** The error a call must end with. */
    failure: async (call: Promise<unknown>): Promise<SvcPayError> => {
      const outcome = await time.run(
        call.then(
          () => 'no error',
          (problem: unknown) => problem,
        ),
      );
      if (!(outcome instanceof SvcPayError)) throw new Error(`expected a typed error, got ${String(outcome)}`);
      return outcome;
    },
  };
}
