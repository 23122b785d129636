import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as onNode from './hmac.node.ts';
import * as onWeb from './hmac.web.ts';
import { readWebhookEvent } from './read-event.ts';
import { signWebhook } from './sign-webhook.ts';
import { createWebhookVerifier } from './verify-webhook.ts';

const secret = 'sk_test_webhook';
const t = 1_700_000_000;
const body = Buffer.from('{"id":"evt_1","note":"grüß"}');
const hmac = (at: number | string, bytes: Uint8Array, key = secret) =>
  createHmac('sha256', key).update(`${at}.`).update(bytes).digest('hex');
const good = hmac(t, body);
const verify = createWebhookVerifier([secret]);
const verdict = (signature: unknown, nowSeconds = t, bytes: unknown = body) =>
  verify({ signature, body: bytes, nowSeconds });

test('what is signed is verified: hex HMAC-SHA256 over "<t>." and the raw bytes', async () => {
  const signature = await signWebhook(secret, t, body);
  expect(signature).toBe(`t=${t},v1=${good}`);
  expect(await verdict(signature)).toEqual({ ok: true, timestampSeconds: t });
});

test('any bytes at any second survive the round trip', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.integer({ min: 0, max: 999_999_999_999 }), async (bytes, at) => {
      const signature = await signWebhook(secret, at, bytes);
      expect(await verify({ signature, body: bytes, nowSeconds: at })).toEqual({ ok: true, timestampSeconds: at });
    }),
  );
});

