// The state that certificates are about: time, the subnet and its node, canisters, and requests.
import { Cbor } from '@icp-sdk/core/agent';
import { leb128 } from '@svc-pay/protocol/icp';
import type { Canister } from '../vm/canister.ts';
import type { CanisterNetwork } from '../vm/canister-network.ts';
import type { Certifier } from './certifier.ts';
import { labels, type State } from './hash-tree.ts';
import type { NodeKey } from './keys.ts';
import type { RequestStatuses } from './request-statuses.ts';

type Parts = {
  readonly certifier: Certifier;
  readonly node: NodeKey;
  readonly network: CanisterNetwork;
  readonly statuses: RequestStatuses;
};

const PUBLIC_SECTIONS = ['candid:service', 'candid:args'];

/** Returns the state with the time that it is told. */
export function openSystemState({ certifier, node, network, statuses }: Parts): (time: bigint) => State {
  const { subnetId, subnetKey, canisterRanges } = certifier;
  const subnet = labels([
    subnetId,
    labels(
      ['public_key', subnetKey],
      ['canister_ranges', canisterRanges],
      ['node', labels([node.id, labels(['public_key', node.der])])],
    ),
  ]);
  const ranges = labels([subnetId, labels([Buffer.from('00000000000000000101', 'hex'), canisterRanges])]);
  const fixed = new WeakMap<Canister, FixedState>();
  const canisterState = (canister: Canister) => {
    const known = fixed.get(canister) ?? fixedStateOf(canister);
    fixed.set(canister, known);
    return labels(
      ['certified_data', canister.certifiedData],
      ['controllers', known.controllers],
      ['metadata', known.metadata],
      ['module_hash', canister.moduleHash],
    );
  };
  return (time) =>
    labels(
      ['canister', labels(...network.canisters.map((canister) => [canister.id, canisterState(canister)] as const))],
      ['canister_ranges', ranges],
      ['request_status', statuses.state()],
      ['subnet', subnet],
      ['time', leb128(time)],
    );
}

/** What does not change while a canister is there. */
type FixedState = { readonly controllers: State; readonly metadata: State };

function fixedStateOf(canister: Canister): FixedState {
  return {
    controllers: Cbor.encode(canister.controllers.map((controller) => new Uint8Array(controller))),
    metadata: labels(...PUBLIC_SECTIONS.map((name) => [name, canister.publicSection(name)] as const)),
  };
}
