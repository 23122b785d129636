// Whatever was signed for us is watched until a finalized block is past its last second, whatever became of its payment:
// anybody who has seen it may submit it until then. One that was used without being settled is followed to its money.
import type { Pulse } from '@svc-pay/engine';
import {
  type AuthorizationFate,
  readAuthorizationStates,
  readFinality,
  type TracedAuthorization,
  traceAuthorizations,
} from '@svc-pay/evm';
import {
  type AuthorizationCursor,
  closeAuthorizations,
  FIRST_AUTHORIZATION,
  loadClaimedPayments,
  loadOpenAuthorizations,
  type OpenAuthorization,
  recordStranding,
} from '@svc-pay/postgres/lanes';
import type { OpenNetwork } from '../open-networks.ts';
import { pulseName } from './pulse-name.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 500;
const TRACED_AT_ONCE = 100;
/**
 * One beat closes at most 50,000 that have run out, and looks at 1,000 that have not: where more run, what a stranger
 * submitted is found some beats later, and each is looked at once more when it runs out.
 */
const OVERDUE_TURNS = 100;
const RUNNING_TURNS = 2;
/** Later than any that is accepted. */
const FAR_SECONDS = 2n ** 62n;

/** Lanes and the watch of held payments look after these. */
const ON_ITS_WAY: readonly (string | null)[] = ['queued', 'held', 'batched', 'mined'];

export function createAuthorizationWatch(open: OpenNetwork, parts: WatchParts): Pulse {
  const { network, rpc } = open;
  const { pool, clock } = parts;
  // Where the round over those that still run stands. A process that begins anew begins it anew.
  let round: AuthorizationCursor = FIRST_AUTHORIZATION;

  /** Closes what can move no money any more, and follows what was used. */
  const look = async (page: readonly OpenAuthorization[], finalizedNumber: bigint, over: boolean): Promise<void> => {
    // A permit can't strand money: it lets the processor pull, and nobody else. One of ours that settled has done its work.
    const suspects = page.filter(
      ({ settlement, kind }) =>
        settlement !== 'completed' && !ON_ITS_WAY.includes(settlement) && kind === 'transfer_with_authorization',
    );
    const states = await readAuthorizationStates(rpc, suspects, finalizedNumber);
    const used = new Set(suspects.filter((_, index) => states[index] === true));
    const explained = await follow(open, parts, [...used], finalizedNumber);
    const ended = page.filter(
      (authorization) =>
        explained.has(authorization) ||
        (over && !used.has(authorization) && !ON_ITS_WAY.includes(authorization.settlement)),
    );
    await closeAuthorizations(pool, ended, clock.nowMs());
  };

  return {
    name: pulseName('authorizations', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const { finalizedNumber, finalizedTimeSeconds } = await readFinality(rpc);
      let overdue: AuthorizationCursor = FIRST_AUTHORIZATION;
      for (let turn = 0; turn < OVERDUE_TURNS; turn += 1) {
        const page = await loadOpenAuthorizations(pool, network, overdue, finalizedTimeSeconds, AT_ONCE);
        await look(page, finalizedNumber, true);
        overdue = page.at(-1) ?? overdue;
        if (page.length < AT_ONCE) break;
      }
      for (let turn = 0; turn < RUNNING_TURNS; turn += 1) {
        const from = round.validBeforeSeconds < finalizedTimeSeconds ? startAt(finalizedTimeSeconds) : round;
        const page = await loadOpenAuthorizations(pool, network, from, FAR_SECONDS, AT_ONCE);
        await look(page, finalizedNumber, false);
        round = page.at(-1) ?? FIRST_AUTHORIZATION;
        if (page.length < AT_ONCE) {
          round = FIRST_AUTHORIZATION;
          break;
        }
      }
    },
  };
}

const startAt = (seconds: bigint): AuthorizationCursor => ({
  validBeforeSeconds: seconds,
  claimKey: new Uint8Array(),
});

/** Answers which of them need no more looking at. */
async function follow(
  open: OpenNetwork,
  parts: WatchParts,
  used: readonly OpenAuthorization[],
  finalizedNumber: bigint,
): Promise<ReadonlySet<OpenAuthorization>> {
  const explained = new Set<OpenAuthorization>();
  for (let start = 0; start < used.length; start += TRACED_AT_ONCE) {
    const some = used.slice(start, start + TRACED_AT_ONCE);
    const payments = await loadClaimedPayments(parts.pool, some);
    const traced = some.map((authorization): TracedAuthorization => {
      const payment = payments.get(authorization.paymentId ?? '');
      return { ...authorization, item: payment?.item ?? null };
    });
    const fates = await traceAuthorizations(open.rpc, traced, finalizedNumber);
    for (const [index, authorization] of some.entries()) {
      const [fate, item] = [fates[index], traced[index]?.item ?? null];
      if (fate !== undefined && (await act(open, parts, { ...authorization, item }, fate)))
        explained.add(authorization);
    }
  }
  return explained;
}

async function act(
  { network }: OpenNetwork,
  { pool, clock, log }: WatchParts,
  authorization: OpenAuthorization & Pick<TracedAuthorization, 'item'>,
  fate: AuthorizationFate,
): Promise<boolean> {
  const { intentId, paymentId, payer } = authorization;
  const details = { network, intentId, paymentId, payer };
  if (fate.fate === 'burned') return true;
  if (fate.fate === 'stranded') {
    const place = { transactionId: fate.transactionId, logIndex: fate.logIndex };
    const deed = await recordStranding(pool, { ...authorization, network, place }, clock.nowMs());
    if (deed !== undefined) log('warn', { ...details, ...place, deed }, 'an authorization was submitted around us');
    return deed !== undefined;
  }
  if (fate.fate === 'settled')
    log('error', { ...details, transactionId: fate.mined.transactionId }, 'a payment that failed here was settled');
  else log('error', details, 'an authorization is used, and no log says how');
  return false;
}
