import { expect, test } from 'vitest';
import type { Eip1193Provider } from '../evm/eip1193.ts';
import { evmWallet } from '../evm/evm-wallet.ts';
import type { Ports } from '../ports.ts';
import { fakeService, offered, SAMPLE, settled, stands } from '../testing/fake-service.ts';
import { fakeWallet } from '../testing/fake-wallet.ts';
import { payWorld } from '../testing/pay-world.ts';

const answers = {
  intent: ['broken', offered(SAMPLE)],
  settle: ['broken', settled('processing')],
  stream: [{ status: 404, body: '' }],
  notify: [stands('requires_payment'), stands('processing'), stands('completed')],
} as const;

/** Pays, and aborts just before or just after the n-th time that something outside is asked or waited for. */
async function payAbortedAt(n: number, when: 'before' | 'after') {
  const controller = new AbortController();
  let count = 0;
  const counted =
    <Arguments extends readonly unknown[], Value>(work: (...args: Arguments) => Promise<Value>) =>
    async (...args: Arguments): Promise<Value> => {
      count += 1;
      const mine = count === n;
      if (mine && when === 'before') controller.abort();
      const promise = work(...args);
      if (mine && when === 'after') queueMicrotask(() => controller.abort());
      return promise;
    };
  const service = fakeService(answers);
  const wallet = fakeWallet({}, 1);
  const provider: Eip1193Provider = { ...wallet, request: counted((call) => wallet.request(call)) };
  const world = payWorld();
  const ports: Partial<Ports> = {
    fetch: counted(service.fetch),
    sleep: counted((ms: number, signal: AbortSignal) => world.time.sleep(ms, signal)),
    nowMs: world.time.nowMs,
  };
  const { pay, terminals } = payWorld({ wallet: evmWallet({ provider }), client: { ports } });
  const call = pay.createPayment({ usdAmount: '12.50', tokenShortcode: 'base_usdc' }, { signal: controller.signal });
  const outcome = await world.time.run(call.catch((problem: unknown) => problem));
  const sentBefore = service.of('settle').length;
  await new Promise((resolve) => setImmediate(resolve));
  return { outcome, terminals: terminals(), service, wallet, count, controller, sentBefore };
}

test.each(['before', 'after'] as const)(
  'aborted %s any await: one typed end, and nothing is done afterwards',
  { timeout: 30_000 },
  async (when) => {
    const whole = await payAbortedAt(Number.POSITIVE_INFINITY, when);
    expect(whole.outcome).toMatchObject({ status: 'completed' });
    expect(whole.count).toBeGreaterThan(20);
    let aborted = 0;
    for (let n = 1; n <= whole.count; n += 1) {
      const { outcome, terminals, service, wallet, sentBefore } = await payAbortedAt(n, when);
      expect(terminals).toHaveLength(1);
      expect(service.of('settle')).toHaveLength(sentBefore);
      if (!(outcome instanceof Error)) continue;
      aborted += 1;
      const sent = service.of('settle').length > 0;
      expect(outcome).toMatchObject({ code: 'aborted', moneyMoved: sent ? 'unknown' : 'no' });
      expect(terminals[0]).toMatchObject({
        type: 'svc-sdk-transaction-failed',
        detail: { error: { code: 'aborted' } },
      });
      if (!sent) expect(wallet.signed().length).toBeLessThanOrEqual(1);
    }
    // An abort that comes with the last answer is too late.
    expect(aborted).toBeGreaterThanOrEqual(whole.count - 6);
  },
);

test('a signal that is already aborted asks nobody', async () => {
  const { pay, failure, service, provider } = payWorld();
  const error = await failure(pay.createPayment({ usdAmount: 1 }, { signal: AbortSignal.abort() }));
  expect(error).toMatchObject({ code: 'aborted', moneyMoved: 'no' });
  expect([...service.asked, ...provider.methods()]).toEqual([]);
});

test.each(['createPayment', 'createUptoAuthorization'] as const)(
  '%s aborted by who hears of the signature sends nothing',
  async (call) => {
    const scheme = call === 'createPayment' ? 'exact' : 'upto';
    const { pay, failure, service, provider } = payWorld({ answers: { intent: [offered({ ...SAMPLE, scheme })] } });
    const controller = new AbortController();
    pay.on('svc-sdk-transaction-updated', () => controller.abort());
    const request = { usdAmount: '12.50', tokenShortcode: 'base_usdc' };
    const error = await failure(pay[call](request, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted', moneyMoved: 'no' });
    expect(provider.signed()).toHaveLength(1);
    expect([...service.of('settle'), ...service.of('confirm')]).toEqual([]);
  },
);
