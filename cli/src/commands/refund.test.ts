import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { sealKeystore, typedDataSigner } from '@svc-pay/evm';
import { type Hex, type NetworkId, typedData } from '@svc-pay/protocol';
import type { CreatedRefund, Refund } from '@svc-pay/protocol/merchant';
import { type RefundNonceTerms, refundNonce } from '@svc-pay/protocol/refund-nonce';
import { base58FromBytes } from '@svc-pay/protocol/solana';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openWallet } from '../merchant/refund-signer.ts';
import { askSvc, callSvc } from '../testing/call-svc.ts';

const PAYMENT_ID = 'pay_01k9z3v5w8q2r4s6t7x0y1abcd';
const REFUND_ID = 're_01k9z3v5w8q2r4s6t7x0y1abcd';
const PAYER = `0x${'7e'.repeat(20)}`;
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const key: Hex = `0x${randomBytes(32).toString('hex')}`;
const { address: wallet } = typedDataSigner(key);

const folder = mkdtempSync(path.join(tmpdir(), 'svc-pay-'));
afterAll(() => rmSync(folder, { recursive: true }));
function fileWith(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}
const keyFile = fileWith('key', `${key}\n`);

const shown = (change: Partial<Refund> = {}): Refund => ({
  id: REFUND_ID,
  object: 'refund',
  paymentId: PAYMENT_ID,
  paymentIntentId: 'pi_01k9z3v5w8q2r4s6t7x0y1abcd',
  status: 'prepared',
  amount: '500000',
  token: 'USDC',
  tokenShortcode: 'basesepolia_usdc',
  network: 'evm',
  chain: 'eip155:84532',
  from: wallet,
  to: PAYER,
  transactionId: null,
  explorerUrl: null,
  failureCode: null,
  failureMessage: null,
  reason: null,
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: null,
  completedAt: null,
  ...change,
});

function created(to = PAYER): CreatedRefund {
  const terms: RefundNonceTerms = {
    installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b11',
    mode: 'test',
    network: 'eip155:84532' as NetworkId,
    token: USDC,
    wallet,
    paymentId: PAYMENT_ID,
    sequence: 1,
  };
  const message = {
    from: wallet,
    to: to as Hex,
    value: '500000',
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + 3_600),
    nonce: refundNonce(terms),
  };
  const domain = { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: USDC } as const;
  const data = typedData(domain, { primaryType: 'TransferWithAuthorization', message });
  return { refund: shown(), sign: { kind: 'evm_typed_data', typedData: data as never, terms } };
}

