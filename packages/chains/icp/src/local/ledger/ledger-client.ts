// A client of a local ledger, with every check of the agent on and the root key pinned.
import { createHash } from 'node:crypto';
import { IcrcLedgerCanister } from '@icp-sdk/canisters/ledger/icrc';
import { AnonymousIdentity, HttpAgent, type Identity } from '@icp-sdk/core/agent';
import { Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { Principal } from '@icp-sdk/core/principal';

type Reached = { readonly url: string; readonly rootKey: Uint8Array };

/** The same key for the same name, in every process. */
export function identityNamed(name: string): Ed25519KeyIdentity {
  return Ed25519KeyIdentity.generate(new Uint8Array(createHash('sha256').update(name).digest()));
}

/** The account of a principal's text, without a subaccount. */
export const accountNamed = (owner: string) => ({ owner: Principal.fromText(owner), subaccount: [] as [] });

export function openAgent({ url, rootKey }: Reached, identity: Identity = new AnonymousIdentity()): Promise<HttpAgent> {
  return HttpAgent.create({ host: url, rootKey, identity, verifyQuerySignatures: true, retryTimes: 0 });
}

/** Acts on the ledger as this identity: `transfer`, `approve`, `balance`, `getBlocks` and the rest. */
export async function openLedgerClient(
  ic: Reached,
  canisterId: Principal,
  identity?: Identity,
): Promise<IcrcLedgerCanister> {
  return IcrcLedgerCanister.create({ agent: await openAgent(ic, identity), canisterId });
}
