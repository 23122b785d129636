import { describe, expect, test } from 'vitest';
import { type LaneFacts, type NetworkFacts, withdrawalOf, withdrawnPart } from './network-health.ts';

const STUCK_MS = 60_000;
const fine: LaneFacts = { condition: 'fine', capped: false, obstacle: null, obstacleMs: null, oldestPendingMs: null };
const sound: NetworkFacts = { unreachableMs: null, paused: false, lanes: [fine], oldestQueuedMs: null };
const reasonOf = (facts: Partial<NetworkFacts>) => withdrawalOf({ ...sound, ...facts }, STUCK_MS);

test('a network with one lane that can send is offered, whatever ails the others', () => {
  const ailing: readonly Partial<LaneFacts>[] = [
    { condition: 'empty' },
    { condition: 'not_allowed' },
    { obstacle: 'nonce_gap', obstacleMs: 60_000 },
    { capped: true },
    { oldestPendingMs: STUCK_MS + 1 },
  ];
  expect(reasonOf({ lanes: [...ailing.map((trouble) => ({ ...fine, ...trouble })), fine] })).toBeNull();
  expect(reasonOf({ lanes: [{ ...fine, condition: 'low' }] })).toBeNull();
});

test.each<[string, Partial<LaneFacts>]>([
  ['out_of_gas', { condition: 'empty' }],
  ['not_allowed', { condition: 'not_allowed' }],
  ['nonce_behind', { obstacle: 'nonce_behind', obstacleMs: 5_000 }],
  ['over_cap', { capped: true }],
  ['stuck', { oldestPendingMs: STUCK_MS + 1 }],
])('a network where no lane can send is withdrawn: %s', (reason, trouble) => {
  expect(
    reasonOf({
      lanes: [
        { ...fine, ...trouble },
        { ...fine, ...trouble },
      ],
    }),
  ).toBe(reason);
});

test('withdrawn too: paused, without lanes, silent for long, or with a payment that waits too long', () => {
  expect(reasonOf({ paused: true })).toBe('paused');
  expect(reasonOf({ lanes: [] })).toBe('no_active_relayer');
  expect(reasonOf({ unreachableMs: 5_000 })).toBeNull();
  expect(reasonOf({ unreachableMs: 10_000 })).toBe('chain_unreachable');
  expect(reasonOf({ oldestQueuedMs: STUCK_MS })).toBeNull();
  expect(reasonOf({ oldestQueuedMs: STUCK_MS + 1 })).toBe('stuck');
});

test('a network whose processor or token is not the configured one is withdrawn, whatever its lanes can do', () => {
  expect(reasonOf({ difference: 'processor_differs' })).toBe('processor_differs');
  expect(reasonOf({ difference: 'token_differs' })).toBe('token_differs');
  expect(reasonOf({ difference: null })).toBeNull();
});

test('a lane with a short obstacle still counts as able to send', () => {
  expect(reasonOf({ lanes: [{ ...fine, obstacle: 'nonce_gap', obstacleMs: 4_999 }] })).toBeNull();
});

test('a network is offered while the last check found it able, and for a minute without another check', () => {
  expect(withdrawnPart({ reason: null, checkedMs: 60_000 })).toBeNull();
  expect(withdrawnPart({ reason: null, checkedMs: 60_001 })).toBe('all');
});

test.each(['out_of_gas', 'no_active_relayer', 'stuck', 'nonce_gap'])(
  'relayers that can’t send (%s) leave the regular flow on offer',
  (reason) => expect(withdrawnPart({ reason, checkedMs: 0 })).toBe('headers'),
);

test.each(['chain_unreachable', 'processor_differs', 'token_differs'])(
  'a chain that is not as configured (%s) leaves nothing on offer',
  (reason) => expect(withdrawnPart({ reason, checkedMs: 0 })).toBe('all'),
);

describe('what stops the processor alone', () => {
  const [empty, roleless, capped] = [
    { ...fine, condition: 'empty' },
    { ...fine, condition: 'not_allowed' },
    { ...fine, capped: true },
  ] as const;
  test.each([
    ['paused', 'processor'],
    ['not_allowed', 'processor_headers'],
    ['over_cap', 'processor_headers'],
  ])('leaves direct payments on offer: %s', (reason, part) => {
    expect(withdrawnPart({ reason, checkedMs: 0 })).toBe(part);
    expect(withdrawnPart({ reason, checkedMs: 60_001 })).toBe('all');
  });
  test('is named only while a lane can carry direct payments', () => {
    expect(reasonOf({ paused: true, lanes: [empty] })).toBe('out_of_gas');
    expect(reasonOf({ paused: true, lanes: [] })).toBe('no_active_relayer');
    expect(reasonOf({ paused: true, lanes: [empty, roleless] })).toBe('paused');
    expect(reasonOf({ lanes: [empty, roleless] })).toBe('not_allowed');
    expect(reasonOf({ lanes: [empty, capped] })).toBe('over_cap');
    expect(reasonOf({ lanes: [{ ...roleless, oldestPendingMs: STUCK_MS + 1 }] })).toBe('stuck');
  });
  test('is named although payments through it wait for long', () => {
    expect(reasonOf({ paused: true, oldestQueuedMs: STUCK_MS + 1 })).toBe('paused');
    expect(reasonOf({ lanes: [roleless], oldestQueuedMs: STUCK_MS + 1 })).toBe('not_allowed');
  });
});
