import { randomBytes } from 'node:crypto';
import { createAuditSigner, nextExport, signedHeadOf } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newAccount, newOperation, OPERATION_MS } from '../testing/new-operation.ts';
import { exportAuditHeads, verifyAuditExports } from './audit-exports.ts';
import { sealAuditChains } from './seal-audit-chains.ts';
import { verifyAuditChains } from './verify-audit-chains.ts';

const { pool } = await createTestDatabase();
const operation = newOperation(pool);
const signer = createAuditSigner(randomBytes(32));
const { publicKey } = signer;

async function exported() {
  await sealAuditChains(pool);
  return exportAuditHeads(pool, OPERATION_MS, signer);
}
async function exportedAccount() {
  const { id } = await newAccount(operation);
  const made = await exported();
  if (made === undefined) throw new Error('nothing was exported');
  return { id, made, line: signedHeadOf(made) };
}

/** Changes rows as the database's owner could. */
async function asOwner(...statements: readonly [string, readonly unknown[]][]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    for (const [text, values] of statements) await client.query(text, [...values]);
  } finally {
    await client.query('reset session_replication_role');
    client.release();
  }
}

test('each export has the heads that changed since the last one, and all verify with the lines that were kept', async () => {
  const [one, other] = [await exportedAccount(), await exportedAccount()];
  expect(other.made.number).toBe(one.made.number + 1n);
  expect(other.made.heads).toContain(other.id);
  expect(other.made.heads).not.toContain(one.id);
  expect(await exported()).toBeUndefined();
  expect(await verifyAuditExports(pool, [publicKey], [one.line, other.line])).toMatchObject({ faults: [] });
});

test('two processes that export at the same moment make one export of the same heads', async () => {
  await newAccount(operation);
  await sealAuditChains(pool);
  const made = await Promise.all([1, 2, 3].map(() => exportAuditHeads(pool, OPERATION_MS, signer)));
  expect(made.filter((each) => each !== undefined)).toHaveLength(1);
});

test('exports are neither changed nor removed', async () => {
  await exportedAccount();
  for (const statement of [
    "update svc.audit_exports set heads = '[]'",
    'delete from svc.audit_exports',
    'truncate svc.audit_exports',
  ])
    await expect(pool.query(statement)).rejects.toThrow('append-only');
});

test('the owner writes a chain anew, whole in itself: the export shows it', async () => {
  const { id, made } = await exportedAccount();
  // Nothing stays of what was sealed, and the chain is sealed anew with another actor.
  await asOwner(
    [
      "update svc.audit set actor = 'operator:eve', sequence = null, previous_hash = null, hash = null where account_id = $1",
      [id],
    ],
    ['delete from svc.audit_heads where account_id = $1', [id]],
  );
  await sealAuditChains(pool, id);
  expect((await verifyAuditChains(pool, id)).every(({ fault }) => fault === null)).toBe(true);
  const { faults } = await verifyAuditExports(pool, [publicKey], []);
  expect(faults).toEqual([
    { number: made.number.toString(), fault: 'head', head: `${id}/live/3` },
    { number: made.number.toString(), fault: 'head', head: `${id}/test/3` },
  ]);
  await asOwner(['delete from svc.audit_exports where number >= $1', [made.number.toString()]]);
});

test('the owner also writes the exports anew, or removes them: the line that was kept shows it', async () => {
  const before = await exportedAccount();
  const { made, line } = await exportedAccount();
  const eve = createAuditSigner(randomBytes(32));
  const forged = nextExport(before.made, [], OPERATION_MS, eve);
  const number = made.number.toString();
  await asOwner([
    'update svc.audit_exports set heads = $2, hash = $3, signature = $4, signed_by = $5 where number = $1',
    [number, forged.heads, forged.hash, forged.signature, forged.signedBy],
  ]);
  expect((await verifyAuditExports(pool, undefined, [])).faults).toEqual([]);
  const found = await verifyAuditExports(pool, [publicKey], [before.line, line]);
  expect(found.faults).toEqual([
    { number, fault: 'key' },
    { number, fault: 'rewritten' },
  ]);
  await asOwner(['delete from svc.audit_exports where number = $1', [number]]);
  expect((await verifyAuditExports(pool, [publicKey], [line])).faults).toEqual([{ number, fault: 'missing' }]);
});
