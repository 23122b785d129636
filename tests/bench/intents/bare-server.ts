// The reference: Fastify and Postgres with nothing in between. POST /single inserts one row; POST /rows writes the rows
// of an intent in one statement. Both parse the body and answer JSON, as the service does.
import Fastify from 'fastify';
import pg from 'pg';

const [url, accountId] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
await pool.query('create table if not exists bare_intent (id bigserial primary key, body text not null)');

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
function id(prefix: string): string {
  let time = performance.timeOrigin + performance.now();
  let text = '';
  for (let place = 0; place < 10; place += 1) {
    text = ALPHABET.charAt(Math.floor(time) % 32) + text;
    time /= 32;
  }
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) text += ALPHABET.charAt(byte % 32);
  return `${prefix}_${text}`;
}

const ADDRESS = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const PROCESSOR = '0x2222222222222222222222222222222222222222';
const ACCEPTANCE = JSON.stringify({ scheme: 'exact', network: 'eip155:84532', padding: 'x'.repeat(560) });
const EVENT = Buffer.from(JSON.stringify({ object: 'event', padding: 'x'.repeat(780) }));

const ROWS = `
  with intent as (
    insert into svc.intents (
      account_id, mode, id, intent_code, status, x402_upto, amount, ledger_id, network, token_shortcode, amount_usd_atto,
      metadata, expires_at, created_at, updated_at, event_sequence
    ) values ($1, 'test', $2, $3, 'requires_payment', false, $4, $5, 'eip155:84532', 'basesepolia_usdc', $6, $7,
      $8, $9, $9, 1)
  ), code as (
    insert into svc.intent_codes (intent_code, account_id, mode, intent_id) values ($3, $1, 'test', $2)
  ), acceptance as (
    insert into svc.acceptances (
      account_id, mode, intent_id, position, scheme, network, token_shortcode, asset, pay_to, amount, payout_id,
      max_timeout_seconds, usd_per_token_atto, rate_source, rate_observed_at, body
    ) values ($1, 'test', $2, 0, 'exact', 'eip155:84532', 'basesepolia_usdc', $5, $10, $4, 1, 300, '1000000000000000000',
      'fixed', $9, $11)
  )
  insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, request_id, created_at, body)
  values ($1, 'test', $12, 'payment_intent.created', $2, 1, '2026-11-15', 'req_bare', $9, $13)`;

// Far above what the service itself draws in this database.
let code = 4_000_000_000_000_000;
const app = Fastify();

app.post('/single', async (request, reply) => {
  await pool.query({
    name: 'single',
    text: 'insert into bare_intent (body) values ($1)',
    values: [JSON.stringify(request.body)],
  });
  return reply.code(402).send({ x402Version: 2, accepts: [] });
});

app.post('/rows', async (request, reply) => {
  const now = new Date(performance.timeOrigin + performance.now());
  const intentId = id('pi');
  code += 1;
  const metadata = JSON.stringify((request.body as { metadata: unknown }).metadata);
  const expires = new Date(now.getTime() + 86_400_000);
  const values = [accountId, intentId, code, '12500000', ADDRESS, '12500000000000000000', metadata, expires, now];
  await pool.query({ name: 'rows', text: ROWS, values: [...values, PROCESSOR, ACCEPTANCE, id('evt'), EVENT] });
  return reply.code(402).send({ x402Version: 2, paymentIntentId: intentId, accepts: [ACCEPTANCE] });
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ port: Number.parseInt(new URL(address).port, 10) }));
process.on('SIGTERM', () => {
  void app.close().then(() => pool.end());
});
