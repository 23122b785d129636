// The API as it ships. Its claim, the one statement in which a header becomes a payment, is a place to stop at; so is the
// submission, in which a signature becomes a refund.
import { startApi } from '@svc-pay/api';
import { readApiConfig } from '@svc-pay/api/config';
import { createStatementPoints } from './statement-points.ts';

export type ClaimPoint = `${'before' | 'after'} ${'claim' | 'submit'}`;

const points = createStatementPoints({ 'claim-payment': 'claim', 'submit-refund': 'submit' });

process.on('message', (message: { readonly pauseAt?: ClaimPoint | 'nowhere' }) => {
  if (message.pauseAt !== undefined) points.pauseAt(message.pauseAt);
});

const read = readApiConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
await startApi(read.config);
