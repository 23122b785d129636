// The test wallet: lives in the page, announces itself as wallets do (EIP-6963), and asks before it signs, showing what.
import { html } from '../serve/html.ts';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { describeQuestion } from '../wallet/describe-question.ts';
import { createTestProvider, type SignQuestion, type TestProvider } from '../wallet/test-provider.ts';
import { short } from './short.ts';

const RDNS = 'test.svc-pay.sandbox';
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0f6b5c"/><path d="M7 11h15a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H10a3 3 0 0 1-3-3z" fill="none" stroke="#fff" stroke-width="2"/><circle cx="20" cy="18" r="2" fill="#fff"/></svg>',
)}`;
const BALANCE_OF = '0x70a08231';

export function installTestWallet({ wallet, expect }: ShopFacts): void {
  const provider = createTestProvider({ ...wallet, confirm: askPayer });
  announce(provider);
  const chip = document.createElement('aside');
  chip.className = 'wallet';
  document.body.append(chip);
  const show = async () => {
    chip.innerHTML = html`<span class="dot"></span><span>Test wallet</span><code>${short(provider.address)}</code
      ><b>${await balanceOf(provider, expect.asset)}</b> USDC`.html;
  };
  void show();
  setInterval(() => void show(), 3_000);
}

function announce(provider: TestProvider): void {
  const info = Object.freeze({ uuid: crypto.randomUUID(), name: 'Test wallet', icon: ICON, rdns: RDNS });
  const detail = Object.freeze({ info, provider });
  const say = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  window.addEventListener('eip6963:requestProvider', say);
  say();
}

async function balanceOf(provider: TestProvider, asset: string): Promise<string> {
  const data = `${BALANCE_OF}${provider.address.slice(2).toLowerCase().padStart(64, '0')}`;
  try {
    const told = await provider.request({ method: 'eth_call', params: [{ to: asset, data }, 'latest'] });
    return showAmount(BigInt(told as string));
  } catch {
    return '…';
  }
}

/** Resolves with what the payer said. Closing the dialog is a no. */
function askPayer(question: SignQuestion): Promise<boolean> {
  const { headline, rows, raw } = describeQuestion(question);
  const dialog = document.createElement('dialog');
  dialog.className = 'ask';
  dialog.innerHTML = html`
    <form method="dialog">
      <p class="who"><span class="dot"></span>Test wallet</p>
      <h2>${headline}</h2>
      <dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      <details><summary>Exactly what is signed</summary><pre>${raw}</pre></details>
      <menu><button value="no" class="quiet">Reject</button><button value="yes" autofocus>Sign</button></menu>
    </form>`.html;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
