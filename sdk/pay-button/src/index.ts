// Importing this puts <svc-pay-button> on the page.
import { SvcPayButton } from './pay-button.ts';
import type { SvcPayButtonElement } from './pay-button-element.ts';

export type { UptoSubmitted } from './flow/tell-page.ts';
export type { SvcPayButtonElement } from './pay-button-element.ts';
export type { StageName } from './stage.ts';
export type { StateDetail } from './state-event.ts';
export type { OwnWords, Words } from './words/words.ts';

/** The name of the element. */
export const TAG_NAME = 'svc-pay-button';

// A second copy on the same page leaves the first one in its place.
if (globalThis.customElements?.get(TAG_NAME) === undefined) globalThis.customElements?.define(TAG_NAME, SvcPayButton);

declare global {
  interface HTMLElementTagNameMap {
    'svc-pay-button': SvcPayButtonElement;
  }
}
