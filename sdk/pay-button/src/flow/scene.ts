import type { ChooseToken } from '@svc-pay/sdk/evm';
import type { OpenPayments } from '../record/open-payments.ts';
import type { Settings } from '../settings/settings.ts';
import type { Stage } from '../stage.ts';
import type { WalletOffer } from '../wallets/wallet-kind.ts';

/** What a flow is given by the button it runs for. */
export type Scene = {
  readonly settings: Settings;
  readonly records: OpenPayments;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Not called any more once the signal was aborted. */
  readonly show: (stage: Stage, learned?: Learned) => void;
  readonly chooseToken: ChooseToken;
  /** The wallets of the page that can pay it. Never rejects. */
  readonly findWallets: () => Promise<readonly WalletOffer[]>;
};

/** Facts that go along with a stage, for the page. */
export type Learned = {
  readonly paymentIntentId?: string | null;
  readonly transactionId?: string | null;
};
