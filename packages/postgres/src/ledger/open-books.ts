// Opens the books for a ledger check: every page is read from the same read-only snapshot.
import type { Books } from '@svc-pay/core';
import type pg from 'pg';
import { loadInstallationId } from '../database/load-installation.ts';
import { compareOverview } from '../overview/compare-overview.ts';
import {
  findStrayEntries,
  findStrayIntents,
  findStrayLosses,
  findStrayPayments,
  findStrayProofs,
  findStrayRefunds,
} from './find-strays.ts';
import { readExtent, readMinedBatches, readRelayers } from './read-batches.ts';
import { readPayments, readPaymentsOfCodes, readStrandedTransfers } from './read-payments.ts';
import {
  readAuthorizations,
  readCursors,
  readDirectWallets,
  readHeldForMerchant,
  readLogUses,
  readOwnReceipts,
  readPaymentsOfTransactions,
  readUnattributed,
} from './read-proofs.ts';

/**
 * Only here network calls are made within a transaction: a ledger check must not mix two states of the books. The open
 * snapshot delays vacuum, but blocks no other session.
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
    strandedTransfers: (network) => readStrandedTransfers(client, network),
    minedBatches: (network) => readMinedBatches(client, network),
    extent: (network) => readExtent(client, network),
    relayers: (network) => readRelayers(client, network),
    strayEntries: () => findStrayEntries(client),
    strayLosses: () => findStrayLosses(client),
    strayIntents: () => findStrayIntents(client),
    strayPayments: () => findStrayPayments(client),
    strayProofs: () => findStrayProofs(client),
    strayRefunds: () => findStrayRefunds(client),
    overview: () => compareOverview(client),
    paymentsOfTransactions: (network, ids) => readPaymentsOfTransactions(client, network, ids),
    logUses: (network, logs) => readLogUses(client, network, logs),
    unattributedReceipts: (network) => readUnattributed(client, network),
    cursors: (network) => readCursors(client, network),
    directWallets: (network) => readDirectWallets(client, network),
    authorizations: (claimKeys) => readAuthorizations(client, claimKeys),
    heldForMerchant: (network) => readHeldForMerchant(client, network),
    installation: () => loadInstallationId(client),
    ownReceipts: (network, receipts) => readOwnReceipts(client, network, receipts),
  };
}
