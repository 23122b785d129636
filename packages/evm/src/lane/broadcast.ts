// Offers signed bytes to the network's nodes, one after the other until one has them.
import type { Broadcast } from '@svc-pay/core';
import { bytesToHex, keccak256 } from 'viem';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { classifyBroadcast, type NodeWord } from './classify-broadcast.ts';

const MAX_REASON = 200;

/** `endpoints` are asked each on its own. Never throws. */
export async function broadcast(endpoints: readonly JsonRpc[], raw: Uint8Array): Promise<Broadcast> {
  const transactionId = keccak256(raw);
  const call = { method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] };
  const reasons: string[] = [];
  let allRefused = endpoints.length > 0;
  for (const endpoint of endpoints) {
    const { word, reason } = await offer(endpoint, call, transactionId);
    if (word === 'known') return { outcome: 'known' };
    if (word === 'unclear') allRefused = false;
    else reasons.push(reason);
  }
  return allRefused ? { outcome: 'not_sent', reason: reasons.join('; ').slice(0, MAX_REASON) } : { outcome: 'unknown' };
}

async function offer(
  endpoint: JsonRpc,
  call: Parameters<JsonRpc>[0][number],
  transactionId: string,
): Promise<{ readonly word: NodeWord; readonly reason: string }> {
  try {
    const [answer] = await endpoint([call]);
    if (answer === undefined) return { word: 'unclear', reason: '' };
    return { word: classifyBroadcast(answer, transactionId), reason: answer.ok ? '' : answer.message };
  } catch {
    // It may have arrived all the same.
    return { word: 'unclear', reason: '' };
  }
}
