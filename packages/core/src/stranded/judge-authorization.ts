// Decides which open authorizations are checked on the chain, and which can move no money any more and are closed.
import type { AuthorizationKind } from '../payment/claim-payment.ts';
import { OPEN_SETTLEMENT, SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import type { AuthorizationState } from './authorization-chain.ts';
import type { OpenAuthorization } from './stranded-store.ts';

/** `check`: anybody may have submitted it, so its use is read from the chain. */
export type AuthorizationJudgement = 'leave' | 'close' | 'check';

type Judged = Pick<OpenAuthorization, 'kind' | 'settlement'>;

/** Lanes and the watcher of held payments handle authorizations whose settlement has no result yet. */
const ON_ITS_WAY: readonly (string | null)[] = OPEN_SETTLEMENT;

/** Whether the settlement of the authorization has its result. */
export function hasResult({ settlement }: Pick<Judged, 'settlement'>): boolean {
  return settlement !== null && !ON_ITS_WAY.includes(settlement);
}

/**
 * What ends an authorization by its kind. `expiry_or_use`: anybody who has seen it may submit it until it expires, unless
 * its settlement has used it. `expiry`: only the processor can pull with it, so it strands no money. `result`: only the
 * relayer can complete the transaction, and it sends none for a settlement with a result. `receipt`: its receipt stays on
 * chain until the text expires, and the authorization is closed after the receipt.
 */
const ENDS: Readonly<Record<AuthorizationKind, 'expiry_or_use' | 'expiry' | 'result' | 'receipt'>> = {
  transfer_with_authorization: 'expiry_or_use',
  receive_with_authorization: 'expiry',
  permit: 'expiry',
  solana_transaction: 'result',
  solana_message: 'receipt',
};

/** `isExpired`: by the time of a final block. */
export function judgeAuthorization({ kind, settlement }: Judged, isExpired: boolean): AuthorizationJudgement {
  const end = ENDS[kind];
  if (ON_ITS_WAY.includes(settlement) || end === 'receipt') return 'leave';
  if (end === 'expiry_or_use' && settlement !== SETTLEMENT_STATUS.completed) return 'check';
  const isOver = end === 'result' ? hasResult({ settlement }) : isExpired;
  return isOver ? 'close' : 'leave';
}

/** Whether an authorization is closed, given what the chain shows of one that is checked. */
export function mayClose(
  judgement: AuthorizationJudgement,
  isExpired: boolean,
  state: AuthorizationState | undefined,
): boolean {
  return judgement === 'close' || (judgement === 'check' && isExpired && state === 'over');
}
