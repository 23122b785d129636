// What a node's answer to a broadcast says about the transaction. Only a refusal that cannot leave the bytes on their way
// counts as one; whatever is unclear keeps nonce and payments bound.
import type { RpcAnswer } from '../rpc/json-rpc.ts';

export type NodeWord = 'known' | 'refused' | 'unclear';

/** In its pool, or mined: a nonce that is too low may be that of this very transaction. */
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

/** Another transaction holds the nonce, or the pool has no room now: both may end on their own. */
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
