import { html } from '../serve/html.ts';
import type { Described } from '../wallet/describe-question.ts';

/** Opens the wallet's dialog. Resolves with the payer's answer; closing the dialog declines. */
export function askPayer({ headline, rows, raw }: Described, walletName: string): Promise<boolean> {
  const dialog = document.createElement('dialog');
  dialog.className = 'ask';
  dialog.innerHTML = html`
    <form method="dialog">
      <p class="who"><span class="dot"></span>${walletName}</p>
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
