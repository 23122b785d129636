// Sends signed bytes to every endpoint of the network concurrently: one that accepts them is enough, and one that
// falsely claims to have accepted them must not keep them from the others.
import type { Broadcast } from '@svc-pay/core';
import { bytesToHex } from 'viem';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { classifyBroadcast, type NodeWord } from './classify-broadcast.ts';
import { transactionIdOf } from './sign-transaction.ts';

const MAX_REASON = 200;

type Word = { readonly word: NodeWord; readonly reason: string };

/** Each of `endpoints` gets its own request. Resolves as soon as one has the transaction. Never throws. */
export async function broadcast(endpoints: readonly JsonRpc[], raw: Uint8Array): Promise<Broadcast> {
  const transactionId = transactionIdOf(raw);
  const call = { method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] };
  const offers = endpoints.map((endpoint) => offer(endpoint, call, transactionId));
  const known = Promise.any(
    offers.map(async (offered) => {
      if ((await offered).word !== 'known') throw new Error('not here');
    }),
  );
  try {
    await known;
    return { outcome: 'known' };
  } catch {
    const words = await Promise.all(offers);
    if (words.length === 0 || words.some(({ word }) => word === 'unclear')) return { outcome: 'unknown' };
    return {
      outcome: 'not_sent',
      reason: words
        .map(({ reason }) => reason)
        .join('; ')
        .slice(0, MAX_REASON),
    };
  }
}

async function offer(endpoint: JsonRpc, call: Parameters<JsonRpc>[0][number], transactionId: string): Promise<Word> {
  try {
    const [answer] = await endpoint([call]);
    if (answer === undefined) return { word: 'unclear', reason: '' };
    return { word: classifyBroadcast(answer, transactionId), reason: answer.ok ? '' : answer.message };
  } catch {
    // The transaction may have arrived all the same.
    return { word: 'unclear', reason: '' };
  }
}
