import type { ExportStore } from '@svc-pay/core';
import type { Database } from '../database/open-database.ts';
import { allCommitted } from './all-committed.ts';
import { readBookings } from './read-bookings.ts';
import { sumDay } from './sum-day.ts';

export function createExportStore({ pool }: Pick<Database, 'pool'>): ExportStore {
  return {
    readBookings: (order) => readBookings(pool, order),
    sumDay: (order) => sumDay(pool, order),
    allCommitted: (waitMs) => allCommitted(pool, waitMs),
  };
}
