import type { OfferedTerms } from '@svc-pay/protocol/x402';
import { offeredTerms } from '../intent/issued-requirements.ts';
import { familyFor } from '../intent/offer-family.ts';
import { hasPriceEnded, type StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { HeaderContext } from './payment-family.ts';
import type { SettlePorts } from './settle-ports.ts';

/**
 * Stored acceptances as stock clients are offered them now, without those whose price has ended or whose payout is withdrawn.
 * Where clients build a transaction, its relayer is chosen anew.
 */
export function offeredTermsNow(
  { families, clock }: Pick<SettlePorts, 'families' | 'clock'>,
  context: HeaderContext,
  acceptances: readonly StoredAcceptance[],
): Promise<readonly OfferedTerms[]> {
  const nowMs = clock.nowMs();
  const open = acceptances.filter(
    (acceptance) => !hasPriceEnded(acceptance, nowMs) && acceptance.payoutWithdrawn !== true,
  );
  return Promise.all(
    open.map(async (acceptance) => {
      const transactions = familyFor(families, acceptance.network)?.transactions;
      return offeredTerms(context.intentId, acceptance, await transactions?.stockTransfer(context, acceptance));
    }),
  );
}
