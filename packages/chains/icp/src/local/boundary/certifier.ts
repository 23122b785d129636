// Signs the state as a subnet of the Internet Computer does: a BLS12-381 signature over the root of the hash tree, under a
// subnet key for which the root key vouches by a certificate of its own.
import { Cbor } from '@icp-sdk/core/agent';
import { Principal } from '@icp-sdk/core/principal';
import { leb128 } from '@svc-pay/protocol/icp';
import type { BoundaryFaults } from './faults.ts';
import { BuiltTree, labelOf, labels, type State, type StatePath } from './hash-tree.ts';
import { type BlsKey, domain, drawBlsKey } from './keys.ts';

export type Certifier = {
  readonly rootKey: Uint8Array;
  readonly subnetId: Uint8Array;
  readonly subnetKey: Uint8Array;
  /** All canister ids, in the form that certificates carry. */
  readonly canisterRanges: Uint8Array;
  readonly certify: (state: State, paths: readonly StatePath[]) => Uint8Array;
};

type Chain = { readonly root: BlsKey; readonly subnet: BlsKey };

const NANOSECONDS_PER_DAY = 86_400_000_000_000n;
/** Lowest and highest id that the Internet Computer gives to a canister. */
const FIRST_CANISTER = Buffer.from('00000000000000000101', 'hex');
const LAST_CANISTER = Buffer.from('ffffffffffffffff0101', 'hex');

export function openCertifier(faults: BoundaryFaults, nowNanoseconds: () => bigint): Certifier {
  const own: Chain = { root: drawBlsKey(), subnet: drawBlsKey() };
  const foreign: Chain = { root: drawBlsKey(), subnet: own.subnet };
  const subnetId = Principal.selfAuthenticating(own.subnet.der).toUint8Array();
  const canisterRanges = Cbor.encode([[new Uint8Array(FIRST_CANISTER), new Uint8Array(LAST_CANISTER)]]);
  const delegate = ({ root, subnet }: Chain, time: bigint) => {
    const tree = new BuiltTree(
      labels(
        ['time', leb128(time)],
        ['subnet', labels([subnetId, labels(['public_key', subnet.der], ['canister_ranges', canisterRanges])])],
        ['canister_ranges', labels([subnetId, labels([FIRST_CANISTER, canisterRanges])])],
      ),
    );
    const paths = [[labelOf('time')], [labelOf('subnet'), subnetId], [labelOf('canister_ranges'), subnetId]];
    return Cbor.encode({ tree: tree.witness(paths), signature: signTree(root, tree) });
  };
  const delegations = {
    own: kept((time) => delegate(own, time), nowNanoseconds),
    foreign: kept((time) => delegate(foreign, time), nowNanoseconds),
  };
  const delegation = () => {
    if (!faults.staleTime) return delegations[faults.certificates === 'foreign' ? 'foreign' : 'own']();
    return delegate(own, nowNanoseconds() - BigInt(faults.certificateAgeMs) * 1_000_000n);
  };
  return {
    rootKey: own.root.der,
    subnetId,
    subnetKey: own.subnet.der,
    canisterRanges,
    certify: (state, paths) => {
      const tree = new BuiltTree(state);
      const signature = signTree(own.subnet, tree);
      if (faults.certificates === 'forged') forge(signature, signTree(own.subnet, new BuiltTree(new Uint8Array())));
      return Cbor.encode({
        tree: tree.witness(paths),
        signature,
        delegation: { subnet_id: subnetId, certificate: delegation() },
      });
    },
  };
}

/** Signing takes longer than all the rest, and agents take a delegation of 30 days: one is made per day of the clock. */
function kept(make: (time: bigint) => Uint8Array, nowNanoseconds: () => bigint): () => Uint8Array {
  let made: { readonly at: bigint; readonly bytes: Uint8Array } | undefined;
  return () => {
    const now = nowNanoseconds();
    if (made === undefined || now - made.at > NANOSECONDS_PER_DAY) made = { at: now, bytes: make(now) };
    return made.bytes;
  };
}

/** A well-formed signature of something else. */
const forge = (signature: Uint8Array, other: Uint8Array) => signature.set(other);

function signTree(key: BlsKey, tree: BuiltTree): Uint8Array {
  return key.sign(Buffer.concat([domain('ic-state-root'), tree.rootHash]));
}
