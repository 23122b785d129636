// Ways to pay by a Solana wallet app, on this device or on a phone: a link, and its QR code. Nothing else need be installed.
import type { RequestUrlOf } from '@svc-pay/core';
import { solanaPayLink } from '@svc-pay/protocol';
import { html, type SafeHtml } from '../http/html.ts';
import type { ShownWay } from './checkout-view.ts';
import { OUTWARD } from './icons.ts';
import { qrCode } from './qr-code.ts';

export function renderRequests(
  ways: readonly ShownWay[],
  requestUrlOf: RequestUrlOf,
  longest: number,
): readonly SafeHtml[] {
  return ways.flatMap((way) => {
    const url = way.isRequested ? requestUrlOf(way.tokenShortcode) : null;
    const link = url === null ? null : solanaPayLink(url);
    return link === null || link.length > longest ? [] : [renderRequest(way, link)];
  });
}

const renderRequest = (
  { rest: amount, networkName }: ShownWay,
  link: string,
): SafeHtml => html`<div class="phone solana">
<div class="qr" role="img" aria-label="Solana Pay code for ${amount}">${qrCode(link)}</div>
<div><h3>Pay with a Solana wallet app</h3>
<p>Scan the code with the app, or <a href="${link}">open the app here ${OUTWARD}</a></p>
<p class="muted">${amount} on ${networkName}. The app pays the network fee, a fraction of a cent.</p></div>
</div>`;
