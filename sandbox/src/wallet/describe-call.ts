// Describes a call of a canister, only from the call itself and not from what the page says.
import { IDL } from '@icp-sdk/core/candid';
import { accountText, bytesFromBase64, principalBytes } from '@svc-pay/protocol/icp';
import type { CanisterCall } from '@svc-pay/sdk/icp';
import { showAmount } from '../shop/show-amount.ts';
import type { Described } from './describe-question.ts';
import { TRANSFER } from './transfer-candid.ts';

type Account = { readonly owner: { readonly toUint8Array: () => Uint8Array }; readonly subaccount: readonly Bytes[] };
type Bytes = Uint8Array | readonly number[];
type Transfer = {
  readonly from_subaccount: readonly Bytes[];
  readonly to: Account;
  readonly amount: bigint;
  readonly fee: readonly bigint[];
  readonly memo: readonly Bytes[];
  readonly created_at_time: readonly bigint[];
};

/** `token`: the ledger that the wallet knows. Of any other canister it can't tell what a call does. */
export function describeCall(
  call: CanisterCall,
  token: { readonly ledger: string; readonly symbol: string },
): Described {
  const { canisterId, sender, method, arg } = call;
  const transfer = method === 'icrc1_transfer' && canisterId === token.ledger ? transferIn(arg) : undefined;
  if (transfer === undefined) {
    const rows = Object.entries({ From: sender, Canister: canisterId, Method: method });
    return { headline: 'Make a call that this wallet can’t read?', rows, raw: JSON.stringify(call, null, 2) };
  }
  const { from_subaccount: fromSubaccount, to, amount, fee, memo, created_at_time: created } = transfer;
  const from = accountText(principalBytes(sender) ?? new Uint8Array(), bytesIn(fromSubaccount));
  const [createdNs] = created;
  return {
    headline: `Send ${showAmount(amount)} ${token.symbol}?`,
    rows: [
      ['From', from],
      ['To', accountText(to.owner.toUint8Array(), bytesIn(to.subaccount))],
      ['Token', canisterId],
      ['Ledger’s fee', fee[0] === undefined ? '—' : showAmount(fee[0])],
      ['Memo', memo[0] === undefined ? '—' : new TextDecoder().decode(Uint8Array.from(memo[0]))],
      ['Made at', createdNs === undefined ? '—' : new Date(Number(createdNs / 1_000_000n)).toUTCString()],
    ],
    raw: JSON.stringify(
      { ...call, amount: `${amount}`, fee: fee.map(String), createdAtTime: created.map(String) },
      null,
      2,
    ),
  };
}

/** Undefined for what is no transfer. */
function transferIn(arg: string): Transfer | undefined {
  try {
    const [read] = IDL.decode([TRANSFER], bytesFromBase64(arg) ?? new Uint8Array());
    return read as unknown as Transfer;
  } catch {
    return undefined;
  }
}

const bytesIn = ([bytes]: readonly Bytes[]): Uint8Array | null => (bytes === undefined ? null : Uint8Array.from(bytes));
