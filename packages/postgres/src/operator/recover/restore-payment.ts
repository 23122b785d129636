// One payment that settled in a transaction of ours, brought back to where it stood when that transaction was sent: claimed,
// signed for, pending, and bound to its batch. What the chain made of it is recorded afterwards, by the lane's own steps.
import type pg from 'pg';
import { adoptPayment } from './adopt-payment.ts';
import { bindPayment } from './bind-payment.ts';
import { findStanding, type SettlementStanding } from './payment-standing.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { resumePayment } from './resume-payment.ts';

export type RestoredPayment = {
  /**
   * `known`: nothing was missing. `bound`: the payment was there and did not know its transaction. `resumed`: its intent was
   * there. `adopted`: nothing was there, and a stand-in was made of what the chain says. `refused`: the books say otherwise.
   */
  readonly outcome: 'known' | 'bound' | 'resumed' | 'adopted' | 'refused';
  readonly intentId: string | null;
  readonly accountId: string | null;
  readonly reason?: string;
  /** Its intent is a stand-in, of this run or of one before. */
  readonly standIn: boolean;
};

/** Within the transaction of a holder of the lane. */
export async function restorePayment(client: pg.ClientBase, given: PaymentToRestore): Promise<RestoredPayment> {
  const standing = await findStanding(client, given.carried);
  const { claim, owner } = standing;
  const intentId = claim?.intentId ?? owner?.intentId ?? null;
  const said = {
    intentId,
    accountId: claim?.accountId ?? owner?.accountId ?? null,
    standIn: owner?.standIn ?? false,
  };
  const refused = (reason: string) => ({ ...said, outcome: 'refused', reason }) as const;
  if (claim !== undefined && claim.intentId !== owner?.intentId)
    return refused('its authorization is claimed for another intent');
  if (given.recorded)
    return isLookedAfter(claim?.settlement)
      ? { ...said, outcome: 'known' }
      : refused('its batch is recorded without it');
  if (claim?.settlement !== undefined) {
    const bound = await bindPayment(client, given, claim.settlement);
    return typeof bound === 'string' ? { ...said, outcome: bound } : refused(bound.reason);
  }
  if (owner === undefined) {
    const adopted = await adoptPayment(client, given);
    return adopted === undefined
      ? refused('no payout of ours has its payout id')
      : { outcome: 'adopted', ...adopted, standIn: true };
  }
  const problem = await resumePayment(client, given, owner);
  return problem === undefined ? { ...said, outcome: 'resumed' } : refused(problem);
}

/** Completed, or held: what a held payment's proof says, settlement's own watch finds. */
const isLookedAfter = (settlement: SettlementStanding | undefined) =>
  settlement?.status === 'completed' || settlement?.status === 'held';
