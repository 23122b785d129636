// Questions to authenticators and what their answers prove. A challenge is stored as its hash and taken by the first answer.
import { createHash, randomBytes } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Clock } from '@svc-pay/core';
import type {
  ChallengeOf,
  ConsoleStores,
  KnownPasskey,
  NewPasskey,
  PasskeyUse,
} from '@svc-pay/postgres/console-service';

const CHALLENGE_LIFE_MS = 300_000;
const CHALLENGE_BYTES = 32;
const RELYING_PARTY = 'SVC Pay console';
/** ES256, EdDSA and RS256. */
const ALGORITHMS = [-7, -8, -257];

type PasskeyAnswer<Proof> = { readonly ok: true; readonly proof: Proof } | { readonly ok: false; readonly why: string };
type ProvenUse = { readonly use: PasskeyUse; readonly passkey: KnownPasskey };

export type WebAuthn = {
  readonly askToRegister: (
    of: ChallengeOf,
    person: { readonly name: string; readonly known: readonly string[] },
  ) => Promise<PublicKeyCredentialCreationOptionsJSON>;
  readonly readRegistration: (
    of: ChallengeOf,
    answer: RegistrationResponseJSON,
    name: string,
  ) => Promise<PasskeyAnswer<NewPasskey>>;
  /** `known`: credentials that may answer; empty: whichever the authenticator has for this host. */
  readonly askToSign: (of: ChallengeOf, known: readonly string[]) => Promise<PublicKeyCredentialRequestOptionsJSON>;
  readonly readSignature: (of: ChallengeOf, answer: AuthenticationResponseJSON) => Promise<PasskeyAnswer<ProvenUse>>;
};

export function createWebAuthn(stores: ConsoleStores, clock: Clock, origin: string): WebAuthn {
  const rpID = new URL(origin).hostname;
  const ask = async (of: ChallengeOf) => {
    const challenge = randomBytes(CHALLENGE_BYTES);
    await stores.putChallenge(hashOf(challenge.toString('base64url')), of, clock.nowMs() + CHALLENGE_LIFE_MS);
    return challenge;
  };
  /** The challenge that the answer names, if it was waiting for this purpose. */
  const take = async (of: ChallengeOf, clientDataJSON: string): Promise<string | undefined> => {
    const challenge = challengeIn(clientDataJSON);
    const taken = challenge !== undefined && (await stores.takeChallenge(hashOf(challenge), of, clock.nowMs()));
    return taken ? challenge : undefined;
  };
  return {
    askToRegister: async (of, { name, known }) =>
      generateRegistrationOptions({
        rpName: RELYING_PARTY,
        rpID,
        userName: name,
        userDisplayName: name,
        challenge: await ask(of),
        timeout: CHALLENGE_LIFE_MS,
        attestationType: 'none',
        excludeCredentials: known.map((id) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    readRegistration: async (of, answer, name) => {
      const challenge = await take(of, answer.response.clientDataJSON);
      if (challenge === undefined) return { ok: false, why: 'challenge' };
      return caught(async () => {
        const { registrationInfo: info } = await verifyRegistrationResponse({
          response: answer,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpID,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        });
        if (info === undefined) return { ok: false, why: 'not verified' };
        const { id, publicKey, counter, transports } = info.credential;
        const proof: NewPasskey = {
          credentialId: Buffer.from(id, 'base64url'),
          publicKey,
          signCount: counter,
          transports: [...(transports ?? [])],
          aaguid: info.aaguid,
          name,
          backedUp: info.credentialBackedUp,
        };
        return { ok: true, proof };
      });
    },
    askToSign: async (of, known) =>
      generateAuthenticationOptions({
        rpID,
        challenge: await ask(of),
        timeout: CHALLENGE_LIFE_MS,
        userVerification: 'required',
        allowCredentials: known.map((id) => ({ id })),
      }),
    readSignature: async (of, answer) => {
      const challenge = await take(of, answer.response.clientDataJSON);
      if (challenge === undefined) return { ok: false, why: 'challenge' };
      const passkey = await stores.findPasskey(Buffer.from(answer.id, 'base64url'));
      if (passkey === undefined) return { ok: false, why: 'unknown passkey' };
      return caught(async () => {
        const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
          response: answer,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpID,
          requireUserVerification: true,
          credential: { id: answer.id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.signCount },
        });
        if (!verified) return { ok: false, why: 'not verified' };
        const { credentialId } = passkey;
        const use = { credentialId, signCount: info.newCounter, backedUp: info.credentialBackedUp };
        return { ok: true, proof: { use, passkey } };
      });
    },
  };
}

const hashOf = (challenge: string): Uint8Array => createHash('sha256').update(challenge).digest();

/** The library throws for an answer that proves nothing, and says why. */
async function caught<Proof>(work: () => Promise<PasskeyAnswer<Proof>>): Promise<PasskeyAnswer<Proof>> {
  try {
    return await work();
  } catch (problem) {
    return { ok: false, why: problem instanceof Error ? problem.message : 'unreadable' };
  }
}

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    const challenge = typeof read === 'object' && read !== null && 'challenge' in read ? read.challenge : undefined;
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}
