// Applies the use of a direct authorization that has no claim: one that was refused, or a bound nonce that nobody submitted
// to us. It pays its intent, or becomes a payment of its own.
import {
  type AppliedLog,
  chooseLanding,
  type DirectAcceptance,
  directEvidence,
  findBoundAcceptance,
  foreignCompletion,
  isDirectAcceptance,
  isoTime,
  judgeLanding,
  type LandingFacts,
  type LandingStep,
  mismatchedPayment,
  type PaidTerms,
  SETTLEMENT_STATUS,
  unclaimedItem,
} from '@svc-pay/core';
import { readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { writeEvents } from '../event/write-events.ts';
import { bringBackIntent, loadLateTerms, loadPaidTerms } from '../intent/late-terms.ts';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { type IntentToChange, loadIntentsToChange, lockIntent } from '../intent/load-intent.ts';
import {
  insertMismatchedPayment,
  insertUnclaimedPayment,
  type UnclaimedRow,
} from '../payment/insert-unclaimed-payment.ts';
import { writeProofs } from '../payment/log-proofs.ts';
import { closeRefused, findOpenRefused, type RefusedRow } from '../payment/refused-authorizations.ts';
import { writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import { payoutKey } from './activated-payouts.ts';
import { findIntentOfCode, type IntentOfCode, type OwnedIntent } from './lock-for-apply.ts';
import { findClaimOwner, loadUseFacts, storeReceipt, transferOf, type UseToApply } from './use-to-apply.ts';

export async function applyLanding(client: pg.ClientBase, use: UseToApply): Promise<AppliedLog> {
  const { log, claimKey, nowMs } = use;
  const refused = await findOpenRefused(client, claimKey);
  if (log.event === 'authorization_canceled') {
    await closeRefused(client, [claimKey], nowMs);
    return { outcome: 'ignored', reason: 'canceled' };
  }
  const named = refused.length > 0 ? undefined : await boundIntent(client, log.nonce);
  const owners = named?.isLate === false ? [named] : refused.map(ownerOf);
  const locked = await lockIntents(client, owners);
  // The intent has just left: its late terms decide when the log is applied again.
  if (named?.isLate === false && locked.size === 0) return { outcome: 'waits', reason: 'locked' };
  // The API takes the claim of its intent under the same lock.
  if ((await findClaimOwner(client, claimKey)) !== undefined) return { outcome: 'waits', reason: 'locked' };
  const landings =
    named === undefined
      ? await refusedLandings(client, use, refused, locked)
      : await boundLandings(client, use, named, locked.get(named.intentId));
  if (landings.length === 0) {
    await closeRefused(client, [claimKey], nowMs);
    return { outcome: 'ignored', reason: 'not_ours' };
  }
  const facts = await loadUseFacts(client, use);
  const blockTimeMs = Number(use.final.blockTimeSeconds) * 1_000;
  const steps = landings.map(({ facts: landing }) => judgeLanding(landing, { ...facts, blockTimeMs }));
  const chosen = chooseLanding(steps);
  const [landing, step] = [landings[chosen], steps[chosen]];
  if (landing === undefined || step === undefined) throw new Error('no landing was chosen');
  const applied = await writeLanding(client, use, landing, step);
  await closeRefused(client, [claimKey], nowMs);
  return applied;
}

type Landing = {
  readonly owner: OwnedIntent;
  readonly intentCode: bigint;
  /** Undefined for an intent that left unpaid. */
  readonly read: IntentToChange | undefined;
  readonly acceptance: DirectAcceptance;
  readonly facts: LandingFacts;
};

const ownerOf = ({ account_id: accountId, mode, intent_id: intentId }: RefusedRow): OwnedIntent => ({
  accountId,
  mode,
  intentId,
});

type BoundIntent = IntentOfCode & { readonly intentCode: bigint };

async function boundIntent(client: pg.ClientBase, nonce: string): Promise<BoundIntent | undefined> {
  const named = readDirectNonce(nonce);
  const owner = named && (await findIntentOfCode(client, named.intentCode));
  return owner && { ...owner, intentCode: named.intentCode };
}

/** In the order of intent ids, as every process locks several. */
async function lockIntents(
  client: pg.ClientBase,
  owners: readonly OwnedIntent[],
): Promise<ReadonlyMap<string, IntentToChange>> {
  const locked = new Map<string, IntentToChange>();
  for (const owner of owners.toSorted((one, other) => (one.intentId < other.intentId ? -1 : 1))) {
    const read = await lockIntent(client, owner, owner.intentId);
    if (read !== undefined) locked.set(owner.intentId, read);
  }
  return locked;
}

async function refusedLandings(
  client: pg.ClientBase,
  use: UseToApply,
  refused: readonly RefusedRow[],
  locked: ReadonlyMap<string, IntentToChange>,
): Promise<readonly Landing[]> {
  const landings: Landing[] = [];
  for (const row of refused) {
    const owner = ownerOf(row);
    const read = locked.get(owner.intentId);
    const offered: readonly PaidTerms[] = await loadAcceptances(client, owner, owner.intentId);
    const acceptance = offered.filter(isDirectAcceptance).find(({ position }) => position === row.position);
    if (read === undefined || acceptance === undefined) continue;
    const signed = { payer: row.payer, wallet: row.recipient, amountAtomic: BigInt(row.amount) };
    const { bound, unused_at_block } = row;
    landings.push(
      landingOf(use, { owner, intentCode: BigInt(read.intent.intentCode), read, acceptance }, read.intent, {
        signed,
        bound,
        unusedAtBlock: BigInt(unused_at_block),
      }),
    );
  }
  return landings;
}

async function boundLandings(
  client: pg.ClientBase,
  use: UseToApply,
  { intentCode, ...owner }: BoundIntent,
  read: IntentToChange | undefined,
): Promise<readonly Landing[]> {
  const { network, log } = use;
  const late = read === undefined ? (await loadLateTerms(client, [intentCode])).get(intentCode) : undefined;
  const intent = read?.intent ?? late?.intent;
  if (intent === undefined) return [];
  const offered = late?.offered ?? (await loadPaidTerms(client, owner, intentCode));
  const bound = { nonce: log.nonce, network, asset: log.address };
  const acceptance = findBoundAcceptance(bound, { intentCode: Number(intentCode) }, offered);
  if (acceptance === undefined) return [];
  const signed = { payer: log.payer, wallet: acceptance.payTo, amountAtomic: acceptance.amount };
  return [
    landingOf(use, { owner, intentCode, read, acceptance }, intent, { signed, bound: true, unusedAtBlock: null }),
  ];
}

function landingOf(
  { activated }: UseToApply,
  landing: Omit<Landing, 'facts'>,
  intent: LandingFacts['intent'],
  signed: Pick<LandingFacts, 'signed' | 'bound' | 'unusedAtBlock'>,
): Landing {
  const { owner, acceptance } = landing;
  const activationRefused = !activated.has(payoutKey(owner, acceptance.payoutId));
  return { ...landing, facts: { ...signed, use: acceptance.direct.use, intent, acceptance, activationRefused } };
}

async function writeLanding(
  client: pg.ClientBase,
  use: UseToApply,
  landing: Landing,
  step: LandingStep,
): Promise<AppliedLog> {
  const { owner, acceptance, intentCode } = landing;
  if (step.step === 'ignore') return { outcome: 'ignored', reason: step.reason };
  if (step.step === 'unattributed') {
    await storeReceipt(client, use, owner, step.reason);
    return { outcome: 'unattributed', reason: step.reason };
  }
  const { network, log, claimKey, nowMs } = use;
  const paymentId = newId('payment', nowMs);
  const { accountId, mode, intentId } = owner;
  const named = { accountId, mode, intentId, paymentId, intentCode };
  const item = unclaimedItem({ owner: named, acceptance, payer: log.payer, nonce: log.nonce });
  const { token, position } = acceptance;
  const row: UnclaimedRow = { network, item, claimKey, tokenShortcode: token.shortcode, position, direct: true, nowMs };
  const evidence = directEvidence(network, log.position.transactionId, transferOf(use.final).logIndex);
  const origin = { requestId: newId('batch', nowMs), nowMs };
  const ids = { intentId: owner.intentId, paymentId };
  if (step.step === 'credit') {
    await insertUnclaimedPayment(client, row);
    const before = (await loadIntentsToChange(client, [owner])).get(owner.intentId);
    const result = foreignCompletion(before, item, evidence, origin);
    await writePaymentResults(client, [result], SETTLEMENT_STATUS.held, nowMs);
    return { outcome: 'completed', ...ids };
  }
  const read = landing.read ?? (await bringBackIntent(client, owner, intentCode, acceptance, nowMs));
  const written = await insertMismatchedPayment(client, row, evidence);
  const draft = mismatchedPayment(read, item, { evidence, token, ...written }, origin);
  await countEvents(client, read, draft.events.length, nowMs);
  await writeEntries(client, draft.entries);
  await writeEvents(
    client,
    draft.events.map((event) => ({ event, owner })),
  );
  await writeProofs(client, [{ ...draft.proof, ...owner, paymentId, read: true, nowMs }]);
  return { outcome: 'mismatched', ...ids, reason: step.reason };
}

/** The intent keeps its status and its payment; only its events are counted. */
async function countEvents(
  client: pg.ClientBase,
  { intent, version }: IntentToChange,
  events: number,
  nowMs: number,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'count-intent-events',
    text: `
      update svc.intents
      set event_sequence = event_sequence + $4, version = version + 1, updated_at = $6
      where account_id = $1 and mode = $2 and id = $3 and version = $5`,
    values: [intent.accountId, intent.mode, intent.id, events, version, isoTime(nowMs)],
  });
  if (rowCount !== 1) throw new Error(`intent ${intent.id} has changed under its lock`);
}
