// The use of a direct authorization in memory that nobody claimed: one that was refused, or a bound nonce.
import { readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import {
  type AppliedLog,
  type AuthorizationLog,
  chooseLanding,
  type DirectAcceptance,
  directEvidence,
  findBoundAcceptance,
  isDirectAcceptance,
  judgeLanding,
  type LandingFacts,
} from '../index.ts';
import {
  type Applying,
  closeRefused,
  earlierParts,
  intentOfCode,
  policyOf,
  storeReceipt,
  transferIndex,
  useFacts,
} from './memory-applying.ts';
import { hexKey, type IntentRow, type Tables } from './memory-tables.ts';
import { writeMoney } from './memory-unclaimed-payment.ts';

type Landing = { readonly row: IntentRow; readonly acceptance: DirectAcceptance; readonly facts: LandingFacts };

export function applyLanding(applying: Applying, log: AuthorizationLog, key: string): AppliedLog {
  const { tables, final, nowMs } = applying;
  if (log.event === 'authorization_canceled') {
    closeRefused(tables, key, nowMs);
    return { outcome: 'ignored', reason: 'canceled' };
  }
  const landings = refusedLandings(tables, key) ?? boundLandings(applying, log);
  closeRefused(tables, key, nowMs);
  if (landings.length === 0) return { outcome: 'ignored', reason: 'not_ours' };
  const use = { ...useFacts(applying), blockTimeMs: Number(final.blockTimeSeconds) * 1_000 };
  const steps = landings.map(({ facts }) => judgeLanding(facts, use));
  const chosen = chooseLanding(steps);
  const [landing, step] = [landings[chosen], steps[chosen]];
  if (landing === undefined || step === undefined) throw new Error('no landing was chosen');
  if (step.step === 'ignore') return { outcome: 'ignored', reason: step.reason };
  if (step.step === 'unattributed') return storeReceipt(applying, step.reason);
  const evidence = directEvidence(applying.network, log.position.transactionId, transferIndex(applying));
  const { row, acceptance, facts } = landing;
  const { amountAtomic } = facts.signed;
  const { payer, nonce } = log;
  return writeMoney(applying, { row, acceptance, payer, amountAtomic, nonce, key, evidence }, step);
}

/** Undefined if the authorization was never refused. */
function refusedLandings(tables: Tables, key: string): readonly Landing[] | undefined {
  const { refused, intents } = tables;
  const rows = [...refused.values()]
    .filter(({ claimKey: of, closedAtMs }) => hexKey(of) === key && closedAtMs === null)
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs);
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ intentId, acceptance, payer, bound, unusedAtBlock }) => {
    const row = intents.get(intentId);
    if (row === undefined || !isDirectAcceptance(acceptance)) return [];
    return [landingOf(tables, row, acceptance, payer, { bound, unusedAtBlock })];
  });
}

function boundLandings({ tables, network }: Applying, { nonce, address, payer }: AuthorizationLog): readonly Landing[] {
  const named = readDirectNonce(nonce);
  const row = named && intentOfCode(tables, named.intentCode);
  const offered = tables.acceptances.get(row?.intent.id ?? '') ?? [];
  const acceptance = row && findBoundAcceptance({ nonce, network, asset: address }, row.intent, offered);
  if (row === undefined || acceptance === undefined) return [];
  return [landingOf(tables, row, acceptance, payer, { bound: true, unusedAtBlock: null })];
}

function landingOf(
  tables: Tables,
  row: IntentRow,
  acceptance: DirectAcceptance,
  payer: string,
  signed: Pick<LandingFacts, 'bound' | 'unusedAtBlock'>,
): Landing {
  const terms = { payer, wallet: acceptance.payTo, amountAtomic: acceptance.amount };
  return {
    row,
    acceptance,
    facts: {
      ...signed,
      signed: terms,
      use: acceptance.direct.use,
      intent: row.intent,
      acceptance,
      policy: policyOf(tables, row),
      earlierAtomic: earlierParts(tables, row.intent.id).get(acceptance.position) ?? 0n,
      activationRefused: false,
    },
  };
}
