// Shows the test wallet and its balance in a corner of the page.
import { html } from '../serve/html.ts';
import { short } from './short.ts';

export const WALLET_ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0f6b5c"/><path d="M7 11h15a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H10a3 3 0 0 1-3-3z" fill="none" stroke="#fff" stroke-width="2"/><circle cx="20" cy="18" r="2" fill="#fff"/></svg>',
)}`;
const LOOK_EVERY_MS = 3_000;

export function showChip(name: string, address: string, balance: () => Promise<string>, symbol = 'USDC'): void {
  const chip = document.createElement('aside');
  chip.className = 'wallet';
  document.body.append(chip);
  const show = async () => {
    const held = await balance().catch(() => '…');
    chip.innerHTML = html`<span class="dot"></span><span>${name}</span><code>${short(address)}</code
      ><b>${held}</b> ${symbol}`.html;
  };
  void show();
  setInterval(() => void show(), LOOK_EVERY_MS);
}
