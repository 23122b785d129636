// Payments on a local Internet Computer: its ledger is real, the service is played.
import { Cbor } from '@icp-sdk/core/agent';
import { Principal } from '@icp-sdk/core/principal';
import {
  identityNamed,
  type LocalInternetComputer,
  type LocalLedger,
  openLedgerClient,
  openSigner,
  startLocalInternetComputer,
} from '@svc-pay/icp/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SvcPayError } from '../error/svc-pay-error.ts';
import { events, INTENT_ID, offered, SAMPLE, stands } from '../testing/fake-service.ts';
import { payWorld, type WorldOptions } from '../testing/pay-world.ts';
import { INTENT_CODE, regularly } from '../testing/regular-actors.ts';
import { LEDGER, MERCHANT, transferOption, withoutX402 } from '../testing/transfer-actors.ts';
import { icpWallet } from './icp-wallet.ts';
import type { CanisterCall, CanisterCallResult, IcpSigner } from './signer.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'iclocal_ckusdc' } as const;
const AMOUNT = 12_500_000n;
const FEE = 10_000n;

let ic: LocalInternetComputer;
let ledger: LocalLedger;
let made = 0;

beforeAll(async () => {
  ic = await startLocalInternetComputer();
  ledger = await ic.installLedger({ canisterId: LEDGER });
});
afterAll(() => ic.stop());

type Play = {
  readonly held?: bigint;
  readonly option?: object;
  readonly signer?: (real: IcpSigner) => Partial<IcpSigner>;
  readonly answers?: NonNullable<WorldOptions['answers']>;
};

/** A payer of its own for each test, who holds enough unless told. */
async function played({ held = 100_000_000n, option = {}, signer: change, answers = {} }: Play = {}) {
  made += 1;
  const identity = identityNamed(`payer ${made}`);
  const owner = identity.getPrincipal();
  if (held > 0n) await ledger.mint({ owner, subaccount: [] }, held);
  const real = await openSigner(ic, identity);
  const calls: CanisterCall[] = [];
  const noted: IcpSigner = {
    ...real,
    callCanister(call) {
      calls.push(call);
      return real.callCanister(call);
    },
  };
  const now = { createdAtTime: ic.nowNanoseconds().toString() };
  const world = payWorld({
    answers: {
      intent: [withoutX402],
      regular: [regularly(transferOption({ ...now, ...option }))],
      notify: [stands('requires_payment')],
      status: [stands('requires_payment')],
      stream: [events((stands('completed') as { body: unknown }).body)],
      ...answers,
    },
    wallet: icpWallet({ signer: { ...noted, ...change?.(noted) } }),
  });
  const client = await openLedgerClient(ic, ledger.canisterId, identity);
  const balance = () => client.balance({ owner, certified: true });
  return { ...world, calls, payer: owner.toText(), balance, held, now };
}

const announced = ({ service }: Awaited<ReturnType<typeof played>>) =>
  service.of('notify').flatMap(({ body }) => (body['transactionId'] === undefined ? [] : [body['transactionId']]));

/** The error that paying ends with. Real calls take real time, which a played clock does not wait for. */
const problemOf = async ({ pay }: Pick<Awaited<ReturnType<typeof played>>, 'pay'>) =>
  pay.createPayment(REQUEST).then(
    () => undefined,
    (problem: unknown) => problem as SvcPayError,
  );

describe('a payment by a signer of the page', () => {
  test('is one transfer with the terms of the option, told to the service by its block', async () => {
    const world = await played();
    const result = await world.pay.createPayment(REQUEST);
    expect(await world.balance()).toBe(world.held - AMOUNT - FEE);
    expect(world.calls).toMatchObject([{ canisterId: LEDGER, sender: world.payer, method: 'icrc1_transfer' }]);
    expect(result).toMatchObject({
      status: 'completed',
      paymentIntentId: INTENT_ID,
      transactionId: expect.stringMatching(new RegExp(`^${LEDGER}:\\d+$`)),
      amount: AMOUNT.toString(),
      asset: LEDGER,
      network: 'icp:local',
      payer: world.payer,
    });
    expect(announced(world)).toEqual([result.transactionId]);
    expect(world.heard.at(-1)?.detail).toMatchObject({ flow: 'regular', status: 'completed' });
  });

  test('of an account with a subaccount is made from there', async () => {
    const subaccount = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
    const world = await played({
      signer: (real) => ({
        accounts: async () =>
          (await real.accounts()).map((one) => ({ ...one, subaccount: Buffer.from(subaccount).toString('base64') })),
      }),
    });
    const owner = Principal.fromText(world.payer);
    await ledger.mint({ owner, subaccount: [subaccount] }, AMOUNT + FEE);
    const { payer } = await world.pay.createPayment(REQUEST);
    expect(payer).toBe(`${world.payer}-${payer?.split('-').at(-1)}`);
    expect(await world.balance()).toBe(world.held);
  });

  test('follows where X402 is offered on other networks, which this signer can’t sign', async () => {
    const world = await played({ answers: { offer: [offered(SAMPLE)] } });
    const INTENT = { paymentIntentId: INTENT_ID, clientSecret: 'test_acct_1_abc' } as const;
    await world.pay.createPayment({ ...INTENT, expect: { tokenShortcode: 'iclocal_ckusdc' } });
    expect(await world.balance()).toBe(world.held - AMOUNT - FEE);
    expect(world.heard.find(({ type }) => type.endsWith('failed'))?.detail).toMatchObject({
      flow: 'x402',
      error: { code: 'no_usable_acceptance' },
    });
  });

  test('made again by another page is the same block, and moves nothing more', async () => {
    const first = await played();
    const { transactionId } = await first.pay.createPayment(REQUEST);
    const real = await openSigner(ic, identityNamed(`payer ${made}`));
    const again = await played({ option: first.now, signer: () => real });
    expect(await again.pay.createPayment(REQUEST)).toMatchObject({ transactionId, payer: first.payer });
    expect(await first.balance()).toBe(first.held - AMOUNT - FEE);
  });

  test('with another fee than the ledger’s is asked for again with that one', async () => {
    const world = await played({ option: { fee: '1' } });
    await world.pay.createPayment(REQUEST);
    expect(world.calls).toHaveLength(2);
    expect(await world.balance()).toBe(world.held - AMOUNT - FEE);
  });
});

