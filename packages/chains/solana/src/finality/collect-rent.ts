// Closes the receipts of signed texts for the rent that a relayer lent them, and then their authorizations. A receipt stays
// on chain until its text expires.
import {
  createWalk,
  FIRST_AUTHORIZATION,
  hasResult,
  jobName,
  noteFailures,
  type OpenAuthorization,
  type PeriodicJob,
  readIsolated,
  type StrandedStore,
  type WatchBase,
} from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { closeReceipts } from './close-receipts.ts';

const EVERY_MS = 10_000;
const AT_ONCE = 500;
/** One run takes at most this many pages; the next run continues after them. */
const MAX_PAGES = 20;
/** The program requires one minute after a text's last second; the rest allows for clock differences. */
const RECEIPT_KEPT_SECONDS = 90n;

export type RentDeps = WatchBase & {
  readonly stranded: Pick<StrandedStore, 'loadOpenAuthorizations' | 'closeAuthorizations'>;
  /** The relayers get back the rent that they lent. */
  readonly relayers: readonly RelayerSigner[];
};

export function createRentCollector({ network, nodes }: OpenSolana, deps: RentDeps): PeriodicJob {
  const { stranded, clock, relayers } = deps;
  const note = noteFailures(network, 'receipts', deps);
  const onFailure = ({ intentId, paymentId }: OpenAuthorization, problem: unknown) =>
    note({ intentId, paymentId }, problem);
  const expiredSeconds = () => BigInt(Math.floor(clock.nowMs() / 1_000)) - RECEIPT_KEPT_SECONDS;
  const walk = createWalk<OpenAuthorization>({
    load: (after, limit) =>
      stranded.loadOpenAuthorizations(network, after ?? FIRST_AUTHORIZATION, expiredSeconds() + 1n, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  const close = async (some: readonly OpenAuthorization[]) => {
    await stranded.closeAuthorizations(some, clock.nowMs());
    return some;
  };
  return {
    name: jobName('receipts', network),
    everyMs: EVERY_MS,
    run: () =>
      walk(async (page) => {
        const receipts = page.filter(hasResult).flatMap(receiptOf);
        await readIsolated(await closeReceipts(nodes, receipts, relayers, onFailure), close, onFailure);
      }),
  };
}

function receiptOf(authorization: OpenAuthorization) {
  const { kind, relayer, program, nonce } = authorization;
  if (kind !== 'solana_message' || relayer === null || program === null) return [];
  return [{ ...authorization, relayer, program, nonce: nonce.slice(2) }];
}
