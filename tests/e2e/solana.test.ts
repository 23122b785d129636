import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createLocalRelayer, openNode, prepareTransfer, readTokenBalance, type TransferTerms } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { signTextAsWallet } from '@svc-pay/solana/testing';
import { afterAll, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import {
  newIntent,
  newPayer,
  PRICE,
  prepare,
  relay,
  sendSetup,
  sign,
  signable,
  signFor,
  startSolanaWorld,
} from './solana-world.ts';
import { settle } from './wallet.ts';

const world = await startSolanaWorld();
const node = openNode(world.solana.rpcUrl);

afterAll(async () => {
  const { output, exitCode } = await ledgerCheck(world);
  await world.stop();
  expect({ output, exitCode }).toMatchObject({ exitCode: 0 });
}, 60_000);

const usdcOf = (owner: string) => readTokenBalance([node], owner, DEVNET_USDC);
const { pool } = world.database;
const eventsOf = async (intentId: string) => {
  const { rows } = await pool.query<{ type: string }>(
    'select type from svc.events where intent_id = $1 order by sequence',
    [intentId],
  );
  return rows.map(({ type }) => type);
};
const headerOf = (transaction: string, network = 'solana:devnet') =>
  Buffer.from(JSON.stringify({ x402Version: 1, scheme: 'exact', network, payload: { transaction } })).toString(
    'base64',
  );

test('a payer without SOL pays by the 402 body alone, and every unit is where the terms say', async () => {
  const payer = await newPayer(world);
  const before = await Promise.all([payer.address, ...world.recipients].map(usdcOf));
  const { id, acceptance } = await newIntent(world, { publicKey: payer.address });
  expect(acceptance).toMatchObject({
    network: 'solana:devnet',
    payTo: world.recipients[0],
    maxTimeoutSeconds: 60,
    extra: { feePayer: world.relayer },
  });
  const signed = await sign(acceptance.extra.transactionBase64 ?? '', payer);
  const call = {
    paymentIntentId: id,
    paymentHeader: headerOf(signed, 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'),
    paymentRequirements: acceptance,
  };
  const settled = await settle(world, call as unknown as Parameters<typeof settle>[1]);
  expect(settled).toMatchObject({
    status: 'succeeded',
    transactionId: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/),
    externalCostAmount: expect.stringMatching(/^[1-9]\d*$/),
    paymentIntent: { status: 'completed' },
    payment: { status: 'completed', paidAmount: PRICE.toString() },
  });
  const after = await Promise.all([payer.address, ...world.recipients].map(usdcOf));
  const gained = after.map((balance, index) => balance - (before[index] ?? 0n));
  // Fee 1 %, splits 10 % and 0.33 %, each rounded down; the merchant gets the rest.
  expect(gained).toEqual([-PRICE, 1_330_050n, 150_000n, 4_950n, 15_000n]);
  expect((await node.accounts([payer.address]))[0]).toBeNull();
  expect(await eventsOf(id)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  expect(await settle(world, call as unknown as Parameters<typeof settle>[1])).toEqual(settled);
  // The relay route gives the same answer.
  expect(await relay(world, id, signed)).toEqual({ ...settled, signature: settled.transactionId });
});

test('prepared again after a reload and for another wallet, the last one signed pays, by relay', async () => {
  const [one, other] = [await newPayer(world), await newPayer(world)];
  const { id, acceptance } = await newIntent(world);
  expect(acceptance.extra).toMatchObject({ feePayer: world.relayer });
  expect(acceptance.extra.transactionBase64).toBeUndefined();
  // A stock client would sign one transfer, and this payment has four.
  expect(acceptance.extra).not.toHaveProperty('memo');
  const abandoned = await signFor(world, id, one);
  await signFor(world, id, one);
  const relayed = await relay(world, id, await signFor(world, id, other));
  expect(relayed).toMatchObject({ status: 'succeeded', signature: relayed.transactionId });
  expect([await usdcOf(one.address), await usdcOf(other.address)]).toEqual([PRICE * 10n, PRICE * 9n]);
  // A transaction signed earlier is answered with the intent's status, and moves no money.
  expect((await relay(world, id, abandoned)).status).toBe('completed');
  expect(await prepare(world, id, one.address)).toMatchObject({ ok: false, error: 'intent_not_payable' });
  expect(await usdcOf(one.address)).toBe(PRICE * 10n);
});

test('64 relays of one signed transaction at once: one landing, 64 equal answers', async () => {
  const payer = await newPayer(world, PRICE);
  const { id } = await newIntent(world);
  const signed = await signFor(world, id, payer);
  const answers = await Promise.all(Array.from({ length: 64 }, () => relay(world, id, signed)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe('succeeded');
  expect(await usdcOf(payer.address)).toBe(0n);
  expect((await pool.query('select from svc.payments where intent_id = $1', [id])).rowCount).toBe(1);
});

test('a wallet emptied after it signed is refused by name, nothing moves, and another wallet pays', async () => {
  const [poor, rich] = [await newPayer(world), await newPayer(world)];
  const { id } = await newIntent(world);
  const signed = await signFor(world, id, poor);
  await world.solana.fundToken(poor.address, 1n);
  expect(await relay(world, id, signed)).toMatchObject({
    status: 'failed',
    error: 'insufficient_funds',
    payment: null,
  });
  expect((await relay(world, id, await signFor(world, id, rich))).status).toBe('succeeded');
});

test('what was signed for one intent pays no other', async () => {
  const payer = await newPayer(world);
  const [first, second] = [await newIntent(world), await newIntent(world)];
  const signed = await signFor(world, first.id, payer);
  expect(await relay(world, second.id, signed)).toMatchObject({ status: 'failed', error: 'transaction_altered' });
  expect((await relay(world, first.id, signed)).status).toBe('succeeded');
});

test('a client may build the transaction itself, from a live blockhash and for our relayer alone', async () => {
  const payer = await newPayer(world);
  const { id } = await newIntent(world);
  const [merchant = '', ten = '', third = '', platform = ''] = world.recipients;
  const terms: TransferTerms = {
    intentId: id,
    payer: payer.address,
    relayer: world.relayer,
    mint: DEVNET_USDC,
    tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    decimals: 6,
    legs: [
      { owner: merchant, amountAtomic: 1_330_050n },
      { owner: platform, amountAtomic: 15_000n },
      { owner: ten, amountAtomic: 150_000n },
      { owner: third, amountAtomic: 4_950n },
    ],
  };
  const built = async (changed: Partial<TransferTerms> = {}, blockhash?: string) => {
    const lifetime = await node.latestLifetime();
    const own = await prepareTransfer({ ...terms, ...changed }, blockhash ? { ...lifetime, blockhash } : lifetime);
    if (!own.ok) throw new Error(own.code);
    return sign(Buffer.from(own.prepared.wire).toString('base64'), payer);
  };
  const legs = (change: (amountAtomic: bigint) => bigint) => ({
    legs: terms.legs.map((leg, index) => (index === 0 ? { ...leg, amountAtomic: change(leg.amountAtomic) } : leg)),
  });
  const stranger = (await newPayer(world)).address;
  const cases: readonly (readonly [string, string])[] = [
    [await built({}, stranger), 'authorization_expired'],
    [await built({ relayer: stranger }), 'transaction_altered'],
    [await built(legs((amount) => amount - 1n)), 'amount_mismatch'],
    [await built({ legs: terms.legs.map((leg) => ({ ...leg, owner: stranger })) }), 'recipient_mismatch'],
    [await built({ legs: terms.legs.slice(0, 1) }), 'transaction_altered'],
    [await built({ intentId: 'pi_other' }), 'transaction_altered'],
  ];
  for (const [transaction, error] of cases)
    expect(await relay(world, id, transaction)).toMatchObject({ status: 'failed', error, payment: null });
  expect(await usdcOf(payer.address)).toBe(PRICE * 10n);
  expect((await relay(world, id, await built())).status).toBe('succeeded');
});

test('refusals come by their codes, and change nothing', async () => {
  const payer = await newPayer(world);
  const { id } = await newIntent(world);
  const prepared = await prepare(world, id, payer.address);
  if (!prepared.ok) throw new Error(prepared.error);
  const { transactionBase64: unsigned } = prepared;
  const forged = Buffer.from(await sign(unsigned, payer), 'base64');
  forged[70] = (forged[70] ?? 0) ^ 1;
  const stranger = await newPayer(world);
  const cases: readonly (readonly [string, string])[] = [
    ['not base64', 'invalid_payment_header'],
    ['AAAA', 'invalid_payment_header'],
    [unsigned, 'invalid_signature'],
    [forged.toString('base64'), 'invalid_signature'],
  ];
  for (const [transaction, error] of cases) {
    expect(await relay(world, id, transaction)).toMatchObject({ status: 'failed', error, signature: null });
  }
  expect(await prepare(world, id, 'nobody')).toMatchObject({ ok: false, error: 'sender_mismatch' });
  const { payer: penniless } = { payer: (await newPayer(world, 1n)).address };
  expect(await prepare(world, id, penniless)).toMatchObject({ ok: false, error: 'insufficient_funds' });
  const bound = await newIntent(world, { expectedSenderPrincipal: payer.address });
  expect(await prepare(world, bound.id, stranger.address)).toMatchObject({ ok: false, error: 'sender_mismatch' });
  expect(await eventsOf(id)).toEqual(['payment_intent.created']);
  const upto = await fetch(`${world.apiUrl}/sdk/public/payments/intents/x402`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.shop.publishableKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usdAmount: '1', tokenShortcode: 'soldevnet_usdc', x402Upto: true }),
  });
  expect(upto.status).toBe(422);
  expect(await upto.json()).toMatchObject({ error: 'x402_upto_not_available' });
});

const messageHeader = (fields: Readonly<Record<string, string>>, signature: string) => {
  const { from, to, value, validAfter, validBefore, nonce } = fields;
  const payload = { authorization: { from, to, value, validAfter, validBefore, nonce }, signature };
  const header = { x402Version: 1, scheme: 'exact', network: 'solana:devnet', payload };
  return Buffer.from(JSON.stringify(header)).toString('base64');
};
const settleMessage = (id: string, paymentHeader: string) =>
  settle(world, { paymentIntentId: id, paymentHeader } as unknown as Parameters<typeof settle>[1]);

test('a wallet that signs a text pays everybody at once, after approving the program once', async () => {
  const payer = await newPayer(world);
  await world.solana.fundSol(payer.address, 10_000_000n);
  const { id } = await newIntent(world);
  const asked = await signable(world, id, payer.address);
  if (!asked.ok) throw new Error(asked.error);
  expect(asked.message).toMatch(/^SVC_X402_V2:\npay 1\.5\ntoken 4zMMC9/);
  expect(asked.message).toContain(`to ${world.recipients[0]}\nfor ${id}\n`);
  expect(Buffer.from(asked.messageBase64, 'base64').toString()).toBe(asked.message);
  const [signature = ''] = await signTextAsWallet(asked.message, payer);
  const header = messageHeader(asked.fields, signature);
  expect(await settleMessage(id, header)).toMatchObject({ status: 'failed', error: 'approval_missing', payment: null });
  await sendSetup(world, asked.setupTransactionBase64 ?? '', payer);
  await expect
    .poll(async () => (await signable(world, id, payer.address)) as object)
    .not.toHaveProperty('setupTransactionBase64');

  const before = await Promise.all([payer.address, ...world.recipients].map(usdcOf));
  const lamports = async () => (await node.accounts([world.relayer]))[0]?.lamports ?? 0n;
  const held = await lamports();
  // A header signed before the approval stays valid.
  const settled = await settleMessage(id, header);
  expect(settled).toMatchObject({
    status: 'succeeded',
    payment: { status: 'completed', paidAmount: PRICE.toString() },
  });
  const after = await Promise.all([payer.address, ...world.recipients].map(usdcOf));
  expect(after.map((balance, index) => balance - (before[index] ?? 0n))).toEqual([
    -PRICE,
    1_330_050n,
    150_000n,
    4_950n,
    15_000n,
  ]);
  // Cost: two signatures and the priority fee for 100,000 units; the receipt's rent is refunded later.
  const { rows } = await pool.query<{ cost: string }>(
    `select sum(e.amount)::text as cost from svc.ledger_entries e join svc.payments p on p.id = e.payment_id
     where p.intent_id = $1 and e.asset = 'native' and e.amount > 0`,
    [id],
  );
  expect([held - (await lamports()), rows[0]?.cost]).toEqual([11_000n + 890_880n, '11000']);
  expect(await eventsOf(id)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  expect(await settleMessage(id, header)).toEqual(settled);
});

test('64 settles of one signed text at once: one landing, 64 equal answers; what it was not signed for is refused', async () => {
  const payer = await newPayer(world, PRICE);
  await world.solana.fundSol(payer.address, 10_000_000n);
  const [first, second] = [await newIntent(world), await newIntent(world)];
  const asked = await signable(world, first.id, payer.address);
  if (!asked.ok) throw new Error(asked.error);
  await sendSetup(world, asked.setupTransactionBase64 ?? '', payer);
  await expect
    .poll(async () => (await signable(world, first.id, payer.address)) as object)
    .not.toHaveProperty('setupTransactionBase64');
  const spellings = await signTextAsWallet(asked.message, payer);
  const [good = ''] = spellings;
  const forged = Buffer.from(good, 'base64');
  forged[7] = (forged[7] ?? 0) ^ 1;
  const later = String(Number(asked.fields['validBefore']) + 60);
  const cases: readonly (readonly [string, string, string])[] = [
    [first.id, messageHeader(asked.fields, forged.toString('base64')), 'invalid_signature'],
    [first.id, messageHeader({ ...asked.fields, validBefore: later }, good), 'invalid_signature'],
    [first.id, messageHeader({ ...asked.fields, nonce: `0x${'11'.repeat(32)}` }, good), 'invalid_signature'],
    [first.id, messageHeader({ ...asked.fields, value: '1' }, good), 'amount_mismatch'],
    [first.id, messageHeader({ ...asked.fields, to: payer.address }, good), 'recipient_mismatch'],
    [second.id, messageHeader(asked.fields, good), 'invalid_signature'],
  ];
  for (const [id, header, error] of cases)
    expect(await settleMessage(id, header)).toMatchObject({ status: 'failed', error });
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      settleMessage(first.id, messageHeader(asked.fields, spellings[index % 3] ?? '')),
    ),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe('succeeded');
  expect(await usdcOf(payer.address)).toBe(0n);
});

/** Registers a wallet in the page, as an extension does, for the program that follows. */
const PAGE_WITH_WALLET = `
import { createKeyPairSignerFromPrivateKeyBytes, getTransactionDecoder, getTransactionEncoder, partiallySignTransaction } from '@solana/kit';
const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(process.env.PAYER_SECRET, 'hex'));
const account = { address, publicKey: new Uint8Array(32), chains: ['solana:devnet'] };
const wallet = {
  name: 'Wallet', icon: '', chains: account.chains, accounts: [],
  features: {
    'standard:connect': { connect: async () => ({ accounts: (wallet.accounts = [account]) }) },
    'solana:signTransaction': {
      supportedTransactionVersions: [0],
      signTransaction: async ({ transaction }) => {
        const signed = await partiallySignTransaction([keyPair], getTransactionDecoder().decode(transaction));
        return [{ signedTransaction: Uint8Array.from(getTransactionEncoder().encode(signed)) }];
      },
    },
  },
};
globalThis.settings = process.env;
globalThis.window = new EventTarget();
window.addEventListener('wallet-standard:app-ready', ({ detail }) => detail.register(wallet));
`;

test('the page’s program pays with a wallet that registers itself and has no SOL', async () => {
  const page = readFileSync('docs/integrate/solana.md', 'utf8');
  const program = /^```ts\n(?<code>[\s\S]*?)^```$/m.exec(page)?.groups?.['code'] ?? '';
  const secret = randomBytes(32);
  const { address } = await createLocalRelayer(secret);
  await world.solana.fundToken(address, PRICE);
  const env = {
    BASE_URL: world.apiUrl,
    PUBLISHABLE_KEY: world.shop.publishableKey,
    PAYER_SECRET: secret.toString('hex'),
  };
  const code = PAGE_WITH_WALLET + program;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
  expect(stdout).toMatch(/^completed [1-9A-HJ-NP-Za-km-z]{80,90}\n$/);
  expect(await usdcOf(address)).toBe(0n);
});

test('the program of the integration page pays as it says', async () => {
  const page = readFileSync('docs/integrate/solana.md', 'utf8');
  const program = [...page.matchAll(/^```js\n(?<code>[\s\S]*?)^```$/gm)]
    .map(({ groups }) => groups?.['code'])
    .join('\n');
  const secret = randomBytes(32);
  const { address } = await createLocalRelayer(secret);
  await world.solana.fundSol(address, 10_000_000n);
  await world.solana.fundToken(address, PRICE);
  const environment = {
    BASE_URL: world.apiUrl,
    PUBLISHABLE_KEY: world.shop.publishableKey,
    SOLANA_RPC_URL: world.solana.rpcUrl,
    PAYER_SECRET: secret.toString('hex'),
  };
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env: environment });
  expect((await running).stdout).toMatch(/^succeeded [1-9A-HJ-NP-Za-km-z]{80,90}\n$/);
  expect(await usdcOf(address)).toBe(0n);
});

test('what landed becomes final, and its authorization is closed', async () => {
  const open = async () => {
    const { rows } = await pool.query<{ batches: number; authorizations: number }>(
      `select (select count(*)::integer from svc.batches where network = 'solana:devnet' and status <> 'finalized') as batches,
         (select count(*)::integer from svc.authorizations where network = 'solana:devnet' and kind = 'solana_transaction' and closed_at is null)
           as authorizations`,
    );
    return rows[0];
  };
  await expect.poll(open, { timeout: 25_000, interval: 250 }).toEqual({ batches: 0, authorizations: 0 });
});
