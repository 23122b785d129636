// The API as it ships. Its question to settlement about a block is a place to stop at, before it is asked and after.
import { startApi } from '@svc-pay/api';
import { readApiConfig } from '@svc-pay/api/config';
import { type AskPoint, createAskPoints } from './pause-points.ts';

const points = createAskPoints();

process.on('message', (message: { readonly pauseAt?: AskPoint | 'nowhere' }) => {
  if (message.pauseAt !== undefined) points.pauseAt(message.pauseAt);
});

const read = readApiConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
await startApi(read.config);
