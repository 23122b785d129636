// Test wallet of the Internet Computer: a signer (ICRC-27, ICRC-49) over a throw-away key. Signs and sends a call only after `confirm`
// accepts. Works in a page and in Node.
import {
  base64FromBytes,
  bytesFromBase64,
  type Cbor,
  hexToBytes,
  principalBytes,
  readCborMap,
  requestIdOf,
  writeCbor,
} from '@svc-pay/protocol/icp';
import type { CanisterCall, IcpSigner } from '@svc-pay/sdk/icp';
import { PKCS8_START } from './pkcs8.ts';

export type IcpKey = {
  /** Text of the principal that the key stands for. */
  readonly principal: string;
  /** The 32 secret bytes as hex. */
  readonly secret: string;
  /** DER, as hex. */
  readonly publicKey: string;
};

export type IcpTestWalletOptions = IcpKey & {
  /** Boundary node. */
  readonly url: string;
  readonly confirm: (call: CanisterCall) => Promise<boolean>;
  readonly nowMs: () => number;
};

const USER_ABORTED = 3001;
const NOT_PERMITTED = 3000;
/** A network takes a call that ends within five minutes. */
const EXPIRY_MS = 240_000;
const NONCE_BYTES = 16;
const SEPARATOR = new TextEncoder().encode('\x0Aic-request');

export function createIcpTestWallet(options: IcpTestWalletOptions): IcpSigner {
  const { principal, secret, publicKey, url, confirm, nowMs } = options;

  async function sign(message: Uint8Array): Promise<Uint8Array> {
    const bytes = Uint8Array.from([...PKCS8_START, ...hexToBytes(secret)]);
    const key = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(message)));
  }

  return {
    accounts: async () => [{ owner: principal }],
    async callCanister(call) {
      const content = contentOf(call, nowMs());
      if (call.sender !== principal) throw refusal('another sender', NOT_PERMITTED);
      if (!(await confirm(call))) throw refusal('the payer said no', USER_ABORTED);
      const requestId = requestIdOf(content);
      const envelope = new Map<string, Cbor>([
        ['content', content],
        ['sender_pubkey', hexToBytes(publicKey)],
        ['sender_sig', await sign(Uint8Array.of(...SEPARATOR, ...requestId))],
      ]);
      const response = await fetch(`${url}/api/v3/canister/${call.canisterId}/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/cbor' },
        body: Uint8Array.from(writeCbor(envelope)),
      });
      if (!response.ok) throw new Error(`the boundary node answers ${response.status}`);
      const certificate = readCborMap(new Uint8Array(await response.arrayBuffer())).get('certificate');
      if (!(certificate instanceof Uint8Array)) throw new Error('the boundary node shows no certificate');
      return { contentMap: base64FromBytes(writeCbor(content)), certificate: base64FromBytes(certificate) };
    },
  };
}

function contentOf({ canisterId, sender, method, arg }: CanisterCall, nowMs: number): ReadonlyMap<string, Cbor> {
  const [canister, from, argument] = [principalBytes(canisterId), principalBytes(sender), bytesFromBase64(arg)];
  if (canister === undefined || from === undefined || argument === undefined) throw new Error('no call');
  return new Map<string, Cbor>([
    ['request_type', 'call'],
    ['canister_id', canister],
    ['method_name', method],
    ['arg', argument],
    ['sender', from],
    ['ingress_expiry', BigInt(nowMs + EXPIRY_MS) * 1_000_000n],
    ['nonce', crypto.getRandomValues(new Uint8Array(NONCE_BYTES))],
  ]);
}

const refusal = (text: string, code: number): Error => Object.assign(new Error(text), { code });
