// Keeps the oldest blocks of one ledger, which alone may add to them.
import List "mo:core/List";
import Principal "mo:core/Principal";
import Runtime "mo:core/Runtime";
import Blocks "Blocks";

persistent actor class Archive(ledger : Principal) {
  let blocks = List.empty<Blocks.Value>();

  /// Takes the blocks from number `first` on. Blocks that are there already are left as they are, so a repeat is harmless.
  public shared ({ caller }) func append_blocks(first : Nat, added : [Blocks.Value]) : async () {
    if (caller != ledger) Runtime.trap("only the ledger adds blocks");
    if (first > List.size(blocks)) Runtime.trap("blocks are missing before these");
    var id = first;
    for (block in added.values()) {
      if (id == List.size(blocks)) List.add(blocks, block);
      id += 1;
    };
  };

  public query func icrc3_get_blocks(ranges : [Blocks.Range]) : async Blocks.BlocksResult {
    { log_length = List.size(blocks); blocks = Blocks.inRanges(blocks, 0, ranges); archived_blocks = [] };
  };
};
