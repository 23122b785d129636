// The part of the checkout page that pays: the button, and the ways to a wallet that is not in this browser.
import { askedDollars, type RequestUrlOf } from '@svc-pay/core';
import { printUsd } from '@svc-pay/money';
import { walletLinks } from '@svc-pay/protocol';
import { html, type SafeHtml } from '../http/html.ts';
import type { CheckoutView } from './checkout-view.ts';
import { ALERT, CHECK, OUTWARD } from './icons.ts';
import { qrCode } from './qr-code.ts';
import { renderRequests } from './render-requests.ts';

export type CheckoutAddress = {
  readonly clientSecret: string;
  /** The whole address of the page, with its secret; null where it must not be handed on. */
  readonly url: string | null;
  readonly requestUrlOf: RequestUrlOf;
};

/** The host of an address may be what the client said. A link of ours is about 150 characters, encoded 220. */
const LONGEST_CODED = 300;

export function renderPayment(view: CheckoutView, address: CheckoutAddress): SafeHtml {
  const { intent, ways, hasFailed, isMismatched } = view;
  const { clientSecret, url } = address;
  const byButton = ways.filter(({ isSigned, isRequested }) => isSigned || !isRequested);
  const links =
    url !== null && URL.canParse(url)
      ? walletLinks(
          new URL(url),
          byButton.map(({ network }) => network),
        )
      : [];
  const verb = intent.upto ? 'Authorize' : 'Pay';
  // What the page shows is what the button lets be signed.
  const asked = askedDollars(intent);
  const dollars = asked === null ? '' : html` usd-amount="${printUsd(asked)}"`;
  const [first, ...others] = new Set(byButton.map(({ tokenShortcode }) => tokenShortcode));
  const token = first === undefined || others.length > 0 ? '' : html` token-shortcode="${first}"`;
  return html`<section class="card pay" aria-labelledby="stands">
<h2 id="stands" tabindex="-1">${verb} with your wallet</h2>
${hasFailed ? html`<p class="note">${ALERT} The last attempt did not go through and nothing was charged. You can pay again.</p>` : ''}
${isMismatched ? renderArrived(view) : ''}
${
  byButton.length === 0
    ? ''
    : html`<div class="button">
<svc-pay-button payment-intent-id="${intent.id}" client-secret="${clientSecret}"${dollars}${token}${intent.upto ? html` mode="upto"` : ''}></svc-pay-button>
${
  ways.some(({ isSigned }) => isSigned)
    ? html`<p class="free">${CHECK} No network fee: you pay this amount and nothing more.</p>`
    : html`<p class="note">${ALERT} Your wallet sends this payment, and pays the network fee on top.</p>`
}
</div>`
}
<noscript><p class="note">${ALERT} Paying needs JavaScript. Switch it on and reload this page.</p></noscript>
${
  links.length === 0
    ? ''
    : html`<div class="wallets">
<h3>Open in a wallet app</h3>
<p>The page opens in the app, where you pay with one tap.</p>
<ul>${links.map((link) => html`<li><a href="${link.url}" rel="noopener noreferrer">${link.wallet} ${OUTWARD}</a></li>`)}</ul>
<button class="quiet here" type="button" hidden>My wallet is in this browser</button>
</div>`
}
${url === null || url.length > LONGEST_CODED || byButton.length === 0 ? '' : renderCode(url)}
${intent.upto ? '' : renderRequests(ways, address.requestUrlOf, LONGEST_CODED)}
<button class="quiet copy" type="button" hidden>Copy the link</button>
</section>`;
}

/** The payer may have sent it, or a stranger. Who sent it asks first: the whole amount is taken beside it. */
function renderArrived(view: CheckoutView): SafeHtml {
  const { merchant, amount, transfer, parts, ways } = view;
  if (parts !== null) {
    const { paid, whole, rest } = parts;
    const isSigned = ways.some((way) => way.isSigned);
    const byRequest = ways.some(({ isRequested }) => isRequested)
      ? ' The code for a Solana wallet app pays the rest.'
      : '';
    const byButton = isSigned
      ? ` The button pays the whole amount: if you sent the first part, contact ${merchant} before you press it.`
      : '';
    return html`<p class="note arrived">${ALERT} ${paid} of ${whole} arrived for this payment, and ${rest} remain.${byRequest}${byButton}</p>`;
  }
  const paid = transfer?.amount ?? null;
  const arrived = paid === null ? 'Another amount than the asked one' : `${paid} instead of ${amount}`;
  return html`<p class="note arrived">${ALERT} ${arrived} arrived for this payment, so it is not paid yet. If you sent it, contact ${merchant} before you pay again. If not, you can pay now.</p>`;
}

const renderCode = (url: string): SafeHtml => html`<div class="phone">
<div class="qr" role="img" aria-label="QR code of this page">${qrCode(url)}</div>
<div><h3>Pay by phone</h3>
<p>Scan the code with the camera or with a wallet app.</p></div>
</div>`;
