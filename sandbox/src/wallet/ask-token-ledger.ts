// Reads a balance of a token ledger by a query, from a page and from Node. For showing it: an answer to a query is not certified.
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import { ANONYMOUS_PRINCIPAL, type Cbor, principalBytes, readCborMap, writeCbor } from '@svc-pay/protocol/icp';
import { ACCOUNT } from './transfer-candid.ts';

export type AskedLedger = {
  /** Boundary node. */
  readonly url: string;
  readonly ledger: string;
  readonly nowMs: () => number;
};

const EXPIRY_MS = 60_000;

/** In smallest units. */
export async function ledgerBalanceOf({ url, ledger, nowMs }: AskedLedger, owner: string): Promise<bigint> {
  const account = { owner: Principal.fromText(owner), subaccount: [] };
  const content = new Map<string, Cbor>([
    ['request_type', 'query'],
    ['canister_id', principalBytes(ledger) ?? new Uint8Array()],
    ['method_name', 'icrc1_balance_of'],
    ['arg', new Uint8Array(IDL.encode([ACCOUNT], [account]))],
    ['sender', principalBytes(ANONYMOUS_PRINCIPAL) ?? new Uint8Array()],
    ['ingress_expiry', BigInt(nowMs() + EXPIRY_MS) * 1_000_000n],
  ]);
  const response = await fetch(`${url}/api/v3/canister/${ledger}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/cbor' },
    body: Uint8Array.from(writeCbor(new Map([['content', content]]))),
  });
  const reply = readCborMap(new Uint8Array(await response.arrayBuffer())).get('reply');
  const arg = reply instanceof Map ? (reply as ReadonlyMap<string, Cbor>).get('arg') : undefined;
  if (!(arg instanceof Uint8Array)) throw new Error('the ledger does not answer');
  const [balance] = IDL.decode([IDL.Nat], Uint8Array.from(arg));
  return balance as unknown as bigint;
}
