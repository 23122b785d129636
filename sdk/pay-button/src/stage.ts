// Where a button stands. Every stage that waits is ended by something: a person, the SDK's time limits, or the service.
// Only the service's own words lead to `paid` and `authorized`.
import type { AffordableToken } from '@svc-pay/sdk/evm';
import type { WalletOffer } from './wallets/wallet-kind.ts';

/** Names are public: the element's `state` attribute and the detail of `svc-pay-state`. */
export type Stage =
  | { readonly name: 'ready' }
  | { readonly name: 'finding' }
  | { readonly name: 'choose-wallet'; readonly wallets: readonly WalletOffer[] }
  | { readonly name: 'preparing' }
  | { readonly name: 'connect'; readonly wallet: string }
  | { readonly name: 'choose-token'; readonly tokens: readonly AffordableToken[] }
  | { readonly name: 'switch-network'; readonly wallet: string }
  | { readonly name: 'sign'; readonly wallet: string }
  /** The regular flow: the token is released for exactly the amount, then the payer sends it with gas of his own. */
  | { readonly name: 'approve'; readonly wallet: string }
  | { readonly name: 'approving'; readonly wallet: string }
  | { readonly name: 'pay'; readonly wallet: string }
  | { readonly name: 'confirming' }
  | { readonly name: 'sending' }
  | { readonly name: 'settling'; readonly network: string | null }
  | { readonly name: 'checking' }
  | { readonly name: 'paid'; readonly transactionId: string | null }
  | { readonly name: 'authorized'; readonly expiresAt: string | null }
  /** Nothing was charged, and that is known. */
  | { readonly name: 'failed'; readonly code: string }
  /**
   * A payment went out and its end was not heard. `isUnderWay`: it is being settled, or its transaction is known. `isAsked`: the
   * wallet was asked to send it, and did not say whether it has.
   */
  | { readonly name: 'unknown'; readonly isUnderWay: boolean; readonly isAsked?: boolean }
  | { readonly name: 'mismatched' }
  | { readonly name: 'elsewhere' }
  | { readonly name: 'misconfigured'; readonly part: string };

export type StageName = Stage['name'];

const BUSY: ReadonlySet<StageName> = new Set([
  'finding',
  'choose-wallet',
  'preparing',
  'connect',
  'choose-token',
  'switch-network',
  'sign',
  'approve',
  'approving',
  'pay',
  'confirming',
  'sending',
  'settling',
  'checking',
]);
const SENT: ReadonlySet<StageName> = new Set(['pay', 'confirming', 'sending', 'settling', 'checking']);

/** Something is going on, and pressing the button begins nothing. */
export const isBusy = ({ name }: Stage): boolean => BUSY.has(name);

/** Nothing signed has left the page, and no wallet is asked to send, so the payer may still call it off. */
export const isCancelable = (stage: Stage): boolean => isBusy(stage) && !SENT.has(stage.name);

/** What the button does when it is pressed. */
export function pressOf({ name }: Stage): 'pay' | 'check' | undefined {
  if (name === 'ready' || name === 'failed' || name === 'elsewhere') return 'pay';
  return name === 'unknown' ? 'check' : undefined;
}
