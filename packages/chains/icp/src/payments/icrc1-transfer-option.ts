import { isoTime, isPrincipal, memoOfIntent, parseAccount, type RegularWay, transferTimeNs } from '@svc-pay/core';
import type { Icrc1TransferOption } from '@svc-pay/protocol';

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const;

/** Undefined where nobody could pay: the recipient or the expected sender is none of this network. */
export function icrc1TransferOption({
  intent,
  terms,
  payments,
  endsAtMs,
}: RegularWay): Icrc1TransferOption | undefined {
  const { network, token, payTo, amount } = terms;
  const to = parseAccount(payTo);
  if (to === undefined || token.transferFee === undefined) return undefined;
  if (intent.expectedSender !== null && !isPrincipal(intent.expectedSender)) return undefined;
  return {
    kind: 'icrc1_transfer',
    network,
    token: token.address,
    tokenShortcode: token.shortcode,
    decimals: token.unit.decimals,
    amount: amount.toString(),
    expiresAt: isoTime(endsAtMs),
    ledgerCanisterId: token.address,
    to: { owner: to.owner, subaccount: to.subaccount && hex(to.subaccount), text: payTo },
    memo: hex(memoOfIntent(BigInt(intent.intentCode))),
    createdAtTime: transferTimeNs(intent.createdAtMs, payments).toString(),
    fee: token.transferFee.toString(),
  };
}
