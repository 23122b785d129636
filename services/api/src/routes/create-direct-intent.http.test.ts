// Which recipient an acceptance names: the merchant's own wallet only by an activation that two signatures make.
import { newKey } from '@svc-pay/evm/local';
import { boundNonce, readBoundTerms } from '@svc-pay/protocol/bound-nonce';
import { directNonce, readDirectTerms } from '@svc-pay/protocol/direct-nonce';
import { describe, expect, test } from 'vitest';
import { activateWallet, DIRECT_SETTINGS, startReader } from '../testing/activate-wallet.ts';
import { CREATE, call, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { PROCESSOR } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { type PayableApi, type PayableIntent, startPayableApi } from '../testing/start-payable-api.ts';

const create = async (api: PayableApi, body: object = {}) => {
  const asked = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', ...body };
  return (await call(api, 'POST', CREATE, { key: api.account.keys.test.publishable, body: asked })).json();
};
const payToOf = async (api: PayableApi, body?: object) => (await create(api, body)).accepts[0]?.payTo;

test('an account without a wallet is paid through the processor, with a nonce that is bound to its payout', async () => {
  const api = await startPayableApi();
  const { acceptance } = await api.newIntent();
  expect(acceptance.payTo).toBe(PROCESSOR);
  const { svc, ...common } = acceptance.extra ?? {};
  expect(Object.keys(common).sort()).toEqual(
    [
      'eip3009Version',
      'facilitatorUrl',
      'intentId',
      'ledgerId',
      'name',
      'primaryType',
      'provider',
      'rpcChainId',
    ].concat('rpcUrlPublic' in common ? ['rpcUrlPublic'] : []),
  );
  expect(common.primaryType).toBe('TransferWithAuthorization');
  expect(svc).toMatchObject({
    authorizationType: 'ReceiveWithAuthorization',
    boundNonce: boundNonce(readBoundTerms(svc?.terms)!),
  });
});

test('the nonce that is offered pays its own intent through the processor, and no other', async () => {
  const api = await startPayableApi();
  const payer = newPayer();
  await api.chain.mint(USDC, payer.address, 10n ** 9n);
  const [first, second] = [await api.newIntent(), await api.newIntent()];
  const nonce = boundNonce(readBoundTerms(first.acceptance.extra?.svc?.terms)!);
  for (const primaryType of ['ReceiveWithAuthorization', undefined] as const) {
    const paymentHeader = await signHeader(payer, first.acceptance, { nonce, ...(primaryType && { primaryType }) });
    const body = { paymentIntentId: second.id, paymentHeader };
    const key = api.account.keys.test.publishable;
    expect((await call(api, 'POST', SETTLE, { key, body })).json()).toMatchObject({ error: 'acceptance_mismatch' });
    const own = { paymentIntentId: first.id, paymentHeader };
    expect((await call(api, 'POST', SETTLE, { key, body: own })).json()).toMatchObject({ status: 'processing' });
  }
  const { rows } = await api.database.pool.query('select kind, direct from svc.authorizations');
  expect(rows).toEqual([{ kind: 'receive_with_authorization', direct: false }]);
});

describe('an account with a wallet', () => {
  test('is paid there, with a nonce that is bound to wallet, amount and intent', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    const { activation } = await activateWallet(api);
    const { acceptance } = await api.newIntent();
    expect(acceptance.payTo).toBe(activation.wallet);
    const { svc } = acceptance.extra ?? {};
    const terms = readDirectTerms(svc?.terms)!;
    expect(terms).toMatchObject({ mode: 'test', chainId: 31_337, amount: '1500000', attempt: 0 });
    expect(svc).toMatchObject({ authorizationType: 'TransferWithAuthorization', boundNonce: directNonce(terms) });
    const { rows } = await api.database.pool.query('select pay_to, payout_id from svc.acceptances');
    expect(rows).toEqual([{ pay_to: activation.wallet, payout_id: '1' }]);
  });
  test('is paid through the processor for what the wallet does not take: up-to, and other tokens', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    await activateWallet(api);
    expect(await payToOf(api, { x402Upto: true })).toBe(PROCESSOR);
    expect(await payToOf(api, { tokenShortcode: 'anvil_vol' })).toBe(PROCESSOR);
    expect(await payToOf(api, { tokenShortcode: 'basesepolia_usdc' })).toBe(PROCESSOR);
  });
  test('is paid through the processor until the chain reader has begun with the token', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    const { activation } = await activateWallet(api, {}, { readable: false });
    expect(await payToOf(api)).toBe(PROCESSOR);
    await startReader(api.database);
    expect(await payToOf(api)).toBe(activation.wallet);
  });
  test('keeps its wallet until the time of the next one has come', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    const { activation } = await activateWallet(api);
    const replaces = activation.wallet;
    const hours = (count: number) => BigInt(Math.floor(Date.now() / 1_000) - count * 3_600);
    await activateWallet(
      api,
      { number: 2n, replaces, signedAtSeconds: hours(1) },
      { activeFromMs: Date.now() + 9_000_000 },
    );
    expect(await payToOf(api)).toBe(activation.wallet);
    const third = await activateWallet(api, { number: 3n, replaces, signedAtSeconds: hours(25) });
    expect(await payToOf(api)).toBe(third.activation.wallet);
  });
  test('a header to a wallet that was replaced meanwhile still pays its intent', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    const { activation } = await activateWallet(api);
    const intent = await api.newIntent();
    const signedAtSeconds = BigInt(Math.floor(Date.now() / 1_000) - 25 * 3_600);
    await activateWallet(api, { number: 2n, replaces: activation.wallet, signedAtSeconds });
    expect(await settled(api, intent)).toMatchObject({ status: 'processing' });
    const { rows } = await api.database.pool.query('select recipient from svc.authorizations');
    expect(rows).toEqual([{ recipient: activation.wallet }]);
  });
  test('a header to a wallet that was disabled meanwhile pays nothing, and is watched', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    await activateWallet(api);
    const intent = await api.newIntent();
    await api.database.pool.query("update svc.payouts set status = 'disabled' where kind = 'direct'");
    expect(await settled(api, intent)).toMatchObject({ status: 'failed', error: 'x402_temporarily_unavailable' });
    const { rows } = await api.database.pool.query('select code, funded from svc.refused_authorizations');
    expect(rows).toEqual([{ code: 'x402_temporarily_unavailable', funded: true }]);
  });
});

