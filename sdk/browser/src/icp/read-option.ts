import type { Icrc1TransferOption } from '@svc-pay/protocol';
import { bytesToHex, hexToBytes, parseAccount, principalBytes } from '@svc-pay/protocol/icp';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { TransferArg } from './candid.ts';

export type TransferTerms = Omit<TransferArg, 'fromSubaccount'> & { readonly ledger: Uint8Array };

/**
 * Throws `acceptance_refused` for an option that contradicts itself or does not name the intent: its money would go elsewhere
 * than the page was told, or pay nothing.
 */
export function readOption(option: Icrc1TransferOption, intentCode: number | undefined): TransferTerms {
  const { token, ledgerCanisterId, to, memo, amount, fee, createdAtTime } = option;
  const ledger = ledgerCanisterId === token ? principalBytes(token) : undefined;
  if (ledger === undefined) throw refused('asset');
  const account = parseAccount(to.text);
  const toOwner = account && principalBytes(account.owner);
  const subaccount = account?.subaccount ? `0x${bytesToHex(account.subaccount)}` : null;
  if (account === undefined || toOwner === undefined) throw refused('payTo');
  if (account.owner !== to.owner || subaccount !== (to.subaccount?.toLowerCase() ?? null)) throw refused('payTo');
  const memoBytes = hexToBytes(memo.slice(2));
  if (intentCode !== undefined && new TextDecoder().decode(memoBytes) !== `svc:${intentCode}`) throw refused('intent');
  return {
    ledger,
    toOwner,
    toSubaccount: account.subaccount,
    amount: BigInt(amount),
    fee: BigInt(fee),
    memo: memoBytes,
    createdAtTime: BigInt(createdAtTime),
  };
}

const refused = (reason: string) => new SvcPayError('acceptance_refused', { reason });
