import type { Hex } from '@svc-pay/protocol';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askPermitNonce, readUint } from './chain-questions.ts';

/** The nonce that the token expects in the owner's next permit. Throws when the chain can't be asked. */
export async function readPermitNonce(rpc: JsonRpc, token: string, owner: Hex): Promise<bigint> {
  const [answer] = await rpc([askPermitNonce(token, owner)]);
  if (answer === undefined) throw new Error('the answer is missing');
  return readUint(answer);
}
