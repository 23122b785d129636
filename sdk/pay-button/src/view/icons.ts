import { html, svg, type TemplateResult } from 'lit';

const drawn = (size: number, lines: TemplateResult): TemplateResult =>
  html`<svg width=${size} height=${size} viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${lines}</svg>`;

export const check = drawn(20, svg`<path d="M4.5 10.5l3.6 3.6 7.4-8.2"/>`);
export const cross = drawn(20, svg`<path d="M5.5 5.5l9 9M14.5 5.5l-9 9"/>`);
export const onward = drawn(18, svg`<path d="M7.5 4.5L13 10l-5.5 5.5"/>`);
export const alert = drawn(18, svg`<circle cx="10" cy="10" r="7.6"/><path d="M10 6.2v4.6M10 13.6v.05"/>`);
