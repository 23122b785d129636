// The list a payer chooses from: a modal sheet with a row for each wallet or token.
import { html, nothing, type TemplateResult } from 'lit';
import { cross, onward } from './icons.ts';

export type Row = {
  readonly name: string;
  readonly note: string;
  readonly icon: string;
  /** Stands for an icon: its first letter is drawn. */
  readonly mark?: string;
  readonly choose: () => void;
};

export type Sheet = { readonly heading: string; readonly close: string; readonly rows: readonly Row[] };

export function renderDialog({ heading, close, rows }: Sheet, onClose: () => void): TemplateResult {
  return html`
    <div class="head">
      <h2 id="heading" part="dialog-heading">${heading}</h2>
      <button class="round" part="dialog-close" type="button" aria-label=${close} @click=${onClose}>${cross}</button>
    </div>
    <ul part="list" @keydown=${moveFocus}>
      ${rows.map(
        ({ name, note, icon, mark = name, choose }) => html`<li>
          <button class="row" part="row" type="button" @click=${choose}>
            ${icon === '' ? html`<span class="mark" aria-hidden="true">${initial(mark)}</span>` : html`<img src=${icon} alt="" />`}
            <span class="name">${name}${note === '' ? nothing : html`<small>${note}</small>`}</span>
            ${onward}
          </button>
        </li>`,
      )}
    </ul>`;
}

const initial = (name: string): string => String.fromCodePoint(name.codePointAt(0) ?? 32).toUpperCase();

/** Arrow keys walk the list, besides Tab. */
function moveFocus(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const rows = [...list.querySelectorAll<HTMLElement>('.row')];
  const at = rows.findIndex((row) => row.matches(':focus'));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  rows[(to + rows.length) % rows.length]?.focus();
}
