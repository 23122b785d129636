import { decodePaymentHeader } from '@svc-pay/protocol/x402';
import { describe, expect, test } from 'vitest';
import { type Answer, fakeService, offered, refused, settled } from '../testing/fake-service.ts';
import { payWorld } from '../testing/pay-world.ts';
import {
  drawKey,
  type FakeSolanaWallet,
  fakeSolanaWallet,
  MERCHANT,
  preparedFor,
  RELAYER,
  solanaAcceptance,
} from '../testing/solana-actors.ts';
import { solanaWallet } from './solana-wallet.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'soldevnet_usdc' };
const settle = [settled('succeeded', { transactionId: '5sig' })];
const payer = drawKey();

const prepared = (transactionBase64: string): Answer => ({
  status: 200,
  body: { ok: true, transactionBase64, feePayer: RELAYER, lastValidBlockHeight: 1_000 },
});
const notPrepared = (error: string): Answer => ({ status: 200, body: { ok: false, error, message: 'A sentence.' } });

type World = {
  readonly wallet?: FakeSolanaWallet;
  readonly accepts?: readonly unknown[];
  readonly prepare?: readonly Answer[];
};

function worldOf({ wallet = fakeSolanaWallet(payer), accepts = [solanaAcceptance()], prepare = [] }: World) {
  const answers = { intent: [offered(...accepts)], prepare, settle };
  return { wallet, ...payWorld({ answers, wallet: solanaWallet({ wallet }) }) };
}

const withTransaction = async (address = payer.address) =>
  solanaAcceptance({ transactionBase64: await preparedFor(address) });

test('the payer is named with the intent, signs what came with it, and it goes out in the header', async () => {
  const acceptance = await withTransaction();
  const { pay, time, wallet, service } = worldOf({ accepts: [acceptance] });
  expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({
    status: 'completed',
    transactionId: '5sig',
    network: 'solana:devnet',
    payer: payer.address,
  });
  expect(wallet.calls).toEqual(['connect', 'sign']);
  expect(service.of('intent')[0]?.body).toMatchObject({ publicKey: payer.address });
  expect(service.of('prepare')).toEqual([]);
  const { paymentHeader, paymentRequirements } = service.of('settle')[0]?.body ?? {};
  expect(paymentRequirements).toEqual(acceptance);
  const { header } = decodePaymentHeader(paymentHeader) as { header: { payload: { transaction: string } } };
  const sent = Buffer.from(header.payload.transaction, 'base64');
  const [shown] = wallet.shown;
  expect(sent.subarray(1 + 2 * 64).equals(Buffer.from(shown ?? []).subarray(1 + 2 * 64))).toBe(true);
  expect(sent.subarray(65, 129).equals(Buffer.alloc(64))).toBe(false);
});

test('without a transaction in the acceptance one is asked for, again when the answer is lost', async () => {
  const transaction = prepared(await preparedFor(payer.address));
  const { pay, time, service } = worldOf({ prepare: ['broken', { status: 503, body: '' }, transaction] });
  expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed' });
  expect(service.of('prepare')).toHaveLength(3);
  expect(service.of('prepare')[2]?.body).toMatchObject({ publicKey: payer.address, paymentIntentId: 'pi_1' });
});

test('when the person has switched accounts meanwhile, the new one is prepared for and pays', async () => {
  const other = drawKey();
  const wallet = fakeSolanaWallet(payer);
  const accepts = [await withTransaction()];
  const { pay, time, service } = worldOf({ wallet, accepts, prepare: [prepared(await preparedFor(other.address))] });
  pay.on('svc-sdk-transaction-created', () => wallet.use(other));
  expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ payer: other.address });
  expect(service.of('prepare')[0]?.body).toMatchObject({ publicKey: other.address });
});

