import { SvcPayButton } from './pay-button.ts';

/** A second copy on the same page leaves the first one in its place. */
export function defineElement(tagName: string): void {
  if (customElements.get(tagName) === undefined) customElements.define(tagName, SvcPayButton);
}
