// Applies the use of a direct authorization that has no claim: one that was refused, or a bound nonce that nobody submitted
// to us. It pays its intent, or becomes a payment of its own.
import {
  type AppliedLog,
  chooseLanding,
  type DirectAcceptance,
  directEvidence,
  findBoundAcceptance,
  isDirectAcceptance,
  judgeLanding,
  type LandingFacts,
  type LandingStep,
  type PaidTerms,
} from '@svc-pay/core';
import { readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import type pg from 'pg';
import { loadMismatchPolicy } from '../account/mismatch-policy.ts';
import { loadLateTerms, loadPaidTerms } from '../intent/late-terms.ts';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { type IntentToChange, lockIntent } from '../intent/load-intent.ts';
import { closeRefused, findOpenRefused, type RefusedRow } from '../payment/refused-authorizations.ts';
import { payoutKey } from './activated-payouts.ts';
import { lockEarlierParts } from './earlier-parts.ts';
import { findIntentOfCode, type IntentOfCode, type OwnedIntent } from './lock-for-apply.ts';
import { findClaimOwner, loadUseFacts, storeReceipt, transferOf, type UseToApply } from './use-to-apply.ts';
import { writeMoney } from './write-money.ts';

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
  if (landings === 'locked') return { outcome: 'waits', reason: 'locked' };
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
): Promise<readonly Landing[] | 'locked'> {
  const landings: Landing[] = [];
  for (const row of refused) {
    const owner = ownerOf(row);
    const read = locked.get(owner.intentId);
    const offered: readonly PaidTerms[] = await loadAcceptances(client, owner, owner.intentId);
    const acceptance = offered.filter(isDirectAcceptance).find(({ position }) => position === row.position);
    if (read === undefined || acceptance === undefined) continue;
    const signed = { payer: row.payer, wallet: row.recipient, amountAtomic: BigInt(row.amount) };
    const { bound, unused_at_block } = row;
    const named = { owner, intentCode: BigInt(read.intent.intentCode), read, acceptance };
    const how = { signed, bound, unusedAtBlock: BigInt(unused_at_block) };
    const landing = await landingOf(client, use, named, read.intent, how);
    if (landing === 'locked') return landing;
    landings.push(landing);
  }
  return landings;
}

async function boundLandings(
  client: pg.ClientBase,
  use: UseToApply,
  { intentCode, ...owner }: BoundIntent,
  read: IntentToChange | undefined,
): Promise<readonly Landing[] | 'locked'> {
  const { network, log } = use;
  const late = read === undefined ? (await loadLateTerms(client, [intentCode])).get(intentCode) : undefined;
  const intent = read?.intent ?? late?.intent;
  if (intent === undefined) return [];
  const offered = late?.offered ?? (await loadPaidTerms(client, owner, intentCode));
  const bound = { nonce: log.nonce, network, asset: log.address };
  const acceptance = findBoundAcceptance(bound, { intentCode: Number(intentCode) }, offered);
  if (acceptance === undefined) return [];
  const signed = { payer: log.payer, wallet: acceptance.payTo, amountAtomic: acceptance.amount };
  const named = { owner, intentCode, read, acceptance };
  const landing = await landingOf(client, use, named, intent, { signed, bound: true, unusedAtBlock: null });
  return landing === 'locked' ? landing : [landing];
}

/** `locked`: another process is writing a refund of a part. */
async function landingOf(
  client: pg.ClientBase,
  { activated }: UseToApply,
  landing: Omit<Landing, 'facts'>,
  intent: LandingFacts['intent'],
  signed: Pick<LandingFacts, 'signed' | 'bound' | 'unusedAtBlock'>,
): Promise<Landing | 'locked'> {
  const { owner, acceptance } = landing;
  const activationRefused = !activated.has(payoutKey(owner, acceptance.payoutId));
  const policy = await loadMismatchPolicy(client, owner);
  const parts = await lockEarlierParts(client, owner);
  if (parts === undefined) return 'locked';
  const earlierAtomic = parts.get(acceptance.position) ?? 0n;
  const { use } = acceptance.direct;
  return { ...landing, facts: { ...signed, use, intent, acceptance, policy, earlierAtomic, activationRefused } };
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
  const { network, log, claimKey, final, nowMs } = use;
  const { payer, nonce } = log;
  const { amountAtomic } = landing.facts.signed;
  const evidence = directEvidence(network, log.position.transactionId, transferOf(final).logIndex);
  const paid = { payer, amountAtomic, nonce, claimKey, evidence, nowMs };
  return writeMoney(client, { owner, intentCode, read: landing.read, acceptance, ...paid }, step);
}
