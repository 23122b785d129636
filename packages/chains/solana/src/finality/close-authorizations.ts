// Closes authorizations. A signed transaction is used up with its payment's result: only the relayer can complete it,
// so nobody else can send it. The same holds for a signed text; its receipt stays on chain until the text expires and
// is then closed for the rent.
import {
  createWalk,
  FIRST_AUTHORIZATION,
  jobName,
  noteFailures,
  type OpenAuthorization,
  type PeriodicJob,
  readIsolated,
  type WatchDeps,
} from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { closeReceipts } from './close-receipts.ts';

const EVERY_MS = 10_000;
const AT_ONCE = 500;
/** One run takes at most this many pages; the next run continues after them. */
const MAX_PAGES = 20;
/** Later than any accepted expiry. */
const FAR_SECONDS = 2n ** 62n;
/** A prepared transaction is valid for some minutes at most. */
const PREPARED_KEPT_MS = 3_600_000;
/** The program requires one minute after a text's last second; the rest allows for clock differences. */
const RECEIPT_KEPT_SECONDS = 90n;
const ENDED: readonly (string | null)[] = ['completed', 'failed', 'canceled'];

export type HousekeepingDeps = Pick<WatchDeps, 'stranded' | 'clock' | 'log' | 'countFailure'> & {
  /** Deletes transactions that were prepared for wallets before `beforeMs`. */
  readonly dropOldPrepared: (beforeMs: number) => Promise<void>;
  /** The relayers get back the rent that they lent. */
  readonly relayers: readonly RelayerSigner[];
};

export function createSolanaHousekeeping(open: OpenSolana, deps: HousekeepingDeps): PeriodicJob {
  const { network, nodes } = open;
  const { stranded, clock, relayers } = deps;
  const note = noteFailures(network, 'authorizations', deps);
  const onFailure = ({ intentId, paymentId }: OpenAuthorization, problem: unknown) =>
    note({ intentId, paymentId }, problem);
  const walk = createWalk<OpenAuthorization>({
    load: (after, limit) => stranded.loadOpenAuthorizations(network, after ?? FIRST_AUTHORIZATION, FAR_SECONDS, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  /** Closes all in one statement; if that fails, all except those that cannot be closed. */
  const close = (over: readonly OpenAuthorization[]) =>
    readIsolated(
      over,
      async (some) => {
        await stranded.closeAuthorizations(some, clock.nowMs());
        return some;
      },
      onFailure,
    );
  return {
    name: jobName('authorizations', network),
    everyMs: EVERY_MS,
    run: async () => {
      await deps.dropOldPrepared(clock.nowMs() - PREPARED_KEPT_MS);
      const overSeconds = BigInt(Math.floor(clock.nowMs() / 1_000)) - RECEIPT_KEPT_SECONDS;
      await walk(async (page) => {
        const ended = page.filter(({ settlement }) => ENDED.includes(settlement));
        await close(ended.filter(({ kind }) => kind !== 'solana_message'));
        const over = ended.flatMap((one) => (one.validBeforeSeconds <= overSeconds ? receiptOf(one) : []));
        await close(await closeReceipts(nodes, over, relayers, onFailure));
      });
    },
  };
}

function receiptOf(authorization: OpenAuthorization) {
  const { kind, relayer, program, nonce } = authorization;
  if (kind !== 'solana_message' || relayer === null || program === null) return [];
  return [{ ...authorization, relayer, program, nonce: nonce.slice(2) }];
}
