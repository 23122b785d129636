// More requests than the process can answer in time, and more connections at once than it accepts in one go.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { CREATE, call, intentPath, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playCompletion } from '../testing/play-settlement.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startApiProcess } from '../testing/start-api-process.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';
import { startTestApi, type TestApi, testEnvironment } from '../testing/start-test-api.ts';

const LONG = { timeout: 60_000 };
/** The shortest queue that may be set; no statement ends meanwhile by itself. */
const SHORT_QUEUE = { SVC_API_QUEUE_MS: '1000', SVC_API_STATEMENT_TIMEOUT_MS: '30000' };
/** More than the number below which every request is taken. */
const MANY = 300;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const creatorOf = (api: TestApi) => () =>
  call(api, 'POST', CREATE, { key: api.account.keys.test.publishable, body: { usdAmount: 1 } });

/** No intent can be recorded until `release`. */
async function holdIntents({ database }: TestApi) {
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query('lock table svc.intent_codes in exclusive mode');
  return async () => {
    await client.query('commit');
    client.release();
  };
}

/** Lets requests wait for the database until the process has no room for another one. `meanwhile`: while it learns its pace. */
async function fillQueue(api: TestApi, meanwhile: () => Promise<unknown> = async () => {}) {
  const create = creatorOf(api);
  const release = await holdIntents(api);
  const taken = Array.from({ length: MANY }, create);
  await pause(300);
  // The pace is learned for a second before anybody is refused.
  taken.push(create());
  await Promise.all([meanwhile(), pause(1_200)]);
  return { taken, release };
}

test(
  'a process that stands still with a long queue refuses what it could not answer in time, and says that it is busy',
  LONG,
  async () => {
    const api = await startTestApi(SHORT_QUEUE);
    const { publishable: key } = api.account.keys.test;
    const create = creatorOf(api);
    const intentId = newId('paymentIntent', Date.now());
    const settle = () => call(api, 'POST', SETTLE, { key, body: { paymentIntentId: intentId, paymentHeader: 'e30=' } });
    expect([(await create()).statusCode, (await settle()).statusCode]).toEqual([402, 404]);

    const { taken, release } = await fillQueue(api);
    const refused = await create();
    expect(refused.headers['retry-after']).toBe('1');
    expect([refused.statusCode, refused.json()]).toMatchObject([
      503,
      { error: 'service_unavailable', retryable: true },
    ]);
    expect((await call(api, 'GET', intentPath(intentId), { key })).statusCode).toBe(503);
    // Whether it was submitted before is looked up; a header that was not gets the same answer.
    const unclaimed = await settle();
    expect([unclaimed.statusCode, unclaimed.json()]).toMatchObject([503, { error: 'service_unavailable' }]);
    expect((await call(api, 'GET', '/health')).statusCode).toBe(200);

    await release();
    // What was taken is answered, and the process takes requests again.
    const statuses = (await Promise.all(taken)).map(({ statusCode }) => statusCode);
    expect(statuses).toEqual(statuses.map(() => 402));
    expect((await create()).statusCode).toBe(402);
  },
);

test(
  'a payment that was claimed settles while the process is full, for who waits and for who asks again',
  LONG,
  async () => {
    const api = await startPayableApi({ ...SHORT_QUEUE, SVC_SETTLE_WAIT_MS: '30000' });
    const { pool } = api.database;
    const { publishable: key } = api.account.keys.test;
    const payer = newPayer();
    await api.chain.mint(USDC, payer.address, 10n ** 12n);
    const newHeader = async () => {
      const intent = await api.newIntent();
      return { paymentIntentId: intent.id, paymentHeader: await signHeader(payer, intent.acceptance) };
    };
    const settle = (body: object) => call(api, 'POST', SETTLE, { key, body });
    const [claimed, unclaimed] = [await newHeader(), await newHeader()];
    const paymentsOf = async ({ paymentIntentId }: typeof claimed) =>
      (await pool.query('select from svc.payments where intent_id = $1', [paymentIntentId])).rowCount;
    const waiting = settle(claimed);
    await expect.poll(() => paymentsOf(claimed), { timeout: 10_000 }).toBe(1);

    const { taken, release } = await fillQueue(api);
    expect((await creatorOf(api)()).statusCode).toBe(503);
    const again = settle(claimed);
    const refused = await settle(unclaimed);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      503,
      { error: 'service_unavailable', retryable: true },
    ]);
    // Who is refused is not charged later: nothing was claimed.
    expect(await paymentsOf(unclaimed)).toBe(0);
    await playCompletion(pool, claimed.paymentIntentId);
    for (const answer of [await waiting, await again, await settle(claimed)])
      expect([answer.statusCode, answer.json()]).toMatchObject([200, { status: 'succeeded' }]);
    expect(await paymentsOf(claimed)).toBe(1);

    await release();
    await Promise.all(taken);
    // The header that was refused is good for another try.
    const tried = settle(unclaimed);
    await expect.poll(() => paymentsOf(unclaimed), { timeout: 10_000 }).toBe(1);
    await playCompletion(pool, unclaimed.paymentIntentId);
    expect((await tried).json()).toMatchObject({ status: 'succeeded' });
  },
);

