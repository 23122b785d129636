// An authenticator in software, for tests: ES256 keys, attestation `none`. It answers as a browser would pass its answer on.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_INCLUDED = 0x40;

type Credential = { readonly id: Buffer; readonly key: KeyObject; readonly rpId: string; count: number };

export type Question = {
  readonly challenge: string;
  readonly rpId?: string | undefined;
  readonly rp?: { readonly id?: string | undefined };
};
/** What a hostile page or device answers otherwise. */
export type Lies = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly userVerified?: boolean;
  readonly crossOrigin?: boolean;
};

export function createAuthenticator(origin: string) {
  let credential: Credential | undefined;
  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  const head = (rpId: string, flags: number, count: number) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter]);
  };
  const flagsOf = ({ userVerified = true }: Lies) => USER_PRESENT | (userVerified ? USER_VERIFIED : 0);

  return {
    credentialId: () => credential?.id.toString('base64url') ?? '',
    /** Sets the count of uses back, as a copy of the device would have it. */
    rewind: () => {
      if (credential !== undefined) credential.count = 0;
    },
    register: (question: Question, lies: Lies = {}) => {
      const rpId = lies.rpId ?? question.rp?.id ?? '';
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const id = randomBytes(32);
      credential = { id, key: privateKey, rpId, count: 0 };
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const cose = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ]);
      const authData = Buffer.concat([
        head(rpId, flagsOf(lies) | CREDENTIAL_INCLUDED, 0),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        cose,
      ]);
      return {
        ...common(id),
        response: {
          clientDataJSON: clientData('webauthn.create', question.challenge, lies).toString('base64url'),
          attestationObject: attestation(authData).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    answer: (question: Question, lies: Lies = {}) => {
      if (credential === undefined) throw new Error('the authenticator has no credential');
      credential.count += 1;
      const authenticatorData = head(lies.rpId ?? credential.rpId, flagsOf(lies), credential.count);
      const data = clientData('webauthn.get', question.challenge, lies);
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(data).digest()]);
      return {
        ...common(credential.id),
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, credential.key).toString('base64url'),
        },
      };
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

const common = (id: Buffer) => ({
  id: id.toString('base64url'),
  rawId: id.toString('base64url'),
  type: 'public-key',
  clientExtensionResults: {},
});

/** CBOR of `{fmt: 'none', attStmt: {}, authData}`. */
function attestation(authData: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(authData.length);
  return Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
    Buffer.from([0x67]),
    Buffer.from('attStmt'),
    Buffer.from([0xa0, 0x68]),
    Buffer.from('authData'),
    Buffer.from([0x59]),
    length,
    authData,
  ]);
}
