import { css } from 'lit';

const light = css`
  --_accent: var(--svc-pay-accent, #15171c);
  --_on-accent: var(--svc-pay-on-accent, #ffffff);
  --_surface: var(--svc-pay-surface, #ffffff);
  --_text: var(--svc-pay-text, #15171c);
  --_muted: var(--svc-pay-muted, #555b66);
  --_line: var(--svc-pay-line, #dfe2e8);
  --_hover: var(--svc-pay-hover, #f4f5f7);
  --_good: var(--svc-pay-good, #0b6b43);
  --_good-surface: var(--svc-pay-good-surface, #e7f5ee);
  --_bad: var(--svc-pay-bad, #b3261e);
  --_careful: var(--svc-pay-careful, #8a5300);
  --_focus: var(--svc-pay-focus, #2f6bff);
  --_shadow: 0 24px 64px rgb(15 18 25 / 0.22), 0 2px 8px rgb(15 18 25 / 0.08);
`;

const dark = css`
  --_accent: var(--svc-pay-accent, #f3f4f6);
  --_on-accent: var(--svc-pay-on-accent, #15171c);
  --_surface: var(--svc-pay-surface, #1b1e24);
  --_text: var(--svc-pay-text, #f3f4f6);
  --_muted: var(--svc-pay-muted, #a9b0bc);
  --_line: var(--svc-pay-line, #353a44);
  --_hover: var(--svc-pay-hover, #262a32);
  --_good: var(--svc-pay-good, #6fd6a5);
  --_good-surface: var(--svc-pay-good-surface, #12352a);
  --_bad: var(--svc-pay-bad, #ff9d94);
  --_careful: var(--svc-pay-careful, #f2bd5c);
  --_focus: var(--svc-pay-focus, #8fb1ff);
  --_shadow: 0 24px 64px rgb(0 0 0 / 0.6), 0 2px 8px rgb(0 0 0 / 0.4);
`;

/** Custom properties without the underscore are the merchant's; those with it are what came of them. */
export const styles = css`
  :host {
    ${light}
    --_radius: var(--svc-pay-radius, 12px);
    display: block;
    box-sizing: border-box;
    width: 100%;
    max-width: var(--svc-pay-max-width, 400px);
    font-family: var(--svc-pay-font, inherit);
    font-size: 15px;
    line-height: 1.45;
    text-align: start;
    -webkit-font-smoothing: antialiased;
  }
  :host([hidden]) { display: none; }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme='light'])) { ${dark} }
  }
  :host([theme='dark']) { ${dark} }

  *, *::before, *::after { box-sizing: border-box; }
  button { font: inherit; color: inherit; margin: 0; cursor: pointer; -webkit-tap-highlight-color: transparent; }
  :focus-visible { outline: 2px solid var(--_focus); outline-offset: 2px; }

  .press {
    position: relative;
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 10px;
    width: 100%;
    min-height: 50px;
    padding: 12px 20px;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_accent);
    color: var(--_on-accent);
    font-size: 16px;
    font-weight: 600;
    line-height: 1.25;
    letter-spacing: -0.005em;
    font-variant-numeric: tabular-nums;
    transition: opacity 0.15s, background-color 0.2s, color 0.2s, transform 0.05s;
  }
  .press:not([aria-disabled='true']):hover { opacity: 0.88; }
  .press:not([aria-disabled='true']):active { transform: scale(0.992); }
  .press[aria-disabled='true'] { cursor: default; }
  .press.busy { background: var(--_hover); color: var(--_text); border-color: var(--_line); }
  .press.good { background: var(--_good-surface); color: var(--_good); }
  .press.off { background: var(--_hover); color: var(--_muted); border-color: var(--_line); }

  .panel {
    margin-top: 10px;
    padding: 12px 14px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: var(--_muted);
    font-size: 14px;
  }
  .panel.empty { margin: 0; padding: 0; border: 0; background: none; }
  .panel p { margin: 0; overflow-wrap: anywhere; text-wrap: pretty; }
  .title { display: flex; align-items: center; gap: 7px; font-weight: 600; margin-bottom: 2px !important; }
  .bad .title { color: var(--_bad); }
  .careful .title { color: var(--_careful); }
  .title svg { flex: none; }

  .calm {
    display: inline-block;
    margin: 8px 0 -2px -8px;
    padding: 5px 8px;
    border: 0;
    border-radius: 8px;
    background: none;
    color: var(--_text);
    font-weight: 600;
  }
  .calm:hover { background: var(--_hover); }
  .panel .calm:first-child { margin-top: -4px; }

  .spinner {
    flex: none;
    width: 18px;
    height: 18px;
    border: 2px solid color-mix(in srgb, currentColor 22%, transparent);
    border-top-color: currentColor;
    border-radius: 50%;
    animation: turn 0.9s linear infinite;
  }
  @keyframes turn { to { transform: rotate(1turn); } }

  dialog {
    width: min(380px, calc(100vw - 24px));
    max-height: min(560px, calc(100dvh - 24px));
    padding: 0;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 6px);
    background: var(--_surface);
    color: var(--_text);
    box-shadow: var(--_shadow);
    font-size: 15px;
    overflow: hidden;
  }
  dialog[open] { display: flex; flex-direction: column; }
  dialog::backdrop { background: rgb(10 12 16 / 0.5); }
  .head { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding: 16px 12px 8px 20px; }
  .head h2 { margin: 0; font-size: 17px; font-weight: 650; letter-spacing: -0.01em; }
  .round {
    display: grid;
    place-items: center;
    width: 36px;
    height: 36px;
    padding: 0;
    border: 0;
    border-radius: 50%;
    background: none;
    color: var(--_muted);
  }
  .round:hover { background: var(--_hover); color: var(--_text); }
  ul { flex: 1; margin: 0; padding: 4px 10px 12px; list-style: none; overflow-y: auto; }
  .row {
    display: flex;
    align-items: center;
    gap: 14px;
    width: 100%;
    min-height: 60px;
    padding: 10px;
    border: 0;
    border-radius: var(--_radius);
    background: none;
    text-align: start;
  }
  .row:hover { background: var(--_hover); }
  .row:focus-visible { outline-offset: -2px; }
  .row .name { flex: 1; min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
  .row small { display: block; color: var(--_muted); font-size: 13px; font-weight: 400; font-variant-numeric: tabular-nums; }
  .row img, .row .mark { flex: none; width: 40px; height: 40px; border-radius: 11px; }
  .row .mark {
    display: grid;
    place-items: center;
    background: var(--_hover);
    color: var(--_muted);
    font-size: 15px;
    font-weight: 650;
    border: 1px solid var(--_line);
  }
  .row > svg { flex: none; color: var(--_muted); }

  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  @media (max-width: 480px) {
    dialog { width: 100vw; max-width: 100vw; margin: auto 0 0; border-width: 1px 0 0; border-radius: 20px 20px 0 0; }
    ul { padding-bottom: max(16px, env(safe-area-inset-bottom)); }
  }
  @media (prefers-reduced-motion: reduce) {
    .press { transition: none; }
    .press:active { transform: none !important; }
    .spinner { animation: pulse 2.4s ease-in-out infinite; border-top-color: color-mix(in srgb, currentColor 22%, transparent); background: currentColor; width: 10px; height: 10px; }
    @keyframes pulse { 50% { opacity: 0.35; } }
  }
  @media (forced-colors: active) {
    .press, .panel { border: 1px solid ButtonText; }
  }
`;
