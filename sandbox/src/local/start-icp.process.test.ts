import { Principal } from '@icp-sdk/core/principal';
import { openLedgerClient } from '@svc-pay/icp/local';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { continueLedger, startDevIcp } from './start-icp.ts';

const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const PAYER = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
const CURSOR = `insert into svc.icrc_cursors (network, ledger, next_index, last_hash, stopped_at)
  values ('icp:local', $1, $2, sha256('old'), now())`;
const PROOF = `insert into svc.log_proofs (network, transaction_id, log_index, mode, reason, log, created_at)
  values ('icp:local', $1, 2, 'test', 'unknown_intent', '{}', now())`;

test.each([
  ['a new world', undefined, undefined, 0n],
  ['a world whose reader was last', 7, 4, 7n],
  ['a world whose last block was notified of', 3, 9, 10n],
])('the ledger of %s begins above every block that its database knows', async (_, nextIndex, provenIndex, first) => {
  const { pool } = await createTestDatabase();
  if (nextIndex !== undefined) await pool.query(CURSOR, [LEDGER, nextIndex]);
  if (provenIndex !== undefined) await pool.query(PROOF, [`${LEDGER}:${provenIndex}`]);
  const chain = await startDevIcp(0);
  onTestFinished(chain.stop);
  const { ledger, fund, merchant } = await continueLedger(chain, { pool }, { chainSeed: '0x01' });
  await fund(PAYER, 5n);
  const client = await openLedgerClient(chain, Principal.fromText(ledger));
  const { log_length: length } = await client.getBlocks({ args: [{ start: 0n, length: 1n }] });
  expect({ ledger, length }).toEqual({ ledger: LEDGER, length: first + 1n });
  expect(merchant).toMatch(/^(?:[a-z2-7]{5}-){10}[a-z2-7]{3}$/);
  const { rows } = await pool.query('select next_index, last_hash, stopped_at from svc.icrc_cursors');
  const opened = { next_index: String(nextIndex), last_hash: null, stopped_at: null };
  expect(rows).toEqual(nextIndex === undefined ? [] : [opened]);
});
