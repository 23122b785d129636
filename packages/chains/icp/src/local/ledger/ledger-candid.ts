// The Candid types of a ledger that `@icp-sdk/canisters` uses and does not export: what it is installed with, and what a
// transfer asks and answers.
import { IDL } from '@icp-sdk/core/candid';
import type { Principal } from '@icp-sdk/core/principal';

/** An account as Candid has it: an optional subaccount is a list of none or one. */
export type CandidAccount = { readonly owner: Principal; readonly subaccount: [] | [Uint8Array] };

const BLOB = IDL.Vec(IDL.Nat8);
const ACCOUNT = IDL.Record({ owner: IDL.Principal, subaccount: IDL.Opt(BLOB) });
const METADATA = IDL.Variant({ Nat: IDL.Nat, Int: IDL.Int, Text: IDL.Text, Blob: BLOB });

const INIT = IDL.Record({
  minting_account: ACCOUNT,
  fee_collector_account: IDL.Opt(ACCOUNT),
  transfer_fee: IDL.Nat,
  decimals: IDL.Opt(IDL.Nat8),
  max_memo_length: IDL.Opt(IDL.Nat16),
  token_symbol: IDL.Text,
  token_name: IDL.Text,
  metadata: IDL.Vec(IDL.Tuple(IDL.Text, METADATA)),
  initial_balances: IDL.Vec(IDL.Tuple(ACCOUNT, IDL.Nat)),
  feature_flags: IDL.Opt(IDL.Record({ icrc2: IDL.Bool })),
  archive_options: IDL.Record({
    num_blocks_to_archive: IDL.Nat64,
    max_transactions_per_response: IDL.Opt(IDL.Nat64),
    trigger_threshold: IDL.Nat64,
    max_message_size_bytes: IDL.Opt(IDL.Nat64),
    cycles_for_archive_creation: IDL.Opt(IDL.Nat64),
    node_max_memory_size_bytes: IDL.Opt(IDL.Nat64),
    controller_id: IDL.Principal,
    more_controller_ids: IDL.Opt(IDL.Vec(IDL.Principal)),
  }),
  index_principal: IDL.Opt(IDL.Principal),
});

export const LEDGER_ARG = IDL.Variant({ Init: INIT, Upgrade: IDL.Opt(IDL.Record({})) });

export const TRANSFER_ARG = IDL.Record({
  to: ACCOUNT,
  amount: IDL.Nat,
  from_subaccount: IDL.Opt(BLOB),
  fee: IDL.Opt(IDL.Nat),
  memo: IDL.Opt(BLOB),
  created_at_time: IDL.Opt(IDL.Nat64),
});

export const TRANSFER_RESULT = IDL.Variant({
  Ok: IDL.Nat,
  Err: IDL.Variant({
    BadFee: IDL.Record({ expected_fee: IDL.Nat }),
    BadBurn: IDL.Record({ min_burn_amount: IDL.Nat }),
    InsufficientFunds: IDL.Record({ balance: IDL.Nat }),
    TooOld: IDL.Null,
    CreatedInFuture: IDL.Record({ ledger_time: IDL.Nat64 }),
    TemporarilyUnavailable: IDL.Null,
    Duplicate: IDL.Record({ duplicate_of: IDL.Nat }),
    GenericError: IDL.Record({ error_code: IDL.Nat, message: IDL.Text }),
  }),
});
