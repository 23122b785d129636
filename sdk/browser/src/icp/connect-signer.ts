import { accountText, bytesFromBase64, principalBytes } from '@svc-pay/protocol/icp';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { fieldsOf } from '../read/fields.ts';
import type { WalletCall } from '../wallet.ts';
import { askSigner } from './ask-signer.ts';
import type { IcpSigner } from './signer.ts';

export type Payer = {
  /** Text of the principal. */
  readonly owner: string;
  readonly ownerBytes: Uint8Array;
  readonly subaccount: Uint8Array | null;
  /** Text of the account. */
  readonly account: string;
};

const SUBACCOUNT_BYTES = 32;

/** The wanted account, or the signer's first one. Throws `no_account` when there is none to pay from. */
export async function connectSigner(signer: IcpSigner, wanted: string | undefined, call: WalletCall): Promise<Payer> {
  const told = await askSigner(call, {
    name: 'icrc27_accounts',
    refusedAs: 'connection_refused',
    ask: () => signer.accounts(),
  });
  const payers = Array.isArray(told) ? told.flatMap(payerIn) : [];
  const payer = payers.find(({ owner }) => wanted === undefined || owner === wanted);
  if (payer === undefined) throw new SvcPayError('no_account');
  return payer;
}

function payerIn(told: unknown): readonly Payer[] {
  const { owner, subaccount: base64 } = fieldsOf(told) ?? {};
  const ownerBytes = typeof owner === 'string' ? principalBytes(owner) : undefined;
  const subaccount = typeof base64 === 'string' ? bytesFromBase64(base64) : null;
  if (typeof owner !== 'string' || ownerBytes === undefined) return [];
  if (subaccount === undefined || (subaccount !== null && subaccount.length !== SUBACCOUNT_BYTES)) return [];
  return [{ owner, ownerBytes, subaccount, account: accountText(ownerBytes, subaccount) }];
}
