// Ceremonies with passkeys: the server makes the challenge, the browser asks the person, the server verifies the answer.
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { call } from './call.ts';

type ToSign = { readonly options: PublicKeyCredentialRequestOptionsJSON };
type ToRegister = { readonly options: PublicKeyCredentialCreationOptionsJSON };

const post = <Answer>(path: string, body: unknown = {}) => call<Answer>(path, { method: 'POST', body });

/** What browsers say when a person closes their dialog is said so; they say the same when no passkey fits. */
async function asking<Answer>(ceremony: Promise<Answer>): Promise<Answer> {
  try {
    return await ceremony;
  } catch (problem) {
    if (problem instanceof WebAuthnError && problem.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
      throw new Error('This device already has a passkey of yours.', { cause: problem });
    if (problem instanceof Error && (problem.name === 'NotAllowedError' || problem.name === 'AbortError'))
      throw new Error('No passkey was used. Try again when you are ready.', { cause: problem });
    throw problem;
  }
}

export async function signInWithPasskey(): Promise<void> {
  const { options } = await post<ToSign>('/sign-in/options');
  const answer = await asking(startAuthentication({ optionsJSON: options }));
  await post('/sign-in/verify', { answer });
}

export async function checkWithPasskey(): Promise<void> {
  const { options } = await post<ToSign>('/check/options');
  const answer = await asking(startAuthentication({ optionsJSON: options }));
  await post('/check/verify', { answer });
}

export async function acceptInvitation(token: string, passkeyName: string): Promise<void> {
  const { options } = await post<ToRegister>('/invitations/accept/options', { token });
  const answer = await asking(startRegistration({ optionsJSON: options }));
  await post('/invitations/accept/verify', { token, answer, passkeyName });
}

export async function addPasskey(passkeyName: string): Promise<void> {
  const { options } = await post<ToRegister>('/passkeys/options');
  const answer = await asking(startRegistration({ optionsJSON: options }));
  await post('/passkeys/verify', { answer, passkeyName });
}