describe('a transfer whose answer is lost', () => {
  const fails = () => Promise.reject(new Error('the connection is gone'));
  /** Which calls of the signer are lost: before the network has them, or their answers after that. */
  const losing = (...lost: readonly ('request' | 'answer' | 'none' | 'refused')[]): Play => {
    const left = [...lost];
    return {
      signer: (real) => ({
        async callCanister(call) {
          const next = left.shift() ?? 'none';
          if (next === 'request') return fails();
          if (next === 'refused') return Promise.reject({ code: 3001, message: 'x' });
          if (next === 'answer') ic.faults.loseReplies = 1;
          return real.callCanister(call);
        },
      }),
      // What the service would offer after a stranger's part: another time.
      answers: { regular: [regularly(transferOption({ createdAtTime: ic.nowNanoseconds().toString() }))] },
    };
  };

  test.each(['answer', 'request'] as const)('(%s) is asked for again to the byte, and pays once', async (lost) => {
    const world = await played(losing(lost));
    const { transactionId } = await world.pay.createPayment(REQUEST);
    const [first, second] = lost === 'answer' ? world.calls : [world.calls[0], world.calls[0]];
    expect(second).toEqual(first);
    expect(world.service.of('regular')).toHaveLength(1);
    expect(await world.balance()).toBe(world.held - AMOUNT - FEE);
    expect(announced(world)).toEqual([transactionId]);
    expect(transactionId).toMatch(new RegExp(`^${LEDGER}:\\d+$`));
  });

  test.each([
    ['lost again', ['answer', 'answer']],
    ['refused by the person', ['answer', 'refused']],
  ] as const)(
    'and whose repeat is %s leaves it open, and a payer who presses again pays nothing more',
    async (_, lost) => {
      const world = await played({ ...losing(...lost), answers: { ...losing().answers, offer: [withoutX402] } });
      const error = await problemOf(world);
      expect(error).toMatchObject({ code: 'wallet_failed', moneyMoved: 'unknown' });
      expect(error?.isUserCancelled()).toBe(false);
      const asked = world.calls.length;
      const intent = { paymentIntentId: INTENT_ID, clientSecret: 'test_acct_1_abc' } as const;
      await expect(world.pay.createPayment(intent)).rejects.toMatchObject({ reason: 'earlier_payment' });
      expect(world.calls).toHaveLength(asked);
      expect(await world.pay.waitForPayment(intent)).toMatchObject({ status: 'completed' });
      expect(await world.balance()).toBe(world.held - AMOUNT - FEE);
    },
  );

  test('is not asked for again once the intent was paid: the service says so', async () => {
    const world = await played({
      ...losing('answer'),
      answers: { ...losing().answers, notify: [stands('requires_payment'), stands('completed')] },
    });
    expect(await world.pay.createPayment(REQUEST)).toMatchObject({ status: 'completed', transactionId: null });
    expect(world.calls).toHaveLength(1);
    expect(await world.balance()).toBe(world.held - AMOUNT - FEE);
  });
});

describe('what the ledger refuses', () => {
  const hours = (count: number) => (ic.nowNanoseconds() + BigInt(count) * 3_600_000_000_000n).toString();
  test.each<[string, () => Play, object]>([
    ['more than the payer holds', () => ({ held: AMOUNT }), { code: 'insufficient_funds', retryable: true }],
    [
      'a time that is too old',
      () => ({ option: { createdAtTime: hours(-25) } }),
      { code: 'intent_not_payable', reason: 'TooOld' },
    ],
    [
      'a time to come',
      () => ({ option: { createdAtTime: hours(1) } }),
      { code: 'payment_failed', reason: 'CreatedInFuture', retryable: true },
    ],
  ])('%s moved nothing, and says so', async (_, play, expected) => {
    const world = await played(play());
    expect(await problemOf(world)).toMatchObject({ moneyMoved: 'no', ...expected });
    expect(await world.balance()).toBe(world.held);
    expect(announced(world)).toEqual([]);
  });
});

