// A signed transaction is used up with its payment's end: nobody else can send it, because only the relayer completes it.
// So is a signed text; its receipt stays until the text's time is over, and is closed then for the rent.
import type { Pulse } from '@svc-pay/engine';
import {
  type AuthorizationCursor,
  closeAuthorizations,
  dropOldPrepared,
  FIRST_AUTHORIZATION,
  loadOpenAuthorizations,
  type OpenAuthorization,
} from '@svc-pay/postgres/lanes';
import { closeReceipts } from '@svc-pay/solana';
import { pulseName } from '../watch/pulse-name.ts';
import type { WatchParts } from '../watch/watch-parts.ts';
import type { OpenSolana } from './open-solana.ts';

const EVERY_MS = 10_000;
const AT_ONCE = 500;
const MAX_TURNS = 20;
/** Later than any that is accepted. */
const FAR_SECONDS = 2n ** 62n;
/** What was prepared lives for some minutes at most. */
const PREPARED_KEPT_MS = 3_600_000;
/** The program wants a minute after a text's last second; the rest is for clocks that differ. */
const RECEIPT_KEPT_SECONDS = 90n;
const ENDED: readonly (string | null)[] = ['completed', 'failed', 'canceled'];

export type HousekeepingParts = Pick<WatchParts, 'pool' | 'clock' | 'solanaRelayers'>;

export function createSolanaHousekeeping(open: OpenSolana, { pool, clock, solanaRelayers }: HousekeepingParts): Pulse {
  const { network, nodes } = open;
  return {
    name: pulseName('authorizations', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const overSeconds = BigInt(Math.floor(clock.nowMs() / 1_000)) - RECEIPT_KEPT_SECONDS;
      let cursor: AuthorizationCursor = FIRST_AUTHORIZATION;
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        const page = await loadOpenAuthorizations(pool, network, cursor, FAR_SECONDS, AT_ONCE);
        const ended = page.filter(({ settlement }) => ENDED.includes(settlement));
        const transactions = ended.filter(({ kind }) => kind !== 'solana_message');
        await closeAuthorizations(pool, transactions, clock.nowMs());
        const over = ended.flatMap((one) => (one.validBeforeSeconds <= overSeconds ? receiptOf(one) : []));
        await closeAuthorizations(pool, await closeReceipts(nodes, over, solanaRelayers), clock.nowMs());
        cursor = page.at(-1) ?? cursor;
        if (page.length < AT_ONCE) break;
      }
      await dropOldPrepared(pool, clock.nowMs() - PREPARED_KEPT_MS);
    },
  };
}

function receiptOf(authorization: OpenAuthorization) {
  const { kind, relayer, program, nonce } = authorization;
  if (kind !== 'solana_message' || relayer === null || program === null) return [];
  return [{ ...authorization, relayer, program, nonce: nonce.slice(2) }];
}
