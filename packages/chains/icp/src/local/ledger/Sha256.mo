// SHA-256 over bytes.
import Array "mo:core/Array";
import Blob "mo:core/Blob";
import Nat8 "mo:core/Nat8";
import Nat32 "mo:core/Nat32";
import VarArray "mo:core/VarArray";

module {
  let constants : [Nat32] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ];

  public func hash(message : Blob) : Blob {
    let bytes = padded(Blob.toArray(message));
    let state : [var Nat32] = [
      var 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ];
    let words = VarArray.repeat<Nat32>(0, 64);
    var start = 0;
    while (start < bytes.size()) {
      compress(state, words, bytes, start);
      start += 64;
    };
    Blob.fromArray(Array.flatten(Array.tabulate<[Nat8]>(8, func(i) { bytesOf(state[i]) })));
  };

  func bytesOf(word : Nat32) : [Nat8] {
    let (a, b, c, d) = Nat32.explode(word);
    [a, b, c, d];
  };

  /// The message, a one bit, zeros, and the message's length in bits.
  func padded(bytes : [Nat8]) : [Nat8] {
    let size = bytes.size();
    let total = ((size + 8) / 64 + 1) * 64;
    let bits = size * 8;
    Array.tabulate<Nat8>(
      total,
      func(i) {
        if (i < size) { bytes[i] } else if (i == size) { 0x80 } else if (i + 8 < total) { 0 } else {
          Nat8.fromNat(bits / 256 ** (total - 1 - i : Nat) % 256);
        };
      },
    );
  };

  func compress(state : [var Nat32], words : [var Nat32], bytes : [Nat8], start : Nat) {
    var i = 0;
    while (i < 16) {
      let at = start + i * 4;
      words[i] := byte(bytes[at]) << 24 | byte(bytes[at + 1]) << 16 | byte(bytes[at + 2]) << 8 | byte(bytes[at + 3]);
      i += 1;
    };
    while (i < 64) {
      let (early, late) = (words[i - 15 : Nat], words[i - 2 : Nat]);
      let small0 = (early <>> 7) ^ (early <>> 18) ^ (early >> 3);
      let small1 = (late <>> 17) ^ (late <>> 19) ^ (late >> 10);
      words[i] := words[i - 16 : Nat] +% small0 +% words[i - 7 : Nat] +% small1;
      i += 1;
    };
    var a = state[0];
    var b = state[1];
    var c = state[2];
    var d = state[3];
    var e = state[4];
    var f = state[5];
    var g = state[6];
    var h = state[7];
    i := 0;
    while (i < 64) {
      let big1 = (e <>> 6) ^ (e <>> 11) ^ (e <>> 25);
      let choice = (e & f) ^ ((^e) & g);
      let first = h +% big1 +% choice +% constants[i] +% words[i];
      let big0 = (a <>> 2) ^ (a <>> 13) ^ (a <>> 22);
      let majority = (a & b) ^ (a & c) ^ (b & c);
      h := g;
      g := f;
      f := e;
      e := d +% first;
      d := c;
      c := b;
      b := a;
      a := first +% big0 +% majority;
      i += 1;
    };
    i := 0;
    for (word in [a, b, c, d, e, f, g, h].values()) {
      state[i] +%= word;
      i += 1;
    };
  };

  func byte(value : Nat8) : Nat32 { Nat32.fromNat(Nat8.toNat(value)) };
};