describe('a transaction that is not what was agreed is never shown to the wallet', () => {
  const stranger = drawKey().address;
  const cases: readonly [string, Parameters<typeof preparedFor>[1]][] = [
    ['amount', { legs: [{ owner: MERCHANT, amountAtomic: 12_500_001n }] }],
    ['payTo', { legs: [{ owner: stranger, amountAtomic: 12_500_000n }] }],
    ['asset', { mint: stranger }],
    ['feePayer', { relayer: stranger }],
    ['intent', { intentId: 'pi_other' }],
  ];
  test.each(cases)('with the intent: %s', async (reason, changes) => {
    const accepts = [solanaAcceptance({ transactionBase64: await preparedFor(payer.address, changes) })];
    const { pay, failure, wallet, service, terminals } = worldOf({ accepts });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code: 'acceptance_refused', reason, moneyMoved: 'no' });
    expect(wallet.calls).toEqual(['connect']);
    expect(service.of('settle')).toEqual([]);
    expect(terminals()).toHaveLength(1);
  });
  test.each(cases)('prepared later: %s', async (reason, changes) => {
    const { pay, failure, wallet } = worldOf({ prepare: [prepared(await preparedFor(payer.address, changes))] });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'acceptance_refused', reason });
    expect(wallet.calls).toEqual(['connect']);
  });
  test('nor is one for somebody else, even from prepare', async () => {
    const { pay, failure, wallet } = worldOf({ prepare: [prepared(await preparedFor(stranger))] });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'acceptance_refused', reason: 'payer' });
    expect(wallet.calls).toEqual(['connect']);
  });
});

const NEVER = () => new Promise<never>(() => {});
const no = async (): Promise<never> => {
  throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
};

describe('whatever the wallet does, the attempt ends and says what happened', () => {
  test.each<[string, Parameters<typeof fakeSolanaWallet>[1], string, boolean]>([
    ['refuses to connect', { connect: no }, 'connection_refused', true],
    ['never connects', { connect: NEVER }, 'wallet_timeout', false],
    ['refuses to sign', { sign: no }, 'signature_refused', true],
    ['never signs', { sign: NEVER }, 'wallet_timeout', false],
    ['breaks', { sign: async () => Promise.reject(new Error('boom')) }, 'wallet_failed', false],
    ['gives nothing back', { sign: async () => [] }, 'wallet_failed', false],
    [
      'gives too much back',
      { sign: async () => [{ signedTransaction: new Uint8Array(1_233) }] },
      'wallet_failed',
      false,
    ],
  ])('%s', async (_, behaviour, code, byThePayer) => {
    const wallet = fakeSolanaWallet(payer, behaviour);
    const { pay, failure, service, terminals } = worldOf({ wallet, accepts: [await withTransaction()] });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code, moneyMoved: 'no' });
    expect(error.isUserCancelled()).toBe(byThePayer);
    expect(service.of('settle')).toEqual([]);
    expect(terminals()).toHaveLength(1);
  });

  test('is closed while it shows the payment', async () => {
    const wallet: FakeSolanaWallet = fakeSolanaWallet(payer, {
      sign: () => {
        wallet.close();
        return NEVER();
      },
    });
    const { pay, failure } = worldOf({ wallet, accepts: [await withTransaction()] });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'wallet_closed', moneyMoved: 'no' });
  });
});

test('a payer who holds too little of every token is told so', async () => {
  const accepts = [solanaAcceptance(), solanaAcceptance({}, { network: 'solana:devnet', asset: drawKey().address })];
  const { pay, failure, service } = worldOf({ accepts, prepare: [notPrepared('insufficient_funds')] });
  const error = await failure(pay.createPayment({ amount: '12500000' }));
  expect(error).toMatchObject({ code: 'insufficient_funds', moneyMoved: 'no' });
  expect(service.of('prepare')).toHaveLength(2);
});

