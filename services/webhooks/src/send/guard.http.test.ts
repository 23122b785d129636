import { describe, expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { watchDialledAddresses } from '../testing/dialled-addresses.ts';
import { startNameServer } from '../testing/name-server.ts';
import { startReceiver, status } from '../testing/receiver.ts';

const { dialled } = watchDialledAddresses();
const nameServer = await startNameServer();
const STRICT = { SVC_WEBHOOKS_ALLOW_LOOPBACK: 'off', SVC_WEBHOOKS_DNS_SERVERS: nameServer.address };

const open = await startDeliveryWorld({ environment: { SVC_WEBHOOKS_DNS_SERVERS: nameServer.address } });
const strict = await startDeliveryWorld({ environment: STRICT });
const LIVE = { SVC_WEBHOOKS_MODES: 'both', SVC_ENGINE_IDENTITY_KEYS: 'publickeyv1_test' };
const live = await startDeliveryWorld({ environment: { ...STRICT, ...LIVE }, mode: 'live' });
const databasePort = new URL(open.pool.options.connectionString ?? '').port;
/** Dialled addresses, without those of the database. */
const merchantsDialled = () => dialled.filter((address) => !address.endsWith(`:${databasePort}`));

async function outcomeOf(world: typeof open, url: string, timeoutSeconds = 5) {
  dialled.length = 0;
  const endpoint = await world.shop.addEndpoint({ url, retryCount: 0, timeoutSeconds });
  const event = await world.shop.emit([endpoint], { atMs: world.clock.nowMs() });
  await world.settle();
  const [attempt] = await world.attempts(event);
  return { outcome: attempt?.outcome, error: attempt?.error, dialled: merchantsDialled(), attempt };
}

describe('in test mode without the switch', () => {
  test.each([
    'http://127.0.0.1:8080/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://１２７.０.０.１/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::1]/',
    'http://[::]/',
    'http://0.0.0.0/',
    'http://localhost/',
    'http://localhost./',
    'http://a.localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'http://shop.test:22/',
    'http://shop.test:25/',
    'http://shop.test:5432/',
    'http://shop.test:6379/',
    'http://user:pass@shop.test/',
    'http://127.0.0.1\\@example.com/',
    'gopher://shop.test/',
  ])('%s is blocked, and nothing is dialled', async (url) => {
    nameServer.names.set('shop.test', ['93.184.215.14']);
    expect(await outcomeOf(strict, url)).toMatchObject({ outcome: 'blocked', dialled: [] });
  });

  test.each([
    ['a private address', ['10.1.2.3']],
    ['a private address behind a public one', ['93.184.215.14', '10.1.2.3']],
    ['a private IPv6 address behind a public IPv4 one', ['93.184.215.14', 'fd00::1']],
    ['a wrapped loopback address', ['64:ff9b::7f00:1']],
    ['loopback', ['127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
  ])('a name with %s is blocked, and nothing is dialled', async (_, addresses) => {
    nameServer.names.set('evil.test', addresses);
    expect(await outcomeOf(strict, 'http://evil.test/')).toMatchObject({ outcome: 'blocked', dialled: [] });
  });
});

describe('in live mode', () => {
  test.each(['http://shop.test/', 'https://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://2130706433/'])(
    '%s is blocked, and nothing is dialled',
    async (url) => {
      nameServer.names.set('shop.test', ['93.184.215.14']);
      expect(await outcomeOf(live, url)).toMatchObject({ outcome: 'blocked', dialled: [] });
    },
  );

  test('a name that points to loopback is blocked', async () => {
    nameServer.names.set('evil.test', ['127.0.0.1']);
    expect(await outcomeOf(live, 'https://evil.test/')).toMatchObject({ outcome: 'blocked', dialled: [] });
  });
});

describe('with the switch', () => {
  test('loopback is dialled by the address that was looked at, and the name is asked for once', async () => {
    const receiver = await startReceiver();
    nameServer.names.set('shop.test', ['127.0.0.1']);
    nameServer.asked.length = 0;
    const { outcome, dialled: addresses, attempt } = await outcomeOf(open, `http://shop.test:${receiver.port}/`);
    expect(outcome).toBe('succeeded');
    expect(addresses).toEqual([`127.0.0.1:${receiver.port}`]);
    expect(nameServer.asked).toEqual(['shop.test', 'shop.test']);
    expect(receiver.requests[0]?.headers.host).toBe(`shop.test:${receiver.port}`);
    expect(attempt?.dns_ms).toBeGreaterThanOrEqual(0);
  });

  test('a name that turns to a private address before the retry is blocked then', async () => {
    const receiver = await startReceiver(status(500, { connection: 'close' }));
    nameServer.names.set('turn.test', ['127.0.0.1']);
    const endpoint = await open.shop.addEndpoint({ url: `http://turn.test:${receiver.port}/` });
    const event = await open.shop.emit([endpoint], { atMs: open.clock.nowMs() });
    await open.settle();
    nameServer.names.set('turn.test', ['10.9.9.9']);
    dialled.length = 0;
    open.clock.move(10_000);
    await open.settle();
    expect((await open.attempts(event)).map(({ outcome }) => outcome)).toEqual(['refused', 'blocked']);
    expect(merchantsDialled()).toEqual([]);
  });

  test('a redirect to a private address is an answer, and nobody follows it', async () => {
    const receiver = await startReceiver(status(307, { location: 'http://169.254.169.254/' }));
    const seen = await outcomeOf(open, receiver.url);
    expect(seen).toMatchObject({ outcome: 'refused', attempt: { response_status: 307 } });
    expect(seen.dialled).toEqual([`127.0.0.1:${receiver.port}`]);
  });

  test('an address that the operator denies is blocked although it is loopback’s neighbour', async () => {
    const own = await startDeliveryWorld({
      environment: { ...STRICT, SVC_WEBHOOKS_DENIED_ADDRESSES: '93.184.215.0/24' },
    });
    nameServer.names.set('shop.test', ['93.184.215.14']);
    expect(await outcomeOf(own, 'http://shop.test/')).toMatchObject({ outcome: 'blocked', dialled: [] });
  });
});

describe('when names can’t be resolved', () => {
  test('a name that does not exist counts against the endpoint', async () => {
    expect(await outcomeOf(open, 'http://nobody.test/')).toMatchObject({ outcome: 'unreachable', dialled: [] });
  });

  test('a name that gets no answer while others do counts against the endpoint', async () => {
    nameServer.names.set('slow.test', 'silent');
    const { outcome, attempt } = await outcomeOf(open, 'http://slow.test/', 1);
    expect(outcome).toBe('timed_out');
    expect(attempt?.total_ms).toBeLessThan(3_000);
  });

  test('a name server that is down is our fault, and costs no retry', async () => {
    const gone = await startNameServer();
    await gone.close();
    const world = await startDeliveryWorld({ environment: { ...STRICT, SVC_WEBHOOKS_DNS_SERVERS: gone.address } });
    const event = await world.shop.emit([await world.shop.addEndpoint({ url: 'http://shop.test/', retryCount: 0 })]);
    await world.settle();
    expect(await world.attempts(event)).toMatchObject([{ outcome: 'our_fault' }]);
    expect(await world.delivery(event)).toMatchObject({ status: 'pending', attempt_count: 1, uncharged_count: 1 });
  });
});

test('a live body with two readings is neither signed nor sent', async () => {
  dialled.length = 0;
  nameServer.names.set('shop.test', ['93.184.215.14']);
  const endpoint = await live.shop.addEndpoint({ url: 'https://shop.test/hooks', retryCount: 0 });
  const body = '{"type":"payment.completed","object":"event","type":"payment_intent.created"}';
  const event = await live.shop.emit([endpoint], { atMs: live.clock.nowMs(), body });
  await live.settle();
  expect(await live.attempts(event)).toMatchObject([
    { outcome: 'our_fault', error: 'the body of the event can be understood in two ways', request_headers: {} },
  ]);
  expect(merchantsDialled()).toEqual([]);
});
