// Balances and allowances, by account. An account without a subaccount is the one whose subaccount is 32 zero bytes.
import Blob "mo:core/Blob";
import Map "mo:core/Map";
import Nat8 "mo:core/Nat8";
import Principal "mo:core/Principal";
import Runtime "mo:core/Runtime";
import Blocks "Blocks";
import Types "Types";

module {
  type Account = Types.Account;

  public type Accounts = {
    balances : Map.Map<Blob, Nat>;
    allowances : Map.Map<Blob, Types.Allowance>;
    var supply : Nat;
  };

  public func empty() : Accounts {
    { balances = Map.empty<Blob, Nat>(); allowances = Map.empty<Blob, Types.Allowance>(); var supply = 0 };
  };

  let zeros : Blob = "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00";

  /// The account with its default subaccount left out. Traps on a subaccount of another length.
  public func normal({ owner; subaccount } : Account) : Account {
    switch subaccount {
      case null { { owner; subaccount } };
      case (?bytes) {
        if (bytes.size() != 32) Runtime.trap("a subaccount has 32 bytes");
        { owner; subaccount = if (bytes == zeros) null else subaccount };
      };
    };
  };

  public func keyOf(account : Account) : Blob {
    let owner = Principal.toBlob(account.owner);
    let size = Blob.fromArray([Nat8.fromNat(owner.size())]);
    let subaccount = switch (normal(account).subaccount) { case null zeros; case (?bytes) bytes };
    Blocks.joined([size, owner, subaccount]);
  };

  public func same(one : Account, other : Account) : Bool { keyOf(one) == keyOf(other) };

  public func balanceOf(accounts : Accounts, account : Account) : Nat {
    switch (Map.get(accounts.balances, Blob.compare, keyOf(account))) { case null 0; case (?balance) balance };
  };

  public func credit(accounts : Accounts, account : Account, amount : Nat) {
    Map.add(accounts.balances, Blob.compare, keyOf(account), balanceOf(accounts, account) + amount);
    accounts.supply += amount;
  };

  /// The balance covers the amount: who calls has looked.
  public func debit(accounts : Accounts, account : Account, amount : Nat) {
    let left = balanceOf(accounts, account) - amount : Nat;
    if (left == 0) Map.remove(accounts.balances, Blob.compare, keyOf(account)) else {
      Map.add(accounts.balances, Blob.compare, keyOf(account), left);
    };
    accounts.supply -= amount;
  };

  public func allowanceOf(accounts : Accounts, owner : Account, spender : Account, now : Nat64) : Types.Allowance {
    let none = { allowance = 0; expires_at = null };
    switch (Map.get(accounts.allowances, Blob.compare, pairOf(owner, spender))) {
      case null none;
      case (?found) {
        switch (found.expires_at) {
          case (?end) if (end <= now) none else found;
          case null found;
        };
      };
    };
  };

  public func allow(accounts : Accounts, owner : Account, spender : Account, allowance : Types.Allowance) {
    Map.add(accounts.allowances, Blob.compare, pairOf(owner, spender), allowance);
  };

  func pairOf(owner : Account, spender : Account) : Blob { Blocks.joined([keyOf(owner), keyOf(spender)]) };

  public func valueOf(account : Account) : Blocks.Value {
    let owner = #Blob(Principal.toBlob(account.owner));
    switch (normal(account).subaccount) {
      case null #Array([owner]);
      case (?bytes) #Array([owner, #Blob(bytes)]);
    };
  };
};
