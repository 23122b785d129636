// The button and the panel beneath it. One button element through all stages, so that focus is never lost.
import { html, nothing, type TemplateResult } from 'lit';
import type { Saying } from '../words/say-stage.ts';
import { alert, check } from './icons.ts';

export type Face = {
  readonly saying: Saying;
  readonly press: (() => void) | undefined;
  readonly cancel: { readonly label: string; readonly act: () => void } | undefined;
};

export function renderButton({ saying, press, cancel }: Face): TemplateResult {
  const { label, title, text, tone } = saying;
  const looks = tone === 'busy' || tone === 'good' ? tone : press === undefined && title !== '' ? 'off' : '';
  const isEmpty = title === '' && text === '' && cancel === undefined;
  // A change of the button's own word is not announced by itself.
  const spoken = tone === 'busy' || tone === 'good' ? label : '';
  return html`
    <button
      class="press ${looks}"
      part="button"
      type="button"
      aria-disabled=${press === undefined ? 'true' : 'false'}
      aria-busy=${tone === 'busy' ? 'true' : 'false'}
      @click=${() => press?.()}
    >${tone === 'busy' ? html`<span class="spinner" part="spinner"></span>` : nothing}${tone === 'good' ? check : nothing}<span>${label}</span></button>
    <div class="panel ${tone} ${isEmpty ? 'empty' : ''}" part="panel">
      <div role="status" aria-live="polite" aria-atomic="true">
        <span class="unseen">${spoken}</span>
        ${title === '' ? nothing : html`<p class="title" part="title">${alert}${title}</p>`}
        ${text === '' ? nothing : html`<p part="text">${text}</p>`}
      </div>
      ${cancel === undefined ? nothing : html`<button class="calm" part="cancel" type="button" @click=${cancel.act}>${cancel.label}</button>`}
    </div>`;
}