test('Node and WebCrypto agree on every signature', async () => {
  const keys = fc.oneof(fc.string({ minLength: 1 }), fc.uint8Array({ minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(keys, fc.string(), fc.uint8Array(), async (key, prefix, bytes) => {
      const [node, web] = [
        await onNode.hmacSha256(onNode.prepareKey(key), prefix, bytes),
        await onWeb.hmacSha256(onWeb.prepareKey(key), prefix, bytes),
      ];
      expect(web).toBe(node);
      for (const { equalInConstantTime } of [onNode, onWeb]) {
        expect(equalInConstantTime(node, web)).toBe(true);
        expect(equalInConstantTime(node, web.slice(1))).toBe(false);
        expect(equalInConstantTime(node, `${web.slice(0, -1)}g`)).toBe(false);
      }
    }),
  );
});

describe('time is held on both sides', () => {
  test.each([-300, -1, 0, 1, 300])('%i seconds off is accepted', async (offset) => {
    expect(await verdict(`t=${t},v1=${good}`, t + offset)).toMatchObject({ ok: true });
  });
  test.each([-301, 301, 86_400])('%i seconds off is refused', async (offset) => {
    expect(await verdict(`t=${t},v1=${good}`, t + offset)).toEqual({ ok: false, code: 'timestamp_out_of_tolerance' });
  });
});

describe('rotation', () => {
  const rotating = createWebhookVerifier(['sk_test_new', secret]);
  test('any of several secrets will do', async () => {
    expect(await rotating({ signature: `t=${t},v1=${good}`, body, nowSeconds: t })).toMatchObject({ ok: true });
  });
  test('one good candidate among eight will do, wherever it stands', async () => {
    const bad = '0'.repeat(64);
    for (let position = 0; position < 8; position += 1) {
      const items = Array.from({ length: 8 }, (_, index) => `v1=${index === position ? good : bad}`);
      expect(await verdict(`t=${t},${items.join(',')}`)).toMatchObject({ ok: true });
    }
  });
  test('schemes of later releases are skipped', async () => {
    expect(await verdict(`t=${t},v0=abc,v1=${good},v2=${good}`)).toMatchObject({ ok: true });
  });
});

describe('refused', () => {
  const v1 = `v1=${good}`;
  test.each([
    ['missing', undefined, 'signature_missing'],
    ['null', null, 'signature_missing'],
    ['empty', '', 'signature_missing'],
    ['repeated, as a list', [`t=${t},${v1}`, `t=${t},${v1}`], 'signature_malformed'],
    ['repeated, joined by the server', `t=${t},${v1}, t=${t},${v1}`, 'signature_malformed'],
    ['without t', v1, 'signature_malformed'],
    ['without v1', `t=${t}`, 'signature_malformed'],
    ['t empty', `t=,${v1}`, 'signature_malformed'],
    ['t negative', `t=-${t},${v1}`, 'signature_malformed'],
    ['t in letters', `t=now,${v1}`, 'signature_malformed'],
    ['t with a fraction', `t=${t}.0,${v1}`, 'signature_malformed'],
    ['t in milliseconds', `t=${t}000,v1=${hmac(`${t}000`, body)}`, 'signature_malformed'],
    ['two t', `t=${t},t=${t},${v1}`, 'signature_malformed'],
    ['v1 of 63', `t=${t},v1=${good.slice(1)}`, 'signature_malformed'],
    ['v1 of 65', `t=${t},v1=${good}0`, 'signature_malformed'],
    ['v1 in upper case', `t=${t},v1=${good.toUpperCase()}`, 'signature_malformed'],
    ['v1 not hex', `t=${t},v1=${'g'.repeat(64)}`, 'signature_malformed'],
    ['nine v1', `t=${t},${Array(9).fill(v1).join(',')}`, 'signature_malformed'],
    ['ten thousand v1', `t=${t},${Array(10_000).fill(v1).join(',')}`, 'signature_malformed'],
    ['white space', `t=${t}, ${v1}`, 'signature_malformed'],
    ['no equals sign', `t=${t},${v1},x`, 'signature_malformed'],
    ['another secret’s', `t=${t},v1=${hmac(t, body, 'sk_test_other')}`, 'signature_mismatch'],
    ['swapped from another delivery', `t=${t},v1=${hmac(t, Buffer.from('{"id":"evt_2"}'))}`, 'signature_mismatch'],
    ['of another second', `t=${t + 1},${v1}`, 'signature_mismatch'],
    ['t with a leading zero', `t=0${t},${v1}`, 'signature_mismatch'],
  ])('a signature that is %s', async (_, signature, code) => {
    expect(await verdict(signature)).toEqual({ ok: false, code });
  });

  test.each([
    ['a byte order mark in front', Buffer.concat([Buffer.from('\uFEFF'), body])],
    ['JSON that was parsed and written again', Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1))],
    ['text decoded and encoded again from bad UTF-8', Buffer.from(Buffer.from([0x7b, 0xff, 0x7d]).toString())],
    ['one flipped bit', Buffer.from(body.map((byte, index) => (index === 3 ? byte ^ 1 : byte)))],
    ['nothing', new Uint8Array()],
  ])('a body with %s', async (_, bytes) => {
    expect(await verdict(`t=${t},${v1}`, t, bytes)).toEqual({ ok: false, code: 'signature_mismatch' });
  });

  test.each([[{ id: 'evt_1' }], [body.toString()], [null], [undefined], [[...body]]])(
    'a body that is not raw bytes: %j',
    async (notBytes) => {
      expect(await verify({ signature: `t=${t},${v1}`, body: notBytes, nowSeconds: t })).toEqual({
        ok: false,
        code: 'body_not_raw_bytes',
      });
    },
  );

  test.each([[[]], [['']], [[secret, '']]])('an empty secret, at construction: %j', (secrets) => {
    expect(() => createWebhookVerifier(secrets)).toThrow(TypeError);
  });

  test('an empty secret, at signing', async () => {
    await expect(signWebhook('', t, body)).rejects.toThrow(TypeError);
  });

  test('any header text, without a throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.anything()), async (signature) => {
        expect(await verdict(signature)).toMatchObject({ ok: false });
      }),
    );
  });
});

describe('reading what was verified', () => {
  const later = (type: string) =>
    Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object: { id: 'pay_1' } } }));
  test.each([
    ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body_not_json'],
    ['a byte order mark', Buffer.from('\uFEFF{}'), 'body_not_json'],
    ['nothing', Buffer.from(''), 'body_not_json'],
    ['JSON that is no event', Buffer.from('{"type":"payment.sneezed"}'), 'event_malformed'],
    ['a known type in another shape', later('payment.completed'), 'event_malformed'],
  ])('%s is refused by name', (_, bytes, code) => {
    expect(readWebhookEvent(bytes)).toEqual({ ok: false, code });
  });

  test('a type of a later release comes through whole', () => {
    const event = { id: 'evt_1', object: 'event', type: 'payment.sneezed', data: { object: { id: 'pay_1' } } };
    expect(readWebhookEvent(later('payment.sneezed'))).toEqual({ ok: true, known: false, event });
  });
});
