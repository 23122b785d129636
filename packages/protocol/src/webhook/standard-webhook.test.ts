import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStandardWebhookVerifier } from './verify-standard-webhook.ts';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const t = 1_700_000_000;
const id = 'evt_1';
const body = Buffer.from('{"id":"evt_1","note":"grüß"}');
const sign = (bytes: Uint8Array = body, at: number | string = t, of = id, by = key) =>
  `v1,${createHmac('sha256', by).update(`${of}.${at}.`).update(bytes).digest('base64')}`;
const good = sign();
const verify = createStandardWebhookVerifier([secret]);
const verdict = (headers: object, bytes: unknown = body, nowSeconds = t) =>
  verify({ id, timestamp: String(t), signature: good, ...headers, body: bytes, nowSeconds });

test('the example of the Standard Webhooks specification verifies', async () => {
  const example = createStandardWebhookVerifier(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']);
  const delivery = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    body: Buffer.from('{"test": 2432232314}'),
    nowSeconds: 1_614_265_330,
  };
  expect(await example(delivery)).toEqual({ ok: true, timestampSeconds: 1_614_265_330 });
});

test('any bytes, id and second that were signed verify, and one flipped bit does not', async () => {
  const ids = fc.stringMatching(/^[\w-]{1,40}$/);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1 }), ids, fc.nat(), async (bytes, of, at) => {
      const delivery = { id: of, timestamp: String(at), signature: sign(bytes, at, of), nowSeconds: at };
      expect(await verify({ ...delivery, body: bytes })).toEqual({ ok: true, timestampSeconds: at });
      const flipped = bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
      expect(await verify({ ...delivery, body: flipped })).toMatchObject({ code: 'signature_mismatch' });
    }),
  );
});

test('time is held on both sides, after the signature', async () => {
  for (const offset of [-300, 300]) expect(await verdict({}, body, t + offset)).toMatchObject({ ok: true });
  for (const offset of [-301, 301]) {
    expect(await verdict({}, body, t + offset)).toEqual({ ok: false, code: 'timestamp_out_of_tolerance' });
  }
  expect(await verdict({ signature: sign(body, t, id, randomBytes(32)) }, body, t + 301)).toMatchObject({
    code: 'signature_mismatch',
  });
});

test('rotation: any of several secrets, one good candidate among eight, other schemes skipped', async () => {
  const rotating = createStandardWebhookVerifier([`whsec_${randomBytes(24).toString('base64')}`, secret]);
  const delivery = { id, timestamp: String(t), body, nowSeconds: t };
  expect(await rotating({ ...delivery, signature: good })).toMatchObject({ ok: true });
  const bad = `v1,${'A'.repeat(43)}=`;
  const items = [...Array<string>(7).fill(bad), good];
  expect(await verdict({ signature: items.join(' ') })).toMatchObject({ ok: true });
  expect(await verdict({ signature: `v1a,c2lnbmF0dXJl ${good}` })).toMatchObject({ ok: true });
});

describe('refused', () => {
  const digest = good.slice(3);
  test.each([
    ['no id', { id: undefined }, 'signature_missing'],
    ['no timestamp', { timestamp: undefined }, 'signature_missing'],
    ['no signature', { signature: undefined }, 'signature_missing'],
    ['an empty signature', { signature: '' }, 'signature_missing'],
    ['repeated signatures, as a list', { signature: [good, good] }, 'signature_malformed'],
    ['repeated signatures, joined by the server', { signature: `${good}, ${good}` }, 'signature_malformed'],
    ['repeated timestamps', { timestamp: [String(t)] }, 'signature_malformed'],
    ['a timestamp in letters', { timestamp: 'now' }, 'signature_malformed'],
    ['a negative timestamp', { timestamp: `-${t}` }, 'signature_malformed'],
    ['milliseconds', { timestamp: `${t}000`, signature: sign(body, `${t}000`) }, 'signature_malformed'],
    ['a signature without scheme', { signature: digest }, 'signature_malformed'],
    ['only schemes of others', { signature: 'v1a,c2lnbmF0dXJl' }, 'signature_malformed'],
    ['a short signature', { signature: `v1,${digest.slice(4)}` }, 'signature_malformed'],
    ['a signature without padding', { signature: good.slice(0, -1) }, 'signature_malformed'],
    ['nine candidates', { signature: Array(9).fill(good).join(' ') }, 'signature_malformed'],
    ['ten thousand candidates', { signature: Array(10_000).fill(good).join(' ') }, 'signature_malformed'],
    ['an id with a dot', { id: 'evt.1' }, 'signature_malformed'],
    ['another id', { id: 'evt_2' }, 'signature_mismatch'],
    ['another second', { timestamp: String(t + 1) }, 'signature_mismatch'],
    ['the signature of another delivery', { signature: sign(Buffer.from('{}')) }, 'signature_mismatch'],
  ])('%s', async (_, headers, code) => {
    expect(await verdict(headers)).toEqual({ ok: false, code });
  });

  test.each([[{ id }], [body.toString()], [undefined]])('a body that is not raw bytes: %j', async (notBytes) => {
    expect(await verify({ id, timestamp: String(t), signature: good, body: notBytes, nowSeconds: t })).toEqual({
      ok: false,
      code: 'body_not_raw_bytes',
    });
  });

  test.each([[[]], [['']], [['whsec_']], [['whsec_c2hvcnQ=']], [[secret, '']], [[key.toString('base64')]]])(
    'a secret that is none, at construction, without repeating it: case %#',
    (secrets) => {
      expect(() => createStandardWebhookVerifier(secrets)).toThrow(TypeError);
      expect(() => createStandardWebhookVerifier(secrets)).not.toThrow(key.toString('base64'));
    },
  );
});
