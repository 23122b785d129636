// The API as it ships. Its claim, the one statement in which a header becomes a payment, is a place to stop at.
import { startApi } from '@svc-pay/api';
import { readApiConfig } from '@svc-pay/api/config';
import pg from 'pg';

export type ClaimPoint = 'before claim' | 'after claim';

let armed: ClaimPoint | 'nowhere' = 'nowhere';
const pass = async (point: ClaimPoint) => {
  if (armed !== point) return;
  process.send?.({ held: [point] });
  await new Promise(() => {});
};

const isClaim = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'name' in statement && statement.name === 'claim-payment';

// A pool hands its statements over with a function to call at their end; that call is what waits here.
type AtEnd = (problem: unknown, answer: unknown) => void;
const proto = pg.Client.prototype as unknown as { query: (this: unknown, ...given: unknown[]) => unknown };
const { query: ask } = proto;

proto.query = function query(...given) {
  const place = given.findLastIndex((part) => typeof part === 'function');
  if (armed === 'nowhere' || !isClaim(given[0]) || place < 0) return ask.apply(this, given);
  const atEnd = given[place] as AtEnd;
  const claim = async () => {
    await pass('before claim');
    ask.apply(
      this,
      given.with(place, (problem: unknown, answer: unknown) => void end(problem, answer)),
    );
  };
  const end = async (problem: unknown, answer: unknown) => {
    await pass('after claim');
    atEnd(problem, answer);
  };
  void claim();
  return undefined;
};

process.on('message', (message: { readonly pauseAt?: ClaimPoint | 'nowhere' }) => {
  if (message.pauseAt !== undefined) armed = message.pauseAt;
});

const read = readApiConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
await startApi(read.config);
