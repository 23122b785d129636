import * as z from 'zod/mini';
import { readDurationMs } from '../commands/duration.ts';
import { type Failure, misused } from '../output/outcome.ts';
import { type MerchantApi, pathOf } from './merchant-api.ts';

export type Since =
  | { readonly ok: true; readonly atMs: number | undefined; readonly eventId?: string }
  | { readonly ok: false; readonly failure: Failure };

const bornAt = z.object({ createdAt: z.string() });
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Parses an event id, a time or a duration. Undefined means from now on. */
export async function readSince(api: MerchantApi, text: string | undefined, nowMs: number): Promise<Since> {
  if (text === undefined) return { ok: true, atMs: undefined };
  if (text.startsWith('evt_')) {
    const asked = await api.get(pathOf`/sdk/events/${text}`, {}, bornAt);
    return asked.ok ? { ok: true, atMs: Date.parse(asked.value.createdAt), eventId: text } : asked;
  }
  const agoMs = readDurationMs(text);
  if (agoMs !== undefined) return { ok: true, atMs: nowMs - agoMs };
  const atMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return { ok: true, atMs };
  return {
    ok: false,
    failure: misused('--since takes an event’s id, a time such as 2026-11-15T12:00:00Z, or 10m, 2h, 1d.'),
  };
}
