import { BATCH_STATUS, BATCH_TRANSITIONS, PENDING_BATCH, statusesBefore } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { sqlIs, sqlIsNot, sqlStatus, sqlStep } from './status-sql.ts';

test('one status is compared, several are a list', () => {
  expect(sqlIs(BATCH_STATUS.mined)).toBe("= 'mined'");
  expect(sqlIs(...PENDING_BATCH)).toBe("in ('signed', 'broadcast')");
  expect(sqlIsNot(BATCH_STATUS.mined)).toBe("<> 'mined'");
  expect(sqlIsNot(...PENDING_BATCH)).toBe("not in ('signed', 'broadcast')");
  expect(() => sqlIs()).toThrow('names no status');
});

test('only words become text', () => {
  expect(() => sqlStatus("x' or true --")).toThrow('not a status');
});

test('a step has the fence and the value of its edge', () => {
  expect(sqlStep(BATCH_TRANSITIONS, statusesBefore(BATCH_TRANSITIONS, 'mined'), 'mined')).toEqual({
    from: "in ('signed', 'broadcast')",
    to: "'mined'",
  });
  expect(sqlStep(BATCH_TRANSITIONS, 'mined', 'broadcast', 'reorg').from).toBe("= 'mined'");
});

test('a step that the table does not have is refused', () => {
  expect(() => sqlStep(BATCH_TRANSITIONS, 'finalized', 'broadcast', 'reorg')).toThrow('finalized broadcast (reorg)');
  expect(() => sqlStep(BATCH_TRANSITIONS, 'mined', 'broadcast')).toThrow('mined broadcast (ordinary)');
  expect(() => sqlStep(BATCH_TRANSITIONS, ['signed', 'finalized'], 'mined')).toThrow('finalized mined');
});
