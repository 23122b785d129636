// Classifies a node's answer to a broadcast. Only a refusal after which the bytes cannot be on their way counts as
// refused; after an unclear answer nonce and payments stay bound.
import type { RpcAnswer } from '../rpc/json-rpc.ts';

export type NodeWord = 'known' | 'refused' | 'unclear';

/** In the mempool, or mined: a nonce that is too low may be that of this very transaction. */
const KNOWN = oneOf(
  'already ?known',
  'already ?imported',
  'already mined',
  '^mined$',
  'known transaction',
  'already in (the )?(mem|tx)?pool',
  'already exists',
  'same hash',
  'nonce (is )?too low',
  'old ?nonce',
  'nonce has already been used',
);

/** Another transaction has the nonce, or the mempool has no room: both may pass without action. */
const UNCLEAR = oneOf(
  'replace',
  '\\bfull\\b',
  'too many',
  '\\blimit exceeded',
  '\\brate\\b',
  'nonce (is )?too high',
  'nonce ?gap',
  'future',
  'compete',
  'busy',
  'sync',
);

const REFUSED = oneOf(
  'insufficient ?funds',
  'insufficient balance',
  'intrinsic ?gas',
  'gas ?limit',
  'gas too low',
  'base ?fee',
  'underpriced',
  'fee ?too ?low',
  'fee ?cap',
  'exceeds the configured cap',
  'higher than max fee',
  'chain ?id',
  'type not supported',
  'not ?supported ?tx ?type',
  'invalid (sender|signature|transaction)',
  '^invalid\\b',
  '\\brlp\\b',
  'decode',
  'oversized',
);

export function classifyBroadcast(answer: RpcAnswer, transactionId: string): NodeWord {
  if (answer.ok) return String(answer.result).toLowerCase() === transactionId ? 'known' : 'unclear';
  if (KNOWN.test(answer.message)) return 'known';
  if (UNCLEAR.test(answer.message)) return 'unclear';
  return REFUSED.test(answer.message) ? 'refused' : 'unclear';
}

function oneOf(...sentences: readonly string[]): RegExp {
  return new RegExp(sentences.join('|'), 'i');
}
