// An API that is paid by use. The caller signs a cap once; what was used is charged when the session is closed, and the
// rest of the cap is back with the caller in the same transaction.
import { randomUUID } from 'node:crypto';
import { createSvcPay } from '@svc-pay/server';
import fastify from 'fastify';

const { BASE_URL, SECRET_KEY, ACCOUNT_ID, PORT = '3000' } = process.env;
const svc = createSvcPay({ baseUrl: BASE_URL, secretKey: SECRET_KEY, accountId: ACCOUNT_ID });

// Smallest units of a token with six decimals: a cap of two dollars, and an eighth of a cent for a word.
const CAP = 2_000_000n;
const WORD = 1_250n;
const CONFIRMED_CAP = 'svc_x402_upto_max_amount_atomic';

const sessions = new Map();
const app = fastify();

app.post('/sessions', async (_, reply) => {
  const id = randomUUID();
  const created = await svc.intents.create(
    { amount: String(CAP), tokenShortcode: 'anvil_usdc', x402Upto: true, maxTimeoutSeconds: 3600 },
    { idempotencyKey: id },
  );
  if (!created.ok) return reply.code(503).send({ error: created.code });
  sessions.set(id, { paymentIntentId: created.paymentIntentId, authorized: false, used: 0n, closing: false });
  return reply.code(402).send({ session: id, ...created.paymentRequired, clientSecret: created.clientSecret });
});

app.get('/sessions/:id/words', async (request, reply) => {
  const session = sessions.get(request.params.id);
  const count = /^[1-9]\d{0,3}$/.test(request.query.count ?? '1') ? BigInt(request.query.count ?? '1') : 0n;
  if (session === undefined || session.closing) return reply.code(404).send({ error: 'no such session' });
  if (count === 0n) return reply.code(400).send({ error: 'count is 1 to 9999' });
  if (!session.authorized) {
    // Only the service writes this key, and only after it has verified the payer's signature.
    const found = await svc.intents.get(session.paymentIntentId);
    session.authorized = found.ok && found.situation.paymentIntent.metadata[CONFIRMED_CAP] === String(CAP);
    if (!session.authorized) return reply.code(402).send({ error: 'sign the cap first' });
  }
  if (session.closing || session.used + count * WORD > CAP) {
    return reply.code(402).send({ error: 'the cap is used up; close this session and open another' });
  }
  session.used += count * WORD;
  return { words: Array.from({ length: Number(count) }, () => 'buffalo').join(' '), used: String(session.used) };
});

app.delete('/sessions/:id', async (request, reply) => {
  const session = sessions.get(request.params.id);
  if (session === undefined) return reply.code(404).send({ error: 'no such session' });
  // Nothing is used from here on, so that every try to close charges the same amount.
  session.closing = true;
  const { paymentIntentId, used } = session;
  const closed =
    used === 0n
      ? await svc.upto.release({ paymentIntentId })
      : await svc.upto.settle({ paymentIntentId, settledAmount: String(used) });
  if (!closed.ok) return reply.code(503).send({ error: closed.code, again: closed.retryable });
  if (used === 0n) return { charged: '0', status: 'released' };
  const { status, settledAmount, refundAmount } = closed.settlement;
  return { charged: settledAmount, returned: refundAmount, status };
});

await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log(`listening on ${PORT}`);