describe('a row that somebody wrote who can only write to the database is never offered, nor paid', () => {
  const STRANGER = newKey();
  type Forgery = (api: PayableApi) => Promise<unknown>;
  const rewrite =
    (set: string, ...values: unknown[]): Forgery =>
    (api) =>
      api.database.pool.query(`update svc.payouts set ${set} where kind = 'direct'`, values);
  const stranger = STRANGER.account.address.toLowerCase();
  const inActivation = (path: string, value: string) =>
    rewrite(`activation = jsonb_set(activation, '{${path}}', to_jsonb($1::text))`, value);
  const cases: [string, Forgery][] = [
    ['another wallet', rewrite('processor = $1, merchant = $1', stranger)],
    [
      'another wallet, in the activation too',
      async (api) => {
        await rewrite('processor = $1, merchant = $1', stranger)(api);
        await inActivation('wallet', stranger)(api);
      },
    ],
    ['another number', rewrite('payout_id = 9')],
    ['an approver of its own', inActivation('approver', stranger)],
    ['another use', inActivation('use', 'shared')],
    ['no activation to read', rewrite("activation = '{}'")],
  ];
  test.each(cases)('%s', async (_, forge) => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    await activateWallet(api);
    const intent = await api.newIntent();
    await forge(api);
    const answer = await create(api);
    expect(answer.accepts.map(({ payTo }: { payTo: string }) => payTo)).not.toContain(stranger);
    expect(await settled(api, intent)).toMatchObject({ status: 'failed', error: 'x402_temporarily_unavailable' });
    const { rows } = await api.database.pool.query('select from svc.claims');
    expect(rows).toHaveLength(0);
  });
  test('an activation that a stranger approved', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    await activateWallet(api, {}, { approver: STRANGER });
    expect(await create(api)).toMatchObject({ fallbackSuggested: true, error: 'x402_temporarily_unavailable' });
    expect(api.logs.join('')).toContain('"event":"payout_activation_refused"');
  });
  test.each<[string, string, string]>([
    ['can’t be read', "activation = '{}'", 'activation_unreadable'],
    [
      'has a bad signature',
      `activation = jsonb_set(activation, '{walletSignature}', '"0x${'11'.repeat(65)}"')`,
      'activation_signature_invalid',
    ],
  ])('the wallet before one that %s: nothing is offered, and the log says why', async (_, set, code) => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    const { activation } = await activateWallet(api);
    const signedAtSeconds = BigInt(Math.floor(Date.now() / 1_000) - 25 * 3_600);
    await activateWallet(api, { number: 2n, replaces: activation.wallet, signedAtSeconds });
    await api.database.pool.query(`update svc.payouts set ${set} where kind = 'direct' and payout_id = 2`);
    expect(await create(api)).toMatchObject({ fallbackSuggested: true, error: 'x402_temporarily_unavailable' });
    expect(api.logs.join('')).toContain(`"code":"${code}","event":"payout_activation_refused"`);
  });
  test('an activation of another account or mode', async () => {
    const api = await startPayableApi(DIRECT_SETTINGS);
    await activateWallet(api, { mode: 'live' });
    await api.database.pool.query("update svc.payouts set mode = 'test' where kind = 'direct'");
    expect(await create(api)).toMatchObject({ fallbackSuggested: true, error: 'x402_temporarily_unavailable' });
  });
  test('an API without approvers offers no wallet at all', async () => {
    const api = await startPayableApi();
    await activateWallet(api);
    expect(await create(api)).toMatchObject({ fallbackSuggested: true, error: 'x402_temporarily_unavailable' });
  });
});

/** Settles an intent by a payer who has the money. */
async function settled(api: PayableApi, { id, acceptance }: PayableIntent) {
  const payer = newPayer();
  await api.chain.mint(USDC, payer.address, 10n ** 9n);
  const body = { paymentIntentId: id, paymentHeader: await signHeader(payer, acceptance) };
  return (await call(api, 'POST', SETTLE, { key: api.account.keys.test.publishable, body })).json();
}
