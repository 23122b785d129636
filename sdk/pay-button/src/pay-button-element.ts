import type { Eip1193Provider } from '@svc-pay/sdk/evm';
import type { Attributes } from './settings/settings.ts';
import type { StageName } from './stage.ts';
import type { PageWallets } from './wallets/page-wallets.ts';
import type { OwnWords } from './words/words.ts';

/** `<svc-pay-button>` as a page sees it. */
export interface SvcPayButtonElement extends HTMLElement, Mutable<Attributes> {
  theme: string | undefined;
  /** Words of your own, over those of the page's language. */
  words: OwnWords | undefined;
  /** A wallet that the page already holds; no other is looked for then. */
  provider: Eip1193Provider | undefined;
  /** Wallets that the page made itself, by network. They are offered beside those that are found. */
  wallets: PageWallets | undefined;
  /** Where it stands; the attribute of the same name follows it. */
  readonly state: StageName;
  /** As if it were pressed: begins, or asks again. Does nothing while something is going on. */
  pay(): void;
  /** Calls off what has not been sent yet. What was sent goes on. */
  cancel(): void;
  /** Forgets what is remembered of this payment. For a page that knows better how it ended. */
  reset(): void;
}

type Mutable<Fields> = { -readonly [Name in keyof Fields]-?: Fields[Name] };
