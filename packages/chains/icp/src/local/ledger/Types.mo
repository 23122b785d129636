// The interface of ICRC-1, ICRC-2 and ICRC-3 ledgers, and what a ledger is installed with.
module {
  public type Subaccount = Blob;
  public type Account = { owner : Principal; subaccount : ?Subaccount };
  public type Timestamp = Nat64;
  public type MetadataValue = { #Nat : Nat; #Int : Int; #Text : Text; #Blob : Blob };

  public type TransferArg = {
    from_subaccount : ?Subaccount;
    to : Account;
    amount : Nat;
    fee : ?Nat;
    memo : ?Blob;
    created_at_time : ?Timestamp;
  };
  public type TransferFromArgs = {
    spender_subaccount : ?Subaccount;
    from : Account;
    to : Account;
    amount : Nat;
    fee : ?Nat;
    memo : ?Blob;
    created_at_time : ?Timestamp;
  };
  public type ApproveArgs = {
    from_subaccount : ?Subaccount;
    spender : Account;
    amount : Nat;
    expected_allowance : ?Nat;
    expires_at : ?Timestamp;
    fee : ?Nat;
    memo : ?Blob;
    created_at_time : ?Timestamp;
  };

  /// What can be wrong with the time of a transaction.
  public type TimeError = {
    #TooOld;
    #CreatedInFuture : { ledger_time : Timestamp };
    #Duplicate : { duplicate_of : Nat };
  };
  public type TransferError = TimeError or {
    #BadFee : { expected_fee : Nat };
    #BadBurn : { min_burn_amount : Nat };
    #InsufficientFunds : { balance : Nat };
    #TemporarilyUnavailable;
    #GenericError : { error_code : Nat; message : Text };
  };
  public type TransferFromError = TransferError or { #InsufficientAllowance : { allowance : Nat } };
  public type ApproveError = TimeError or {
    #BadFee : { expected_fee : Nat };
    #InsufficientFunds : { balance : Nat };
    #AllowanceChanged : { current_allowance : Nat };
    #Expired : { ledger_time : Timestamp };
    #TemporarilyUnavailable;
    #GenericError : { error_code : Nat; message : Text };
  };
  public type Outcome<Error> = { #Ok : Nat; #Err : Error };
  public type Allowance = { allowance : Nat; expires_at : ?Timestamp };

  /// The part that this ledger knows of what the ledgers of the Internet Computer are installed with.
  public type InitArgs = {
    minting_account : Account;
    transfer_fee : Nat;
    decimals : ?Nat8;
    max_memo_length : ?Nat16;
    token_symbol : Text;
    token_name : Text;
    metadata : [(Text, MetadataValue)];
    initial_balances : [(Account, Nat)];
    archive_options : { num_blocks_to_archive : Nat64; trigger_threshold : Nat64 };
  };
  public type LedgerArg = { #Init : InitArgs; #Upgrade : ?{} };
};
