// Chooses the payout of a new acceptance.
import type { ActivePayout, NetworkSetup } from '../payout/merchant-setup.ts';
import { sameAddress } from '../token/address.ts';
import type { TokenEntry } from '../token/token-entry.ts';

/**
 * An exact payment goes to the account's own wallet where it has one for the token: the newest whose time has come,
 * as soon as the chain reader would find every payment to it. One that can't be read is chosen too, so that no wallet that
 * it replaced is offered instead. Every other payment goes through the processor, by the newest
 * payout of the account there.
 */
export function choosePayout(
  payouts: readonly ActivePayout[],
  token: Pick<TokenEntry, 'network' | 'address' | 'directLogs'>,
  { processor, paysMerchant }: Pick<NetworkSetup, 'processor' | 'paysMerchant'>,
  upto: boolean,
  nowMs: number,
): ActivePayout | undefined {
  const here = payouts.filter(({ network }) => network === token.network);
  const direct =
    upto || token.directLogs === undefined ? [] : here.filter((payout) => isDirectNow(payout, token, nowMs));
  if (direct.length > 0)
    return direct.reduce((newest, payout) => (payout.payoutId > newest.payoutId ? payout : newest));
  return here.findLast(
    (payout) =>
      payout.direct === undefined && sameAddress(payout.processor, paysMerchant === true ? payout.merchant : processor),
  );
}

function isDirectNow({ direct }: ActivePayout, { address }: Pick<TokenEntry, 'address'>, nowMs: number): boolean {
  if (direct === undefined || direct.activeFromMs > nowMs) return false;
  if (direct.activation === undefined && direct.asset === null) return true;
  return (direct.readable || direct.activation === undefined) && sameAddress(direct.asset ?? '', address);
}
