// A signer without a person, in the shape that pages hand to a client (ICRC-27 and ICRC-49): it signs whatever it is asked to.
import { Cbor, type Identity } from '@icp-sdk/core/agent';
import { openAgent } from './ledger/ledger-client.ts';

type CallParameters = {
  readonly canisterId: string;
  readonly sender: string;
  readonly method: string;
  readonly arg: string;
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export async function openSigner(ic: { readonly url: string; readonly rootKey: Uint8Array }, identity: Identity) {
  const agent = await openAgent(ic, identity);
  const owner = identity.getPrincipal().toText();
  return {
    accounts: async () => [{ owner }],
    async callCanister({ canisterId, sender, method, arg }: CallParameters) {
      if (sender !== owner) throw Object.assign(new Error('another sender'), { code: 3000 });
      const fields = { methodName: method, arg: new Uint8Array(Buffer.from(arg, 'base64')) };
      const { requestDetails, rawCertificate } = await agent.update(canisterId, {
        ...fields,
        effectiveCanisterId: canisterId,
      });
      return { contentMap: base64(Cbor.encode(requestDetails)), certificate: base64(rawCertificate) };
    },
  };
}
