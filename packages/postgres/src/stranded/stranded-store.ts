// StrandedStore over Postgres: held payments, open authorizations and stranded transfers.
import type { StrandedStore } from '@svc-pay/core';
import type pg from 'pg';
import { loadClaimedPayments, loadHeldPayments } from './claimed-payments.ts';
import { loadHeldTransactions, loadSignedTransactions } from './load-transactions.ts';
import { completeHeld, failHeld, queueHeld, recordStranding } from './record-authorization-outcome.ts';
import { decideHeldMoney, loadHeldMoney } from './resolve-stranded-upto.ts';
import { closeAuthorizations, loadOpenAuthorizations, loadUnsettledAuthorizations } from './watched-authorizations.ts';

export function createStrandedStore(pool: pg.Pool): StrandedStore {
  return {
    loadOpenAuthorizations: (...given) => loadOpenAuthorizations(pool, ...given),
    loadUnsettledAuthorizations: (...given) => loadUnsettledAuthorizations(pool, ...given),
    closeAuthorizations: (...given) => closeAuthorizations(pool, ...given),
    loadClaimedPayments: (payments) => loadClaimedPayments(pool, payments),
    loadHeldPayments: (...given) => loadHeldPayments(pool, ...given),
    loadSignedTransactions: (payments) => loadSignedTransactions(pool, payments),
    loadHeldTransactions: (...given) => loadHeldTransactions(pool, ...given),
    loadHeldMoney: (...given) => loadHeldMoney(pool, ...given),
    decideHeldMoney: (...given) => decideHeldMoney(pool, ...given),
    completeHeld: (...given) => completeHeld(pool, ...given),
    failHeld: (...given) => failHeld(pool, ...given),
    queueHeld: (...given) => queueHeld(pool, ...given),
    recordStranding: (...given) => recordStranding(pool, ...given),
  };
}
