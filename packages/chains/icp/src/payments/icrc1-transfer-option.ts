import { isPrincipal, memoOfIntent, optionFields, parseAccount, type RegularWay, transferTimeNs } from '@svc-pay/core';
import type { Icrc1TransferOption } from '@svc-pay/protocol';

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const;

/** Undefined where nobody could pay: the recipient or the expected sender is none of this network. */
export function icrc1TransferOption(way: RegularWay): Icrc1TransferOption | undefined {
  const { intent, payments } = way;
  const { token, payTo } = way.terms;
  const to = parseAccount(payTo);
  if (to === undefined || token.transferFee === undefined) return undefined;
  if (intent.expectedSender !== null && !isPrincipal(intent.expectedSender)) return undefined;
  return {
    kind: 'icrc1_transfer',
    ...optionFields(way),
    ledgerCanisterId: token.address,
    to: { owner: to.owner, subaccount: to.subaccount && hex(to.subaccount), text: payTo },
    memo: hex(memoOfIntent(BigInt(intent.intentCode))),
    createdAtTime: transferTimeNs(intent.createdAtMs, payments).toString(),
    fee: token.transferFee.toString(),
  };
}
