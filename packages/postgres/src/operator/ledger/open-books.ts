// The books at one moment: every page of a proof is read from the same snapshot, and nothing can be written in it.
import type { Books } from '@svc-pay/core';
import type pg from 'pg';
import { findStrayEntries, findStrayIntents, findStrayPayments } from './find-strays.ts';
import { readExtent, readMinedBatches, readRelayers } from './read-batches.ts';
import { readPayments, readPaymentsOfCodes, readRecovered } from './read-payments.ts';

/**
 * Chains are asked while the snapshot is open, unlike anywhere else: a proof must not mix two moments of the books. It
 * holds vacuum back meanwhile, and no other session.
 */
export async function withBooks<Result>(pool: pg.Pool, work: (books: Books) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin isolation level repeatable read read only');
    return await work(booksOf(client));
  } finally {
    await client.query('rollback').catch((failed: unknown) => {
      broken = failed instanceof Error ? failed : new Error('rollback failed');
    });
    client.release(broken);
  }
}

function booksOf(client: pg.ClientBase): Books {
  return {
    payments: () => readPayments(client),
    paymentsOfCodes: (codes) => readPaymentsOfCodes(client, codes),
    recovered: (network) => readRecovered(client, network),
    minedBatches: (network) => readMinedBatches(client, network),
    extent: (network) => readExtent(client, network),
    relayers: (network) => readRelayers(client, network),
    strayEntries: () => findStrayEntries(client),
    strayIntents: () => findStrayIntents(client),
    strayPayments: () => findStrayPayments(client),
  };
}