/** A service that answers each path with one body, and notes what it is sent. */
async function serve(answers: Readonly<Record<string, readonly [status: number, body: unknown]>>) {
  const seen = new Map<string, { readonly body: string; readonly key: string | undefined }>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method} ${request.url}`;
    const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
    seen.set(route, { body: await text(request), key: idempotencyKey });
    const [status, body] = answers[route] ?? [404, { error: 'not_found', message: 'No.' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, environment: { SVC_SECRET_KEY: 'sk_test_refunds', SVC_API_URL: url } };
}

const CREATE = `POST /sdk/payments/${PAYMENT_ID}/refunds`;
const SUBMIT = `POST /sdk/refunds/${REFUND_ID}/submit`;
const serviceFor = (asked: CreatedRefund) =>
  serve({
    [`GET /sdk/payments/${PAYMENT_ID}`]: [
      200,
      {
        id: PAYMENT_ID,
        status: 'completed',
        paymentIntentId: 'pi_1',
        payer: PAYER,
        chain: 'eip155:84532',
        ledgerCanisterId: USDC,
        paidAmount: '1500000',
      },
    ],
    [CREATE]: [201, asked],
    [SUBMIT]: [202, { refund: shown({ status: 'queued' }) }],
    [`GET /sdk/refunds/${REFUND_ID}`]: [200, { refund: shown({ status: 'completed', transactionId: '0x5e' }) }],
    [`GET /sdk/payments/${PAYMENT_ID}/refunds`]: [200, { data: [shown({ status: 'sent' })], hasMore: false }],
  });

test('a key file signs the refund, which is submitted under the name of the caller', async () => {
  const { seen, environment } = await serviceFor(created());
  const argv = ['--amount', '500000', '--key-file', keyFile, '--idempotency-key', 'return-7', '--wait'];
  const { exitCode, document } = await askSvc(environment, 'refund', PAYMENT_ID, ...argv);
  expect({ exitCode, document }).toMatchObject({ exitCode: 0, document: { refund: { status: 'completed' } } });
  expect(seen.get(CREATE)).toMatchObject({ key: 'return-7' });
  expect(JSON.parse(seen.get(CREATE)?.body ?? '')).toEqual({ amount: '500000', from: wallet });
  expect(JSON.parse(seen.get(SUBMIT)?.body ?? '').signature).toMatch(/^0x[0-9a-f]{130}$/);
});

test('a keystore signs as the key in it does', async () => {
  const asked = created();
  const [one, other] = [await serviceFor(asked), await serviceFor(asked)];
  const keystore = fileWith('keystore.json', await sealKeystore(Buffer.from(key.slice(2), 'hex'), 'open sesame'));
  const passwordFile = fileWith('password', 'open sesame\n');
  await callSvc(one.environment, 'refund', PAYMENT_ID, '--amount', '500000', '--key-file', keyFile);
  const argv = ['--amount', '500000', '--keystore', keystore, '--password-file', passwordFile];
  expect(await callSvc(other.environment, 'refund', PAYMENT_ID, ...argv)).toMatchObject({ exitCode: 0 });
  const signatureIn = ({ seen }: typeof one): string => JSON.parse(seen.get(SUBMIT)?.body ?? '').signature;
  expect(signatureIn(other)).toBe(signatureIn(one));
  const damaged = ['--keystore', fileWith('damaged.json', '{}'), '--password-file', passwordFile];
  const { exitCode, stdout, stderr } = await callSvc(other.environment, 'refund', PAYMENT_ID, ...damaged);
  expect(exitCode).toBe(1);
  expect(`${stdout}${stderr}`).toContain('can’t be opened');
});

test('nothing is signed for another recipient than the payer', async () => {
  const { seen, environment } = await serviceFor(created(`0x${'99'.repeat(20)}`));
  const argv = ['--amount', '500000', '--key-file', keyFile];
  const { exitCode, stdout, stderr } = await callSvc(environment, 'refund', PAYMENT_ID, ...argv);
  expect(exitCode).toBe(1);
  expect(`${stdout}${stderr}`).toContain('It differs in `to`');
  expect(seen.has(SUBMIT)).toBe(false);
});

test('--payer of the merchant’s own records counts for more than the service’s word', async () => {
  const { seen, environment } = await serviceFor(created());
  const argv = ['--amount', '500000', '--key-file', keyFile, '--payer', `0x${'33'.repeat(20)}`];
  expect((await callSvc(environment, 'refund', PAYMENT_ID, ...argv)).exitCode).toBe(1);
  expect(seen.has(SUBMIT)).toBe(false);
});

test('--transaction reports a transfer without a wallet, and --list shows the refunds', async () => {
  const transactionId = `0x${'ab'.repeat(32)}`;
  const { seen, environment } = await serviceFor({ refund: shown({ status: 'queued', amount: null }), sign: null });
  const argv = ['--transaction', transactionId, '--log-index', '3'];
  expect(await callSvc(environment, 'refund', PAYMENT_ID, ...argv)).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(seen.get(CREATE)?.body ?? '')).toEqual({ transactionId, logIndex: 3 });
  const { stdout } = await callSvc(environment, 'refund', PAYMENT_ID, '--list');
  expect(stdout).toContain(REFUND_ID);
  expect(stdout).toContain('sent');
});

test.each([
  [[]],
  [['--list', '--key-file', keyFile]],
  [['--key-file', keyFile, '--transaction', '0x1']],
  [['--key-file', keyFile, '--amount', '1.5']],
  [['--key-file', keyFile, '--log-index', '1']],
  [['--key-file', fileWith('empty', '')]],
  [['--keystore', keyFile]],
])('refund with %j is misused', async (argv) => {
  const { seen, environment } = await serviceFor(created());
  expect((await callSvc(environment, 'refund', PAYMENT_ID, ...argv)).exitCode).toBe(64);
  expect(seen.size).toBe(0);
});

test('a Solana key as solana-keygen writes it signs bytes', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' }) as { d?: string; x?: string };
  const bytes = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  const opened = await openWallet({ keyFile: fileWith('id.json', JSON.stringify([...bytes])) });
  if (!opened.ok || !('signBytes' in opened.signer)) throw new Error('no Solana signer');
  expect(opened.signer.address).toBe(base58FromBytes(Uint8Array.from(bytes.subarray(32))));
  const message = Uint8Array.from(randomBytes(40));
  const signature = await opened.signer.signBytes(message);
  expect(verify(null, message, createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })), signature)).toBe(
    true,
  );
});
