import { describe, expect, test } from 'vitest';
import { OPEN_SETTLEMENT, SETTLEMENT_TRANSITIONS } from './settlement/settlement-transitions.ts';
import { STATE_MACHINES } from './state-machines.ts';
import {
  type Cause,
  defineTransitions,
  diagramOf,
  isWritten,
  mayFollow,
  statusesBefore,
  statusesIn,
  statusNames,
  type Transitions,
  transition,
} from './transitions.ts';

/** Written by hand from the statements that assign a status, independent of the tables: every other pair is illegal. */
const LEGAL: Readonly<Record<keyof typeof STATE_MACHINES, string>> = {
  account: 'active>closed active>moving moving>active moving>moved',
  payout: 'pending>active pending>disabled active>pending active>disabled',
  intent: `requires_payment>processing requires_payment>canceled requires_payment>mismatched requires_payment>completed:accept
    processing>completed processing>requires_payment processing>failed processing>mismatched
    mismatched>processing mismatched>canceled mismatched>completed:accept completed>processing:reorg
    failed>processing:restore failed>completed:accept canceled>completed:accept`,
  payment: `pending>completed pending>failed pending>canceled:unwritten pending>mismatched:unwritten
    mismatched>completed:accept mismatched>refunded completed>pending:reorg completed>refunded`,
  settlement: `queued>batched queued>held queued>failed queued>completed
    batched>completed batched>queued batched>mined batched>failed:restore
    mined>failed mined>queued mined>held mined>batched:reorg mined>batched:restore
    held>completed held>failed held>queued held>batched:restore completed>batched:reorg completed>held:reorg`,
  batch: `signed>broadcast signed>mined signed>replaced broadcast>mined broadcast>replaced
    mined>finalized mined>broadcast:reorg replaced>signed`,
  refund: `prepared>queued prepared>canceled queued>sent queued>completed queued>failed
    sent>queued sent>completed sent>failed`,
  relayer: 'active>draining draining>retired draining>active retired>active retired>draining',
  stranded: `queued>batched queued>blocked batched>done batched>queued batched>mined batched>blocked
    mined>queued mined>batched:reorg done>batched:reorg blocked>batched:reorg`,
  endpoint: 'enabled>disabled enabled>deleted disabled>enabled disabled>deleted',
  delivery: 'pending>succeeded pending>failed pending>discarded succeeded>pending failed>pending',
  event_replay: 'running>done running>failed',
};
const CAUSES = ['ordinary', 'reorg', 'restore', 'accept', 'unwritten'] as const satisfies readonly Cause[];

describe.each(Object.entries<Transitions<string>>(STATE_MACHINES))('%s', (name, table) => {
  const steps = statusesIn(table).flatMap((from) =>
    statusesIn(table).flatMap((to) => CAUSES.map((cause) => ({ from, to, cause }))),
  );
  const nameOf = ({ from, to, cause }: (typeof steps)[number]) =>
    `${from}>${to}${cause === 'ordinary' ? '' : `:${cause}`}`;

  test('exactly the steps that statements make are allowed', () => {
    const allowed = steps.filter(({ from, to, cause }) => mayFollow(table, from, to, cause)).map(nameOf);
    expect(allowed.toSorted()).toEqual(LEGAL[name as keyof typeof LEGAL].split(/\s+/).toSorted());
  });

  test('an allowed step gives the new status, any other throws', () => {
    for (const { from, to, cause } of steps) {
      if (mayFollow(table, from, to, cause)) expect(transition(table, from, to, cause)).toBe(to);
      else expect(() => transition(table, from, to, cause)).toThrow(`${from} can't become ${to} (${cause})`);
    }
  });

  test('every status has a sentence, and says so where no statement writes it', () => {
    for (const status of statusesIn(table)) {
      const { about } = table.states[status]!;
      expect(about).toMatch(/^[A-Z].*\.$/);
      expect(/\bNo (?:statement|command)\b/.test(about)).toBe(!isWritten(table, status));
    }
  });
});

const LAMP = defineTransitions({
  start: ['off', { to: 'on', only: 'restore' }],
  states: {
    off: { about: 'Off.', next: ['on'] },
    on: { about: 'On.', next: [{ to: 'off', only: 'reorg' }, { to: 'off', only: 'restore' }, 'broken'] },
    broken: { about: 'Broken.', next: [{ to: 'gone', only: 'unwritten' }] },
    gone: { about: 'Gone.', next: [] },
  },
});

test('the diagram shows where rows begin, every edge once with its causes, and the ends', () => {
  expect(diagramOf(LAMP).split('\n')).toEqual([
    'stateDiagram-v2',
    '  [*] --> off',
    '  [*] --> on: restore',
    '  off --> on',
    '  on --> off: reorg, restore',
    '  on --> broken',
    '  broken --> gone: unwritten',
    '  gone --> [*]',
  ]);
});

test('the statuses before another are those with an edge of that cause', () => {
  expect(statusesBefore(LAMP, 'on')).toEqual(['off']);
  expect(statusesBefore(LAMP, 'off')).toEqual([]);
  expect(statusesBefore(LAMP, 'off', 'reorg')).toEqual(['on']);
  expect(statusesBefore(SETTLEMENT_TRANSITIONS, 'failed')).toEqual(['queued', 'mined', 'held']);
});

test('a status that only unwritten edges lead to is not written', () => {
  expect(statusesIn(LAMP).filter((status) => !isWritten(LAMP, status))).toEqual(['gone']);
  expect(statusNames(LAMP)).toEqual({ off: 'off', on: 'on', broken: 'broken', gone: 'gone' });
});

test('a settlement is open exactly as long as an ordinary step can change it', () => {
  const changing = statusesIn(SETTLEMENT_TRANSITIONS).filter((from) =>
    statusesIn(SETTLEMENT_TRANSITIONS).some((to) => mayFollow(SETTLEMENT_TRANSITIONS, from, to)),
  );
  expect(changing.toSorted()).toEqual([...OPEN_SETTLEMENT].toSorted());
});
