// Importing this puts <svc-pay-button> on the page.
import { defineElement } from '#define';
import type { SvcPayButtonElement } from './pay-button-element.ts';

export type { UptoSubmitted } from './flow/tell-page.ts';
export type { SvcPayButtonElement } from './pay-button-element.ts';
export type { StageName } from './stage.ts';
export type { StateDetail } from './state-event.ts';
export type { PageWallets } from './wallets/page-wallets.ts';
export type { OwnWords, Words } from './words/words.ts';

/** The name of the element. */
export const TAG_NAME = 'svc-pay-button';

defineElement(TAG_NAME);

declare global {
  interface HTMLElementTagNameMap {
    'svc-pay-button': SvcPayButtonElement;
  }
}
