import { expect, test } from 'vitest';
import { readWebhooksConfig } from './config.ts';

const GOOD = {
  SVC_DATABASE_URL: 'postgres://webhooks@127.0.0.1/svc',
  SVC_MASTER_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
  SVC_ENGINE_IDENTITY_KEYS: 'publickeyv1_test',
};

test('the database, the master keys and the engine’s identity are all that must be given', () => {
  const read = readWebhooksConfig(GOOD);
  expect(read).toMatchObject({ ok: true, config: { modes: ['live', 'test'], allowLoopback: false } });
  expect(readWebhooksConfig({})).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('SVC_DATABASE_URL'), expect.stringContaining('SVC_MASTER_KEYS')],
  });
});

test('without the engine’s identity it starts for test deliveries alone', () => {
  const { SVC_ENGINE_IDENTITY_KEYS: _, ...anonymous } = GOOD;
  const refused = { ok: false, problems: [expect.stringContaining('SVC_ENGINE_IDENTITY_KEYS is required')] };
  for (const modes of ['both', 'live']) {
    expect(readWebhooksConfig({ ...anonymous, SVC_WEBHOOKS_MODES: modes })).toMatchObject(refused);
    const empty = { ...GOOD, SVC_WEBHOOKS_MODES: modes, SVC_ENGINE_IDENTITY_KEYS: ',' };
    expect(readWebhooksConfig(empty)).toMatchObject(refused);
  }
  expect(readWebhooksConfig({ ...anonymous, SVC_WEBHOOKS_MODES: 'test' })).toMatchObject({ ok: true });
});

test.each(['both', 'live'])('with deliveries of %s it does not start with loopback allowed', (modes) => {
  const environment = { ...GOOD, SVC_WEBHOOKS_MODES: modes, SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on' };
  expect(readWebhooksConfig(environment)).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('SVC_WEBHOOKS_ALLOW_LOOPBACK is refused in live mode')],
  });
});

test('for test mode alone it does', () => {
  const environment = { ...GOOD, SVC_WEBHOOKS_MODES: 'test', SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on' };
  expect(readWebhooksConfig(environment)).toMatchObject({ ok: true, config: { modes: ['test'], allowLoopback: true } });
});

test('the usual ports of other protocols are denied, and lists that can’t be read are named', () => {
  const read = readWebhooksConfig(GOOD);
  if (!read.ok) throw new Error('it is good');
  for (const port of [22, 25, 5432, 6379]) expect(read.config.deniedPorts.has(port)).toBe(true);
  for (const port of [80, 443, 8080, 8443]) expect(read.config.deniedPorts.has(port)).toBe(false);
  const bad = { ...GOOD, SVC_WEBHOOKS_DENIED_PORTS: 'ssh', SVC_WEBHOOKS_DENIED_ADDRESSES: '10.0.0.0/40' };
  expect(readWebhooksConfig(bad)).toMatchObject({ ok: false, problems: { length: 2 } });
});
