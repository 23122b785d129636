// Answers a browser at a payable address: the checkout page of the intent as it stands.
import { clientSecretOf, isPayable, type Mode, type PaymentFamily } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { payPath } from '../buyer/challenge.ts';
import { requestUrlOf } from '../buyer/request-url.ts';
import type { RouteOutcome } from '../routes/outcome.ts';
import type { PayableCall, World } from '../routes/route.ts';
import { checkoutView } from './checkout-view.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import { renderCheckout } from './render-checkout.ts';

/** The address has a secret that pays: with live money it is written for TLS only, as in the header of a new intent. */
function linkOf(baseUrl: string, mode: Mode, path: string): string | null {
  return mode === 'live' && !baseUrl.startsWith('https://') ? null : `${baseUrl}${path}`;
}

/** 200 for every state: browsers inside of wallets show an error of their own for a page with another status. */
export async function showCheckout({ ports }: World, call: PayableCall): Promise<RouteOutcome> {
  const { caller, intentId, baseUrl } = call;
  const [read, merchant] = await Promise.all([
    ports.loadSettlement(caller, intentId, null),
    ports.findAccountName(caller.accountId),
  ]);
  if (read === undefined || merchant === undefined) return { ok: false, code: 'not_found', param: null };
  const nowMs = ports.clock.nowMs();
  const { intent, latest } = read;
  const [acceptances, { terms: payable, parts }] = isPayable(intent, nowMs)
    ? await Promise.all([ports.loadAcceptances(caller, intentId), ports.loadPayable(caller, intentId)])
    : [[], { terms: [], parts: new Map<number, bigint>() }];
  const families: readonly PaymentFamily[] = ports.families;
  const takesRequests = (network: NetworkId) =>
    families.some(({ owns, transactions }) => transactions !== undefined && owns(network));
  const view = checkoutView({ intent, latest, acceptances, payable, parts, takesRequests, merchant, nowMs });
  const clientSecret = clientSecretOf(ports.peppers[0], caller, intentId);
  const url = linkOf(baseUrl(), caller.mode, `${payPath(intentId)}?client_secret=${clientSecret}`);
  const body = renderCheckout(view, {
    clientSecret,
    url,
    requestUrlOf: requestUrlOf(ports, caller, intentId, baseUrl()),
  });
  return { ok: true, replayed: false, answer: { status: 200, headers: PAGE_HEADERS, body } };
}
