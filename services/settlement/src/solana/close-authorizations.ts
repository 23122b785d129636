// A signed transaction is used up with its payment's end: nobody else can send it, because only the relayer completes it.
import type { Pulse } from '@svc-pay/engine';
import {
  type AuthorizationCursor,
  closeAuthorizations,
  dropOldPrepared,
  FIRST_AUTHORIZATION,
  loadOpenAuthorizations,
} from '@svc-pay/postgres/lanes';
import { pulseName } from '../watch/pulse-name.ts';
import type { WatchParts } from '../watch/watch-parts.ts';
import type { OpenSolana } from './open-solana.ts';

const EVERY_MS = 10_000;
const AT_ONCE = 500;
const MAX_TURNS = 20;
/** Later than any that is accepted. */
const FAR_SECONDS = 2n ** 62n;
/** What was prepared lives for about a minute. */
const PREPARED_KEPT_MS = 3_600_000;
const ENDED: readonly (string | null)[] = ['completed', 'failed', 'canceled'];

export function createSolanaHousekeeping({ network }: OpenSolana, { pool, clock }: WatchParts): Pulse {
  return {
    name: pulseName('authorizations', network),
    everyMs: EVERY_MS,
    beat: async () => {
      let cursor: AuthorizationCursor = FIRST_AUTHORIZATION;
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        const page = await loadOpenAuthorizations(pool, network, cursor, FAR_SECONDS, AT_ONCE);
        const ended = page.filter(({ settlement }) => ENDED.includes(settlement));
        await closeAuthorizations(pool, ended, clock.nowMs());
        cursor = page.at(-1) ?? cursor;
        if (page.length < AT_ONCE) break;
      }
      await dropOldPrepared(pool, clock.nowMs() - PREPARED_KEPT_MS);
    },
  };
}
