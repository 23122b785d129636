// A token ledger by ICRC-1, ICRC-2 and ICRC-3, for the local Internet Computer. Its blocks have the form that the ledgers
// of ckUSDC and other chain-key tokens give them. It is installed with the same arguments as those.
import Array "mo:core/Array";
import CertifiedData "mo:core/CertifiedData";
import Nat "mo:core/Nat";
import Nat16 "mo:core/Nat16";
import Nat64 "mo:core/Nat64";
import Nat8 "mo:core/Nat8";
import Option "mo:core/Option";
import Principal "mo:core/Principal";
import Runtime "mo:core/Runtime";
import Time "mo:core/Time";
import Timer "mo:core/Timer";
import Accounts "Accounts";
import Blocks "Blocks";
import Log "Log";
import Types "Types";

persistent actor class Ledger(arg : Types.LedgerArg) {
  type Account = Types.Account;
  type Fields = [(Text, Blocks.Value)];
  type ArchiveActor = actor {
    append_blocks : shared (Nat, [Blocks.Value]) -> async ();
    icrc3_get_blocks : Blocks.GetBlocks;
  };

  let init : Types.InitArgs = switch arg {
    case (#Init(given)) given;
    case (#Upgrade(_)) Runtime.trap("this ledger is installed once and never upgraded");
  };

  func named(name : Text) : ?Types.MetadataValue {
    for ((key, value) in init.metadata.values()) { if (key == name) return ?value };
    null;
  };

  let minting = Accounts.normal(init.minting_account);
  let fee = init.transfer_fee;
  let mostMemo = switch (init.max_memo_length) { case null 32; case (?most) Nat16.toNat(most) };
  let accounts = Accounts.empty();
  let log = Log.empty();
  /// The canister that takes old blocks is named in the metadata: this ledger cannot create one.
  let archive : ?Principal = switch (named("local:archive")) { case (?#Blob(id)) ?Principal.fromBlob(id); case _ null };
  /// Whether blocks say their kind by `btype`, as ICRC-3 has it, or by the `op` of their transaction, as older ledgers do.
  let typed : Bool = named("local:typed-blocks") != null;
  var archiving = false;

  // ICRC-1

  public query func icrc1_name() : async Text { init.token_name };
  public query func icrc1_symbol() : async Text { init.token_symbol };
  public query func icrc1_decimals() : async Nat8 { decimals() };
  public query func icrc1_fee() : async Nat { fee };
  public query func icrc1_total_supply() : async Nat { accounts.supply };
  public query func icrc1_minting_account() : async ?Account { ?minting };
  public query func icrc1_balance_of(account : Account) : async Nat { Accounts.balanceOf(accounts, account) };
  public query func icrc1_metadata() : async [(Text, Types.MetadataValue)] {
    [
      ("icrc1:name", #Text(init.token_name)),
      ("icrc1:symbol", #Text(init.token_symbol)),
      ("icrc1:decimals", #Nat(Nat8.toNat(decimals()))),
      ("icrc1:fee", #Nat(fee)),
      ("icrc1:max_memo_length", #Nat(mostMemo)),
    ];
  };
  public query func icrc1_supported_standards() : async [{ name : Text; url : Text }] { standards };
  public query func icrc10_supported_standards() : async [{ name : Text; url : Text }] { standards };

  public shared ({ caller }) func icrc1_transfer(asked : Types.TransferArg) : async Types.Outcome<Types.TransferError> {
    let from = Accounts.normal({ owner = caller; subaccount = asked.from_subaccount });
    let outcome = move({ asked with from; spender = null });
    archiveSoon<system>();
    outcome;
  };

  // ICRC-2

  public query func icrc2_allowance({ account; spender } : { account : Account; spender : Account }) : async Types.Allowance {
    Accounts.allowanceOf(accounts, account, spender, now());
  };

  public shared ({ caller }) func icrc2_approve(asked : Types.ApproveArgs) : async Types.Outcome<Types.ApproveError> {
    let from = Accounts.normal({ owner = caller; subaccount = asked.from_subaccount });
    let spender = Accounts.normal(asked.spender);
    checkMemo(asked.memo);
    if (caller == spender.owner) Runtime.trap("nobody approves for itself");
    if (Accounts.same(from, minting)) Runtime.trap("the minting account approves nothing");
    if (Option.get(asked.fee, fee) != fee) return #Err(#BadFee({ expected_fee = fee }));
    switch (asked.expires_at) {
      case (?end) if (end <= now()) return #Err(#Expired({ ledger_time = now() }));
      case null {};
    };
    let tx = txOf("approve", asked.amount, [("from", ?Accounts.valueOf(from)), ("spender", ?Accounts.valueOf(spender)), ("expected_allowance", natOf(asked.expected_allowance)), ("expires_at", timeOf(asked.expires_at))], asked);
    switch (Log.timeError(log, tx, asked.created_at_time, now())) { case (?error) return #Err(error); case null {} };
    let balance = Accounts.balanceOf(accounts, from);
    if (balance < fee) return #Err(#InsufficientFunds({ balance }));
    let current_allowance = Accounts.allowanceOf(accounts, from, spender, now()).allowance;
    if (Option.get(asked.expected_allowance, current_allowance) != current_allowance) {
      return #Err(#AllowanceChanged({ current_allowance }));
    };
    Accounts.debit(accounts, from, fee);
    Accounts.allow(accounts, from, spender, { allowance = asked.amount; expires_at = asked.expires_at });
    let index = Log.append(log, tx, beside("2approve", chargedFee(asked.fee)), asked.created_at_time, now());
    archiveSoon<system>();
    #Ok(index);
  };

  public shared ({ caller }) func icrc2_transfer_from(asked : Types.TransferFromArgs) : async Types.Outcome<Types.TransferFromError> {
    let spender = Accounts.normal({ owner = caller; subaccount = asked.spender_subaccount });
    let from = Accounts.normal(asked.from);
    let own = Accounts.same(spender, from);
    let { allowance; expires_at } = Accounts.allowanceOf(accounts, from, spender, now());
    let needed = asked.amount + (if (Accounts.same(asked.to, minting)) 0 else fee);
    let outcome = moveIf({ asked with from; spender = if own null else ?spender }, own or allowance >= needed);
    archiveSoon<system>();
    switch outcome {
      case (#Ok(index)) {
        if (not own) Accounts.allow(accounts, from, spender, { allowance = allowance - needed : Nat; expires_at });
        #Ok(index);
      };
      case (#Err(?error)) #Err(error);
      case (#Err(null)) #Err(#InsufficientAllowance({ allowance }));
    };
  };

  // ICRC-3

  public query func icrc3_get_blocks(ranges : [Blocks.Range]) : async Blocks.BlocksResult {
    let blocks = Blocks.inRanges(log.blocks, log.first, ranges);
    let older = Array.filterMap<Blocks.Range, Blocks.Range>(
      ranges,
      func({ start; length }) {
        let end = Nat.min(start + length, log.first);
        if (start < end) ?{ start; length = end - start : Nat } else null;
      },
    );
    let archived_blocks = switch archive {
      case (?id) if (older.size() == 0) [] else {
        [{ args = older; callback = (actor (Principal.toText(id)) : ArchiveActor).icrc3_get_blocks }];
      };
      case null [];
    };
    { log_length = Log.length(log); blocks; archived_blocks };
  };

  public query func icrc3_get_archives({ from } : { from : ?Principal }) : async [{ canister_id : Principal; start : Nat; end : Nat }] {
    switch archive {
      case (?canister_id) if (log.first == 0 or from == ?canister_id) [] else {
        [{ canister_id; start = 0; end = log.first - 1 : Nat }];
      };
      case null [];
    };
  };

  public query func icrc3_get_tip_certificate() : async ?{ certificate : Blob; hash_tree : Blob } {
    let ?tip = log.tip else return null;
    let ?certificate = CertifiedData.getCertificate() else return null;
    ?{ certificate; hash_tree = Blocks.tipTree(tip) };
  };

  public query func icrc3_supported_block_types() : async [{ block_type : Text; url : Text }] {
    Array.map<Text, { block_type : Text; url : Text }>(
      ["1burn", "1mint", "1xfer", "2approve", "2xfer"],
      func(block_type) { { block_type; url = "https://github.com/dfinity/ICRC-1/blob/main/standards/ICRC-3/README.md" } },
    );
  };

  // How money moves

  type Move = {
    from : Account;
    spender : ?Account;
    to : Account;
    amount : Nat;
    fee : ?Nat;
    memo : ?Blob;
    created_at_time : ?Nat64;
  };

  func move(asked : Move) : Types.Outcome<Types.TransferError> {
    switch (moveIf(asked, true)) {
      case (#Ok(index)) #Ok(index);
      case (#Err(?error)) #Err(error);
      case (#Err(null)) Runtime.unreachable();
    };
  };

  /// Moves the amount if that is allowed; an error of null says that it is not.
  func moveIf(asked : Move, allowed : Bool) : Types.Outcome<?Types.TransferError> {
    let to = Accounts.normal(asked.to);
    checkMemo(asked.memo);
    let mints = Accounts.same(asked.from, minting);
    let burns = Accounts.same(to, minting);
    if (mints and burns) return #Err(?#GenericError({ error_code = 1; message = "the minting account pays nothing to itself" }));
    let expected_fee = if (mints or burns) 0 else fee;
    if (Option.get(asked.fee, expected_fee) != expected_fee) return #Err(?#BadFee({ expected_fee }));
    if (burns and asked.amount < fee) return #Err(?#BadBurn({ min_burn_amount = fee }));
    let (op, parties) = if mints { ("mint", [("to", ?Accounts.valueOf(to))]) } else if burns {
      ("burn", [("from", ?Accounts.valueOf(asked.from)), ("spender", spenderOf(asked.spender))]);
    } else {
      ("xfer", [("from", ?Accounts.valueOf(asked.from)), ("to", ?Accounts.valueOf(to)), ("spender", spenderOf(asked.spender))]);
    };
    let tx = txOf(op, asked.amount, parties, asked);
    switch (Log.timeError(log, tx, asked.created_at_time, now())) { case (?error) return #Err(?error); case null {} };
    if (not allowed) return #Err(null);
    if mints return #Ok(mint(to, asked.amount, tx, asked.created_at_time));
    let balance = Accounts.balanceOf(accounts, asked.from);
    if (balance < asked.amount + expected_fee) return #Err(?#InsufficientFunds({ balance }));
    Accounts.debit(accounts, asked.from, asked.amount + expected_fee);
    if (not burns) Accounts.credit(accounts, to, asked.amount);
    let kind = if burns "1burn" else if (asked.spender == null) "1xfer" else "2xfer";
    #Ok(Log.append(log, tx, beside(kind, if burns null else chargedFee(asked.fee)), asked.created_at_time, now()));
  };

  func mint(to : Account, amount : Nat, tx : Blocks.Value, created : ?Nat64) : Nat {
    Accounts.credit(accounts, to, amount);
    Log.append(log, tx, beside("1mint", null), created, now());
  };

  func beside(kind : Text, charged : ?Nat) : Fields {
    let kinds : Fields = if typed [("btype", #Text(kind))] else [];
    switch charged { case null kinds; case (?nat) Array.concat<(Text, Blocks.Value)>(kinds, [("fee", #Nat(nat))]) };
  };

  /// The block says the fee where the transaction does not.
  func chargedFee(named : ?Nat) : ?Nat { if (named == null) ?fee else null };

  func txOf(
    op : Text,
    amount : Nat,
    parties : [(Text, ?Blocks.Value)],
    { fee; memo; created_at_time } : { fee : ?Nat; memo : ?Blob; created_at_time : ?Nat64 },
  ) : Blocks.Value {
    let memoValue : ?Blocks.Value = switch memo { case null null; case (?bytes) ?#Blob(bytes) };
    let rest : [(Text, ?Blocks.Value)] = [("fee", natOf(fee)), ("memo", memoValue), ("ts", timeOf(created_at_time))];
    let there = Array.filterMap<(Text, ?Blocks.Value), (Text, Blocks.Value)>(
      Array.concat(parties, rest),
      func((name, value)) { switch value { case null null; case (?known) ?(name, known) } },
    );
    let kind : Fields = if typed [] else [("op", #Text(op))];
    #Map(Array.flatten<(Text, Blocks.Value)>([kind, [("amt", #Nat(amount))], there]));
  };

  func natOf(nat : ?Nat) : ?Blocks.Value { switch nat { case null null; case (?there) ?#Nat(there) } };
  func timeOf(time : ?Nat64) : ?Blocks.Value { switch time { case null null; case (?there) ?#Nat(Nat64.toNat(there)) } };
  func spenderOf(spender : ?Account) : ?Blocks.Value { switch spender { case null null; case (?there) ?Accounts.valueOf(there) } };

  func checkMemo(memo : ?Blob) {
    switch memo { case (?bytes) if (bytes.size() > mostMemo) Runtime.trap("the memo is too long"); case null {} };
  };

  func now() : Nat64 { Nat64.fromIntWrap(Time.now()) };
  func decimals() : Nat8 { Option.get(init.decimals, 8 : Nat8) };

  // Archiving

  /// Old blocks move after the answer is given.
  func archiveSoon<system>() {
    if (archiving or archive == null or dueBlocks().size() == 0) return;
    archiving := true;
    ignore Timer.setTimer<system>(#nanoseconds 1, archiveDue);
  };

  func archiveDue() : async () {
    let ?id = archive else return;
    try {
      var due = dueBlocks();
      while (due.size() > 0) {
        await (actor (Principal.toText(id)) : ArchiveActor).append_blocks(log.first, due);
        Log.drop(log, due.size());
        due := dueBlocks();
      };
    } finally { archiving := false };
  };

  func dueBlocks() : [Blocks.Value] {
    let { num_blocks_to_archive; trigger_threshold } = init.archive_options;
    Log.due(log, Nat64.toNat(trigger_threshold), Nat64.toNat(num_blocks_to_archive));
  };

  transient let standards = Array.map<Text, { name : Text; url : Text }>(
    ["ICRC-1", "ICRC-2", "ICRC-3", "ICRC-10"],
    func(name) { { name; url = "https://github.com/dfinity/ICRC-1" } },
  );

  for ((given, amount) in init.initial_balances.values()) {
    let to = Accounts.normal(given);
    let none = { fee = null; memo = null; created_at_time = null };
    ignore mint(to, amount, txOf("mint", amount, [("to", ?Accounts.valueOf(to))], none), null);
  };
};
