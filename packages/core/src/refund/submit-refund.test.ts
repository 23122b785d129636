import { expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { createMemoryRefundHarness } from '../testing/memory-refund-harness.ts';
import { refundSignature, refundSteps } from '../testing/refund-harness.ts';
import type { RefundFamily, VerifiedRefund } from './refund-family.ts';
import { submitRefund } from './submit-refund.ts';

const { signature } = refundSignature(1);
const FOUND: VerifiedRefund = { ok: false, code: 'refund_found_on_chain' };

/**
 * Submits a refund of a payment; the chain is asked while `meanwhile` happens to it, or another refund is submitted. `late`: a
 * signature that is submitted between two reads of the database after that.
 */
async function submitWhile(
  verify: () => Promise<VerifiedRefund>,
  meanwhile?: string,
  chainReadFailed = () => {},
  late?: string,
) {
  const harness = createMemoryRefundHarness();
  const { store, owner, nowMs } = harness;
  const steps = refundSteps(harness);
  const paymentId = await harness.paid();
  const { id, tokenShortcode } = await steps.prepared(paymentId, 400n);
  expect(tokenShortcode).toBe('basesepolia_usdc');
  const family: Pick<RefundFamily, 'owns' | 'kind' | 'read' | 'verify'> = {
    owns: () => true,
    kind: 'authorization',
    read: ({ signature: given }) => given,
    verify: async () => {
      if (meanwhile === 'another') await steps.submitted(paymentId, 300n, 2);
      else if (meanwhile !== undefined)
        await store.submit(owner, id, { signature: meanwhile, byContract: false }, nowMs);
      return verify();
    },
  };
  const answer = await submitRefund(
    {
      clock: { nowMs: () => nowMs },
      refunds: {
        ...store,
        loadRefundable: async (...asked) => {
          if (late !== undefined) await store.submit(owner, id, { signature: late, byContract: false }, nowMs);
          return store.loadRefundable(...asked);
        },
      },
      refundFamilies: [family as RefundFamily],
      chainReadFailed,
      isKeyReused: async () => false,
      bindKey: async () => {},
      wakeLanes: () => {},
    },
    { caller: owner as never, refundId: id, claim: null, answer: { signature } },
  );
  return answer.ok ? answer.refund.status : answer.code;
}
const unreachable = () => Promise.reject(new ChainUnavailable('it is not final yet'));

test('a signature that was submitted meanwhile, and is on the chain already, answers the refund that it made', async () => {
  expect(await submitWhile(async () => FOUND, signature)).toBe('queued');
  expect(await submitWhile(unreachable, signature)).toBe('queued');
});

test('a repeat that is taken while the database is read is answered as taken, and not as superseded by itself', async () => {
  expect(await submitWhile(unreachable, undefined, undefined, signature)).toBe('queued');
  const other = refundSignature(2).signature;
  expect(await submitWhile(unreachable, undefined, undefined, other)).toBe('refund_already_submitted');
});

test('another signature that was submitted meanwhile is told', async () => {
  const other = refundSignature(2).signature;
  expect(await submitWhile(async () => FOUND, other)).toBe('refund_already_submitted');
  expect(await submitWhile(unreachable, other)).toBe('refund_already_submitted');
});

test('what the chain has and nobody submitted is found, and what no node tells is unknown', async () => {
  expect(await submitWhile(async () => FOUND)).toBe('refund_found_on_chain');
  expect(await submitWhile(unreachable)).toBe('chain_unavailable');
});

test('a refund whose nonce another one used meanwhile is superseded, whether the chain is final or not', async () => {
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  expect(await submitWhile(async () => FOUND, 'another', count)).toBe('refund_superseded');
  expect(await submitWhile(unreachable, 'another', count)).toBe('refund_superseded');
  expect(failures).toBe(0);
  expect(await submitWhile(unreachable, undefined, count)).toBe('chain_unavailable');
  expect(failures).toBe(1);
});
