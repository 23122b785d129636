// The ledger's log: which blocks it holds itself, where the older ones are, and which transactions it has seen before.
import Array "mo:core/Array";
import Blob "mo:core/Blob";
import CertifiedData "mo:core/CertifiedData";
import List "mo:core/List";
import Map "mo:core/Map";
import Nat64 "mo:core/Nat64";
import Queue "mo:core/Queue";
import Blocks "Blocks";
import Types "Types";

module {
  type Seen = { hash : Blob; until : Nat64 };

  public type Log = {
    /// The blocks from number `first` on.
    var blocks : List.List<Blocks.Value>;
    var first : Nat;
    var tip : ?Blocks.Tip;
    seen : Map.Map<Blob, Nat>;
    seenQueue : Queue.Queue<Seen>;
  };

  /// How long a transaction is known again by its time, and how far clocks may differ.
  let window : Nat64 = 86_400_000_000_000;
  let drift : Nat64 = 60_000_000_000;

  public func empty() : Log {
    {
      var blocks = List.empty<Blocks.Value>();
      var first = 0;
      var tip = null;
      seen = Map.empty<Blob, Nat>();
      seenQueue = Queue.empty<Seen>();
    };
  };

  public func length(log : Log) : Nat { log.first + List.size(log.blocks) };

  /// What is wrong with the transaction's time, if it has one.
  public func timeError(log : Log, tx : Blocks.Value, created : ?Nat64, now : Nat64) : ?Types.TimeError {
    let ?time = created else return null;
    forget(log, now);
    if (time + window + drift < now) return ?#TooOld;
    if (time > now + drift) return ?#CreatedInFuture({ ledger_time = now });
    switch (Map.get(log.seen, Blob.compare, Blocks.hash(tx))) {
      case (?duplicate_of) ?#Duplicate({ duplicate_of });
      case null null;
    };
  };

  /// Adds a block with the transaction, and with what the block says beside it, and certifies it as the tip. Returns its number.
  public func append(log : Log, tx : Blocks.Value, beside : [(Text, Blocks.Value)], created : ?Nat64, now : Nat64) : Nat {
    let parent : [(Text, Blocks.Value)] = switch (log.tip) {
      case null [];
      case (?{ hash }) [("phash", #Blob(hash))];
    };
    let block = #Map(Array.flatten<(Text, Blocks.Value)>([parent, beside, [("ts", #Nat(Nat64.toNat(now))), ("tx", tx)]]));
    let index = length(log);
    List.add(log.blocks, block);
    let tip = { index; hash = Blocks.hash(block) };
    log.tip := ?tip;
    CertifiedData.set(Blocks.tipRoot(tip));
    switch created {
      case null {};
      case (?time) {
        let hash = Blocks.hash(tx);
        Map.add(log.seen, Blob.compare, hash, index);
        Queue.pushBack(log.seenQueue, { hash; until = time + window + drift });
      };
    };
    index;
  };

  /// The oldest blocks, when there are more of them than `trigger`.
  public func due(log : Log, trigger : Nat, count : Nat) : [Blocks.Value] {
    if (List.size(log.blocks) <= trigger) [] else List.sliceToArray(log.blocks, 0, count);
  };

  /// Drops the first blocks, which an archive has.
  public func drop(log : Log, count : Nat) {
    log.blocks := List.fromArray(List.sliceToArray(log.blocks, count, List.size(log.blocks)));
    log.first += count;
  };

  /// Times are not in order in the queue; one that is late only stays longer, and is too old before it is a duplicate.
  func forget(log : Log, now : Nat64) {
    label old loop {
      switch (Queue.peekFront(log.seenQueue)) {
        case (?{ hash; until }) {
          if (until >= now) break old;
          ignore Queue.popFront(log.seenQueue);
          Map.remove(log.seen, Blob.compare, hash);
        };
        case null break old;
      };
    };
  };
};