test.each([
  ['guess keys', 'key_invalid', undefined],
  ['show the key of an account that has moved', 'account_moved', 'moved'],
  ['show the key of an account that moves', 'account_moving', 'moving'],
])('refusing many who %s does not make a process that stands still look fast', LONG, async (_, code, status) => {
  const api = await startTestApi({ ...SHORT_QUEUE, SVC_API_CACHE_MS: '60000' });
  const { pool } = api.database;
  const away = await seedAccount(pool);
  if (status !== undefined)
    await pool.query('update svc.accounts set status = $2 where id = $1', [away.accountId, status]);
  const key = status === undefined ? 'sk_test_guessed' : away.keys.test.secret;
  const ask = async () => (await call(api, 'GET', intentPath('pi_guessed'), { key })).json().error as string;
  // From now on the key is cached: its requests do not wait for the database.
  expect(await ask()).toBe(code);
  const told: string[] = [];
  const { taken, release } = await fillQueue(api, async () => {
    told.push(...(await Promise.all(Array.from({ length: 1_500 }, ask))));
  });
  // On a slow machine the last of them find the process full.
  expect(new Set(told.filter((each) => each !== 'service_unavailable'))).toEqual(new Set([code]));
  expect(told.filter((each) => each === code).length).toBeGreaterThan(MANY);
  expect((await creatorOf(api)()).statusCode).toBe(503);
  await release();
  await Promise.all(taken);
});

const connectionsOf = ({ app }: TestApi) =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((problem, count) => (problem ? reject(problem) : resolve(count)));
  });

test('clients that leave before their answer give their places back', LONG, async () => {
  const api = await startTestApi(SHORT_QUEUE);
  const release = await holdIntents(api);
  const { port } = new URL(api.url);
  const body = JSON.stringify({ usdAmount: 1 });
  const head = `POST ${CREATE} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.account.keys.test.publishable}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const answers: string[] = [];
  const send = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('data', (chunk) => answers.push(String(chunk).split('\r\n', 1)[0] ?? ''));
    await once(socket, 'connect');
    socket.write(head + body);
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: 3 * MANY }, send));
  // Nobody is answered but who finds the process full. Then more are inside than it takes whatever its pace is.
  const oneMore = async () => {
    sockets.push(await send());
    return new Set(answers);
  };
  await expect.poll(oneMore, { timeout: 20_000, interval: 100 }).toEqual(new Set(['HTTP/1.1 503 Service Unavailable']));
  for (const socket of sockets) socket.destroy();
  // The process hears that they left before it has an answer for them.
  await expect.poll(() => connectionsOf(api), { timeout: 20_000 }).toBe(0);
  await release();
  // With their places still taken and nobody answered, the process would be full for every later request.
  const isTaken = async () => (await creatorOf(api)()).statusCode === 402;
  await expect.poll(isTaken, { timeout: 20_000, interval: 100 }).toBe(true);
});

test('a client that sends its body slowly takes nobody’s place', LONG, async () => {
  const api = await startTestApi({ SVC_API_QUEUE_MS: '1000' });
  const { publishable: key } = api.account.keys.test;
  const { port } = new URL(api.url);
  const head = `POST ${CREATE} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
  const slow = await Promise.all(
    Array.from({ length: 400 }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(head);
      return socket;
    }),
  );
  for (let round = 0; round < 4; round += 1) {
    await pause(500);
    expect((await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 } })).statusCode).toBe(402);
  }
  for (const socket of slow) socket.destroy();
});

const CONNECTIONS = 2_048;
const mostQueued = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));

/** Connections that the kernel dropped because a queue was full, on this machine since it started. */
function overflows(): number {
  const lines = readFileSync('/proc/net/netstat', 'utf8').split('\n');
  const [names = [], values = []] = lines.filter((line) => line.startsWith('TcpExt:')).map((line) => line.split(' '));
  return Number(values[names.indexOf('ListenOverflows')]);
}

test.skipIf(mostQueued < CONNECTIONS)(
  'of 2,048 connections that come while the process stands still none is dropped, and all are answered',
  LONG,
  async () => {
    const { child, url } = await startApiProcess(testEnvironment((await createTestDatabase()).url));
    const { port } = new URL(url);
    const before = overflows();
    child.kill('SIGSTOP');
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), '127.0.0.1'));
    const answers = sockets.map(async (socket) => {
      socket.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text.split('\r\n', 1)[0];
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    child.kill('SIGCONT');
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']));
    expect(overflows() - before).toBe(0);
  },
);
