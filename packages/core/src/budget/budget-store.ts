import type { NetworkId } from '@svc-pay/protocol';
import type { BudgetLimits, WindowAmounts } from './gas-budget.ts';

/** What relayers of a network paid for recorded transactions, and the part of it that settled nothing. */
export type GasMeasures = { readonly paid: WindowAmounts; readonly lost: WindowAmounts };

export type BudgetStore = {
  readonly measureGas: (network: NetworkId) => Promise<GasMeasures>;
  /** Records the limits that settle and lanes go by. */
  readonly recordLimits: (network: NetworkId, limits: BudgetLimits) => Promise<void>;
  /** Deletes rows that no window needs, and wallets that have not paid for more than a year. */
  readonly forgetOld: () => Promise<void>;
};