test('what the service refuses to prepare ends the attempt by its own code', async () => {
  const { pay, failure } = worldOf({ prepare: [notPrepared('intent_not_payable')] });
  expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'intent_not_payable', moneyMoved: 'no' });
  const other = worldOf({ prepare: [refused(404, 'not_found')] });
  expect(await other.failure(other.pay.createPayment(REQUEST))).toMatchObject({ code: 'not_found', moneyMoved: 'no' });
});

test('among tokens the payer can afford, the page may ask which', async () => {
  const wallet = fakeSolanaWallet(payer);
  const dear = solanaAcceptance({}, { asset: drawKey().address });
  const [one, other] = [await withTransaction(), await withTransaction()];
  const choices: number[] = [];
  const answers = { intent: [offered(dear, one, other)], settle };
  const { pay, time, service } = payWorld({
    answers,
    wallet: solanaWallet({
      wallet,
      chooseToken: (tokens) => {
        choices.push(tokens.length);
        return tokens[1];
      },
    }),
  });
  await time.run(pay.createPayment({ amount: '12500000' }));
  expect(choices).toEqual([2]);
  expect(service.of('settle')[0]?.body['paymentRequirements']).toEqual(other);
});

test('a transaction that has grown old while the payer chose is prepared anew', async () => {
  const [one, other] = [await withTransaction(), await withTransaction()];
  const fresh = await preparedFor(payer.address);
  const wallet = fakeSolanaWallet(payer);
  const world = payWorld();
  const answers = { intent: [offered(one, other)], prepare: [prepared(fresh)], settle };
  const service = fakeService(answers);
  const { pay } = payWorld({
    wallet: solanaWallet({
      wallet,
      chooseToken: async ([, second]) => {
        await world.time.sleep(20_000, new AbortController().signal);
        return second;
      },
    }),
    client: { ports: { fetch: service.fetch, nowMs: world.time.nowMs, sleep: world.time.sleep } },
  });
  await world.time.run(pay.createPayment({ amount: '12500000' }));
  expect(service.of('prepare')[0]?.body['paymentRequirements']).toEqual(other);
  expect(Buffer.from(wallet.shown[0] ?? []).toString('base64')).toBe(fresh);
});

test('EVM acceptances and up-to ones are none for this wallet', async () => {
  const { canSign } = solanaWallet();
  expect(canSign(solanaAcceptance())).toBe(true);
  expect(canSign(solanaAcceptance({}, { network: 'eip155:8453' }))).toBe(false);
  expect(canSign(solanaAcceptance({}, { scheme: 'upto' }))).toBe(false);
});

test('aborted at any await: one typed end, and nothing is signed or sent afterwards', async () => {
  const transaction = prepared(await preparedFor(payer.address));
  for (let n = 1; n <= 12; n += 1) {
    for (const when of ['before', 'after'] as const) {
      const controller = new AbortController();
      let count = 0;
      const step = () => {
        count += 1;
        if (count !== n) return;
        if (when === 'before') controller.abort();
        else queueMicrotask(() => controller.abort());
      };
      const base = fakeSolanaWallet(payer, { connect: async () => step() });
      const answers = { intent: [offered(solanaAcceptance())], prepare: ['broken', transaction], settle } as const;
      const world = payWorld({ answers });
      const fetch: typeof globalThis.fetch = (...given) => {
        step();
        return world.service.fetch(...given);
      };
      const ports = { fetch, nowMs: world.time.nowMs, sleep: world.time.sleep };
      const { pay, terminals } = payWorld({ wallet: solanaWallet({ wallet: base }), client: { ports } });
      const outcome = await world.time.run(
        pay.createPayment(REQUEST, { signal: controller.signal }).catch((problem: unknown) => problem),
      );
      expect(terminals()).toHaveLength(1);
      if (!(outcome instanceof Error)) continue;
      const sent = world.service.of('settle').length > 0;
      expect(outcome).toMatchObject({ code: 'aborted', moneyMoved: sent ? 'unknown' : 'no' });
    }
  }
});
