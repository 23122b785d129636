// Blocks as ICRC-3 has them: values, their hashes, and the certified tip of the log.
import Array "mo:core/Array";
import Blob "mo:core/Blob";
import Int "mo:core/Int";
import List "mo:core/List";
import Nat "mo:core/Nat";
import Nat8 "mo:core/Nat8";
import Text "mo:core/Text";
import Sha256 "Sha256";

module {
  public type Value = {
    #Blob : Blob;
    #Text : Text;
    #Nat : Nat;
    #Int : Int;
    #Array : [Value];
    #Map : [(Text, Value)];
  };

  public type Range = { start : Nat; length : Nat };
  public type Numbered = { id : Nat; block : Value };
  public type GetBlocks = shared query [Range] -> async BlocksResult;
  public type BlocksResult = {
    log_length : Nat;
    blocks : [Numbered];
    archived_blocks : [{ args : [Range]; callback : GetBlocks }];
  };

  /// One answer has at most this many blocks.
  public let mostBlocks = 100;

  /// The hash of a value that does not depend on how the value is encoded.
  public func hash(value : Value) : Blob {
    switch (value) {
      case (#Blob(bytes)) Sha256.hash(bytes);
      case (#Text(text)) Sha256.hash(Text.encodeUtf8(text));
      case (#Nat(nat)) Sha256.hash(leb128(nat));
      case (#Int(int)) Sha256.hash(sleb128(int));
      case (#Array(values)) Sha256.hash(joined(Array.map<Value, Blob>(values, hash)));
      case (#Map(entries)) {
        let hashed = Array.map<(Text, Value), Blob>(
          entries,
          func((name, entry)) { joined([Sha256.hash(Text.encodeUtf8(name)), hash(entry)]) },
        );
        Sha256.hash(joined(Array.sort(hashed, Blob.compare)));
      };
    };
  };

  public func leb128(value : Nat) : Blob {
    let bytes = List.empty<Nat8>();
    var rest = value;
    loop {
      let low = rest % 128;
      rest /= 128;
      List.add(bytes, Nat8.fromNat(if (rest == 0) low else low + 128));
    } while (rest > 0);
    Blob.fromArray(List.toArray(bytes));
  };

  func sleb128(value : Int) : Blob {
    let bytes = List.empty<Nat8>();
    var rest = value;
    label bits loop {
      let low = Int.abs((rest % 128 + 128) % 128);
      rest := (rest - low) / 128;
      let done = (rest == 0 and low < 64) or (rest == -1 and low >= 64);
      List.add(bytes, Nat8.fromNat(if done low else low + 128));
      if done break bits;
    };
    Blob.fromArray(List.toArray(bytes));
  };

  public func joined(parts : [Blob]) : Blob {
    Blob.fromArray(Array.flatten(Array.map<Blob, [Nat8]>(parts, Blob.toArray)));
  };

  /// The hash tree of the tip: what the ledger certifies, and its form in CBOR.
  public type Tip = { index : Nat; hash : Blob };
  let hashLabel : Blob = "last_block_hash";
  let indexLabel : Blob = "last_block_index";

  public func tipRoot({ index; hash } : Tip) : Blob {
    let left = labeled(hashLabel, hash);
    let right = labeled(indexLabel, leb128(index));
    tagged("ic-hashtree-fork", [left, right]);
  };

  public func tipTree({ index; hash } : Tip) : Blob {
    let left = joined(["\83\02", cborBytes(hashLabel), "\82\03", cborBytes(hash)]);
    let right = joined(["\83\02", cborBytes(indexLabel), "\82\03", cborBytes(leb128(index))]);
    joined(["\d9\d9\f7\83\01", left, right]);
  };

  func labeled(name : Blob, leaf : Blob) : Blob {
    tagged("ic-hashtree-labeled", [name, tagged("ic-hashtree-leaf", [leaf])]);
  };

  func tagged(domain : Text, parts : [Blob]) : Blob {
    let name = Text.encodeUtf8(domain);
    Sha256.hash(joined([Blob.fromArray([Nat8.fromNat(name.size())]), name, joined(parts)]));
  };

  func cborBytes(bytes : Blob) : Blob {
    let size = Nat8.fromNat(bytes.size());
    joined([Blob.fromArray(if (size < 24) [0x40 + size] else [0x58, size]), bytes]);
  };

  /// The blocks of `list`, whose first one is number `first`, that lie in the ranges.
  public func inRanges(list : List.List<Value>, first : Nat, ranges : [Range]) : [Numbered] {
    let found = List.empty<Numbered>();
    for ({ start; length } in ranges.values()) {
      var id = Nat.max(start, first);
      let end = Nat.min(start + length, first + List.size(list));
      while (id < end and List.size(found) < mostBlocks) {
        List.add(found, { id; block = List.at(list, id - first : Nat) });
        id += 1;
      };
    };
    List.toArray(found);
  };
};
