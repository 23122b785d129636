// `ledger check` against a local Internet Computer with real certificates, and real Postgres.
import { changeRows, DOLLAR } from '@svc-pay/postgres/testing';
import { afterAll, afterEach, expect, test } from 'vitest';
import { askSvc } from '../testing/call-svc.ts';
import { type IcpBooks, LEDGER, startIcpMachine } from '../testing/icp-books.ts';

const { ic, books } = await startIcpMachine();
afterAll(() => ic.stop());
afterEach(() => void Object.assign(ic.faults, { down: false, certificates: 'true' }));

type Line = {
  check: string;
  network: string | null;
  looked: number;
  differing: number;
  differences: { about: string[]; message: string }[];
};

async function check({ environment }: IcpBooks, ...words: readonly string[]) {
  const { exitCode, document } = await askSvc(environment, 'ledger', 'check', ...words);
  const { lines = [], error, uncompared } = document as { lines?: Line[]; error?: string; uncompared?: string[] };
  const blocks = lines.find((line) => line.check === 'blocks');
  const found = lines.flatMap((line) =>
    line.differences.map(({ about, message }) => `${line.check} ${about.join(' ')}: ${message}`),
  );
  return { exitCode, error, uncompared, looked: blocks?.looked, network: blocks?.network, found };
}

/** A payment in full, and one in two parts. */
async function paidBooks() {
  const run = await books();
  const [whole, parts] = [await run.intent(), await run.intent()];
  await run.pay(whole);
  await run.pay(parts, DOLLAR / 4n);
  await run.pay(parts, DOLLAR);
  await run.read();
  expect([await run.intentOf(whole), await run.intentOf(parts)]).toEqual(['completed', 'completed']);
  return run;
}

test('payments of a token ledger are compared with its certified blocks, in an archive too', async () => {
  const run = await paidBooks();
  const clean = { exitCode: 0, error: undefined, looked: 3, network: 'icp:local', found: [], uncompared: [] };
  expect(await check(run)).toEqual(clean);
  expect(await check(run, '--network', 'icp:local')).toEqual(clean);
  expect(await check(run, '--network', 'icp:mainnet')).toMatchObject({ exitCode: 64, error: 'usage' });
});

test('a boundary that does not answer, or without a true certificate, proves nothing and is no difference', async () => {
  const run = await paidBooks();
  for (const faults of [{ down: true }, { down: false, certificates: 'forged' }]) {
    Object.assign(ic.faults, faults);
    expect(await check(run)).toMatchObject({ exitCode: 1, error: 'chain_unreadable', found: [] });
  }
});

type Forged = {
  readonly statement: string;
  readonly value: (index: bigint) => string;
  /** What the check says after the id of the payment. */
  readonly words: (index: bigint) => string;
};
const TRANSACTION = 'update svc.payments set transaction_id = $2 where id = $1';
const OTHER_LEDGER = 'xevnm-gaaaa-aaaar-qafnq-cai';
const FORGED: readonly Forged[] = [
  {
    statement: TRANSACTION,
    value: (index) => `${LEDGER}:${index + 1n}`,
    words: (index) => `${LEDGER}:${index + 1n}: its block has intent code `,
  },
  { statement: TRANSACTION, value: () => `${LEDGER}:0`, words: () => `${LEDGER}:0: its block is no transfer` },
  {
    statement: TRANSACTION,
    value: () => `${LEDGER}:900000`,
    words: () => `${LEDGER}:900000: the token ledger ends before it, with `,
  },
  {
    statement: TRANSACTION,
    value: (index) => `${OTHER_LEDGER}:${index}`,
    words: (index) => `${OTHER_LEDGER}:${index}: it names no block of the token ledger ${LEDGER}`,
  },
  {
    statement: 'update svc.payments set paid_amount = $2 where id = $1',
    value: () => '1000001',
    words: (index) => `${LEDGER}:${index}: its block has amount 1000000, the books 1000001`,
  },
  {
    statement: 'update svc.payments set payer = $2 where id = $1',
    value: () => '2vxsx-fae',
    words: (index) => `${LEDGER}:${index}: its block has sender `,
  },
  {
    statement: `update svc.ledger_entries set party = $2 where payment_id = $1 and account_name = 'merchant'`,
    value: () => '2vxsx-fae',
    words: (index) => `${LEDGER}:${index}: its block has recipient `,
  },
  {
    statement: 'update svc.intents set intent_code = $2 where payment_id = $1',
    value: () => '123456789',
    words: (index) => `${LEDGER}:${index}: its block has intent code `,
  },
];

test('each forged row of a payment is a difference that names the payment and the block', async () => {
  const run = await books();
  const paid: { intentId: string; index: bigint }[] = [];
  for (const _ of FORGED) {
    const intentId = await run.intent();
    paid.push({ intentId, index: await run.pay(intentId) });
  }
  const whole = await run.intent();
  await run.pay(whole);
  await run.read();
  const expected: string[] = [];
  for (const [at, { statement, value, words }] of FORGED.entries()) {
    const { intentId, index } = paid[at]!;
    const found = await run.pool.query<{ id: string }>('select id from svc.payments where intent_id = $1', [intentId]);
    const paymentId = found.rows[0]?.id ?? '';
    await changeRows(run.pool, statement, [paymentId, value(index)]);
    expected.push(`blocks ${paymentId} ${words(index)}`);
  }
  const { exitCode, looked, found } = await check(run);
  expect({ exitCode, looked }).toEqual({ exitCode: 1, looked: FORGED.length + 1 });
  const ofBlocks = found.filter((line) => line.startsWith('blocks '));
  expect(ofBlocks).toHaveLength(FORGED.length);
  for (const start of expected)
    expect(
      ofBlocks.filter((line) => line.startsWith(start)),
      start,
    ).toHaveLength(1);
});