describe('an answer of the signer', () => {
  const answered = (change: (result: CanisterCallResult, call: CanisterCall) => object | Promise<object>): Play => ({
    signer: (real) => ({
      callCanister: async (call) => (await change(await real.callCanister(call), call)) as CanisterCallResult,
    }),
  });
  const field =
    (change: object) =>
    ({ contentMap }: CanisterCallResult) => {
      const map = { ...Cbor.decode<object>(Buffer.from(contentMap, 'base64')), ...change };
      return Buffer.from(Cbor.encode(map)).toString('base64');
    };
  test.each<[string, (result: CanisterCallResult) => unknown]>([
    ['another canister', field({ canister_id: Uint8Array.of(1) })],
    ['another method', field({ method_name: 'icrc2_approve' })],
    ['another argument', field({ arg: Uint8Array.of(1, 2, 3) })],
    ['another sender', field({ sender: Uint8Array.of(4) })],
    ['a query', field({ request_type: 'query' })],
    ['nothing that can be read', () => 'AAAA'],
    ['nothing', () => undefined],
  ])('that names %s is refused, and does not say that nothing moved', async (_, forged) => {
    const world = await played(answered((result) => ({ ...result, contentMap: forged(result) })));
    expect(await problemOf(world)).toMatchObject({
      code: 'wallet_failed',
      reason: 'contentMap',
      moneyMoved: 'unknown',
    });
    expect(announced(world)).toEqual([]);
  });

  test.each<[string, (result: CanisterCallResult) => object]>([
    [
      'the certificate of another request',
      (result) => ({ ...result, contentMap: field({ nonce: Uint8Array.of(7) })(result) }),
    ],
    ['a certificate that can’t be read', (result) => ({ ...result, certificate: 'AAAA' })],
    ['no certificate', ({ contentMap }) => ({ contentMap })],
  ])('with %s tells no block, and the service finds the payment', async (_, forged) => {
    const world = await played(answered(forged));
    expect(await world.pay.createPayment(REQUEST)).toMatchObject({ status: 'completed', transactionId: null });
    expect(announced(world)).toEqual([]);
  });

  test.each<[string, unknown, object, boolean]>([
    ['that the person said no', { code: 3001, message: 'x' }, { code: 'signature_refused', moneyMoved: 'no' }, true],
    ['that it may not ask', { code: 3000, message: 'x' }, { code: 'signature_refused', moneyMoved: 'no' }, true],
    ['that it can’t', { code: 2000, message: 'x' }, { code: 'wallet_failed', moneyMoved: 'no' }, false],
    ['that the network failed', { code: 4000, message: 'x' }, { code: 'wallet_failed', moneyMoved: 'unknown' }, false],
  ])('%s is told with an honest word about the money', async (_, problem, expected, isCancelled) => {
    const world = await played({ signer: () => ({ callCanister: () => Promise.reject(problem) }) });
    const error = await problemOf(world);
    expect(error).toMatchObject(expected);
    expect(error?.isUserCancelled()).toBe(isCancelled);
    // Nothing is sent beside a question that may still be answered.
    const next = await problemOf({ pay: world.pay });
    expect(next?.moneyMoved).toBe((expected as { moneyMoved: string }).moneyMoved);
  });

  test('without an account pays nothing', async () => {
    const world = await played({ signer: () => ({ accounts: async () => [{ owner: 'nobody' }] }) });
    expect(await problemOf(world)).toMatchObject({ code: 'no_account', moneyMoved: 'no' });
    expect(world.calls).toEqual([]);
  });
});

test.each<[string, object, string]>([
  ['another ledger than its token', { ledgerCanisterId: 'xevnm-gaaaa-aaaar-qafnq-cai' }, 'asset'],
  ['another token than the page asked for', { token: 'xevnm-gaaaa-aaaar-qafnq-cai' }, 'asset'],
  ['another owner than its account', { to: { owner: LEDGER, subaccount: null, text: MERCHANT } }, 'payTo'],
  ['another subaccount', { to: { owner: MERCHANT, subaccount: `0x${'01'.repeat(32)}`, text: MERCHANT } }, 'payTo'],
  ['an account that is none', { to: { owner: MERCHANT, subaccount: null, text: MERCHANT.toUpperCase() } }, 'payTo'],
  ['the memo of another intent', { memo: `0x${Buffer.from(`svc:${INTENT_CODE + 1}`).toString('hex')}` }, 'intent'],
  ['another amount', { amount: '12500002' }, 'amount'],
])('an option with %s is never signed', async (_, option, reason) => {
  const world = await played({ option });
  expect(await problemOf(world)).toMatchObject({ code: 'acceptance_refused', reason, moneyMoved: 'no' });
  expect(world.calls).toEqual([]);
});
