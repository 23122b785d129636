// Candid of what the test wallet shows and asks.
import { IDL } from '@icp-sdk/core/candid';

const BLOB = IDL.Vec(IDL.Nat8);
export const ACCOUNT = IDL.Record({ owner: IDL.Principal, subaccount: IDL.Opt(BLOB) });

export const TRANSFER = IDL.Record({
  from_subaccount: IDL.Opt(BLOB),
  to: ACCOUNT,
  amount: IDL.Nat,
  fee: IDL.Opt(IDL.Nat),
  memo: IDL.Opt(BLOB),
  created_at_time: IDL.Opt(IDL.Nat64),
});
