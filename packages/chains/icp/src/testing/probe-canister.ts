// Small canisters of tests. The probe counts, traps on demand, sets timers and calls other canisters; it has 64-bit memory.
import { compileMotoko } from '../local/motoko/compile-motoko.ts';

const PROBE = `
import Array "mo:core/Array";
import Int "mo:core/Int";
import Runtime "mo:core/Runtime";
import Region "mo:core/Region";
import Principal "mo:core/Principal";
import Time "mo:core/Time";
import Timer "mo:core/Timer";
import CertifiedData "mo:core/CertifiedData";

persistent actor class Probe(start : Nat) {
  var count : Nat = start;
  var kept : [Nat] = [];
  let region = Region.new();
  ignore Region.grow(region, 1);

  public query func get() : async Nat { count };
  public func add(by : Nat) : async Nat { count += by; count };
  public query func addInQuery(by : Nat) : async Nat {
    count += by;
    kept := Array.tabulate<Nat>(400_000, func(i) { i });
    count
  };
  public func addThenTrap(by : Nat) : async Nat {
    count += by;
    Region.storeNat64(region, 0, 77);
    kept := Array.tabulate<Nat>(400_000, func(i) { i });
    CertifiedData.set("forgotten");
    Runtime.trap("as asked")
  };
  public func store(value : Nat64) : async () { Region.storeNat64(region, 0, value) };
  public query func stored() : async Nat64 { Region.loadNat64(region, 0) };
  public func certify(data : Blob) : async () { CertifiedData.set(data) };
  public query func certificate() : async ?Blob { CertifiedData.getCertificate() };
  public func addIn(seconds : Nat) : async () {
    ignore Timer.setTimer<system>(#seconds seconds, func() : async () { count += 1 });
  };
  public shared ({ caller }) func whoami() : async Principal { caller };
  public func addAt(other : Principal, by : Nat) : async Nat {
    let peer = actor (Principal.toText(other)) : actor { add : shared Nat -> async Nat };
    count += 1;
    await peer.add(by)
  };
  public func trapAfterCall(other : Principal) : async Nat {
    let peer = actor (Principal.toText(other)) : actor { add : shared Nat -> async Nat };
    count += 10;
    ignore await peer.add(1);
    count += 1_000;
    Runtime.trap("after the call")
  };
  public func catchAt(other : Principal) : async Text {
    let peer = actor (Principal.toText(other)) : actor { addThenTrap : shared Nat -> async Nat };
    try { ignore await peer.addThenTrap(5); "no error" } catch (_) { count += 1; "caught" }
  };
  public func spin() : async () { loop { count += Int.abs(Time.now()) } };
};
`;

export const probeWasm = () => compileMotoko({ 'Probe.mo': PROBE }, 'Probe.mo', 'wide');

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/**
 * A module with 32-bit memory that counts in a global which it does not export: `canister_update inc`,
 * `canister_update incThenTrap` and `canister_query get`, which answer the count as four bytes.
 */
export function globalCounterWasm(): Uint8Array {
  const name = (text: string) => [text.length, ...Buffer.from(text)];
  const section = (id: number, body: readonly number[]) => [id, body.length, ...body];
  const code = (...body: number[]) => [body.length + 2, 0, ...body, 0x0b];
  const increment = [0x23, 0, 0x41, 1, 0x6a, 0x24, 0];
  const exported = (text: string, index: number) => [...name(text), 0, index];
  return Uint8Array.from([
    ...MAGIC,
    ...section(1, [2, 0x60, 0, 0, 0x60, 2, 0x7f, 0x7f, 0]),
    ...section(2, [
      2,
      ...name('ic0'),
      ...name('msg_reply'),
      0,
      0,
      ...name('ic0'),
      ...name('msg_reply_data_append'),
      0,
      1,
    ]),
    ...section(3, [3, 0, 0, 0]),
    ...section(5, [1, 0, 1]),
    ...section(6, [1, 0x7f, 1, 0x41, 0, 0x0b]),
    ...section(7, [
      3,
      ...exported('canister_update inc', 2),
      ...exported('canister_update incThenTrap', 3),
      ...exported('canister_query get', 4),
    ]),
    ...section(10, [
      3,
      ...code(...increment, 0x10, 4),
      ...code(...increment, 0x00),
      ...code(0x41, 0, 0x23, 0, 0x36, 2, 0, 0x41, 0, 0x41, 4, 0x10, 1, 0x10, 0),
    ]),
  ]);
}
