import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import type { AuthorizationReader, AuthorizationState } from './authorization-chain.ts';
import type { AuthorizationOutcome } from './authorization-outcome.ts';
import type { OpenAuthorization, StrandedStore } from './stranded-store.ts';
import { createAuthorizationWatch } from './watch-authorizations.ts';

const NETWORK = evmNetwork(84_532);
const FINAL_SECONDS = 1_000n;

const openOf = (intentId: string, change: Partial<OpenAuthorization> = {}): OpenAuthorization =>
  ({
    intentId,
    claimKey: new TextEncoder().encode(intentId),
    kind: 'transfer_with_authorization',
    validBeforeSeconds: 500n,
    paymentId: null,
    settlement: 'failed',
    payer: '0xaa',
    ...change,
  }) as OpenAuthorization;

type World = {
  readonly rows: readonly OpenAuthorization[];
  readonly states?: (intentId: string) => AuthorizationState;
  readonly outcomes?: (index: number) => AuthorizationOutcome | undefined;
  readonly change?: Partial<StrandedStore>;
  readonly finalizedTimeSeconds?: bigint;
};

async function run({ rows, states, outcomes, change, finalizedTimeSeconds = FINAL_SECONDS }: World) {
  const asked: string[] = [];
  const closed: string[] = [];
  const lines: string[] = [];
  const failures: string[] = [];
  const reader: AuthorizationReader = {
    finalizedTimeSeconds,
    readStates: async (authorizations, nodes) => {
      asked.push([nodes, ...authorizations.map(({ intentId }) => intentId)].join(' '));
      return authorizations.map(({ intentId }) => states?.(intentId) ?? 'over');
    },
    traceOutcomes: async (traced) => {
      asked.push(`trace ${traced.length}`);
      return traced.map((_, index) => outcomes?.(index));
    },
  };
  const stranded = {
    loadOpenAuthorizations: async (_network, after, beforeSeconds, limit) =>
      rows
        .filter(({ validBeforeSeconds: at }) => at >= after.validBeforeSeconds && at < beforeSeconds)
        .filter((row) => Buffer.compare(row.claimKey, after.claimKey) > 0)
        .slice(0, limit),
    loadUnsettledAuthorizations: async (_network, after) =>
      rows.filter(
        ({ validBeforeSeconds: at, settlement }) => at >= after.validBeforeSeconds && settlement === 'failed',
      ),
    closeAuthorizations: async (over) => void closed.push(...over.map(({ intentId }) => intentId)),
    loadClaimedPayments: async () => new Map(),
    recordStranding: async () => 'return',
    ...change,
  } satisfies Partial<StrandedStore> as unknown as StrandedStore;
  const watch = createAuthorizationWatch(
    {
      network: NETWORK,
      gasCoin: undefined,
      limits: {
        held: { everyMs: 1, pageSize: 1, maxPages: 1 },
        authorizations: { everyMs: 1, pageSize: 3, expiredPages: 2, validPages: 1, tracedAtOnce: 2 },
      },
      readHeld: () => Promise.reject(new Error('not asked')),
      readAuthorizations: async () => reader,
    },
    {
      stranded,
      clock: { nowMs: () => 0 },
      log: (event) => lines.push(event),
      countFailure: (_network, watcher) => failures.push(watcher),
    },
  );
  await watch.run();
  return { asked, closed, lines, failures };
}

test('an expired authorization is closed by a quorum; a valid one only read from the first node', async () => {
  const rows = [openOf('pi_1'), openOf('pi_2', { validBeforeSeconds: 2_000n })];
  expect(await run({ rows })).toMatchObject({ asked: ['quorum pi_1', 'first pi_2'], closed: ['pi_1'] });
});

test('only authorizations that somebody may have submitted are read from the chain', async () => {
  const rows = [
    openOf('pi_1', { settlement: 'completed' }),
    openOf('pi_2', { kind: 'permit' }),
    openOf('pi_3', { settlement: 'held' }),
  ];
  expect(await run({ rows })).toMatchObject({ asked: [], closed: ['pi_1', 'pi_2'] });
});

test('where time ends no authorization, one with a result is closed and nothing is read from the chain', async () => {
  const kind = 'solana_transaction';
  const rows = [openOf('pi_1', { kind }), openOf('pi_2', { kind, settlement: 'queued' })];
  expect(await run({ rows, finalizedTimeSeconds: 0n })).toMatchObject({ asked: [], closed: ['pi_1'] });
});

test('a run reads as many pages as it may', async () => {
  const rows = Array.from({ length: 9 }, (_, index) => openOf(`pi_${index}`));
  const { asked } = await run({ rows });
  expect(asked).toEqual(['quorum pi_0 pi_1 pi_2', 'quorum pi_3 pi_4 pi_5']);
});

describe('an authorization that was used', () => {
  const rows = ['pi_1', 'pi_2', 'pi_3'].map((id) => openOf(id));
  const used: World = { rows, states: () => 'used' };

  test('is traced with others, so many in one call', async () => {
    expect((await run(used)).asked).toEqual(['quorum pi_1 pi_2 pi_3', 'trace 2', 'trace 1']);
  });

  test('stays open while the nodes contradict each other about it', async () => {
    expect((await run(used)).closed).toEqual([]);
  });

  test('is closed when its money is recorded as stranded, and when it was burned', async () => {
    const stranded: AuthorizationOutcome = { outcome: 'stranded', transactionId: '0x1', logIndex: 2 };
    const burned: AuthorizationOutcome = { outcome: 'burned', transactionId: null };
    const { closed, lines } = await run({ ...used, outcomes: (index) => (index === 0 ? stranded : burned) });
    expect(closed).toEqual(['pi_1', 'pi_2', 'pi_3']);
    expect(lines).toEqual(['stranded_transfer_found', 'stranded_transfer_found']);
  });

  test('stays open when nobody can explain it, or its payment is sent again', async () => {
    const untold = await run({ ...used, outcomes: () => ({ outcome: 'untold' }) });
    expect(untold.closed).toEqual([]);
    expect(new Set(untold.lines)).toEqual(new Set(['authorization_use_unexplained']));
    const again = await run({
      ...used,
      outcomes: () => ({ outcome: 'stranded', transactionId: '0x1', logIndex: 2 }),
      change: { recordStranding: async () => undefined },
    });
    expect(again).toMatchObject({ closed: [], lines: [] });
  });
});

test('one that cannot be closed keeps no other open', async () => {
  const rows = ['pi_1', 'pi_2', 'pi_3'].map((id) => openOf(id));
  const closed: string[] = [];
  const closeAuthorizations: StrandedStore['closeAuthorizations'] = async (over) => {
    if (over.some(({ intentId }) => intentId === 'pi_2')) throw new Error('not this one');
    closed.push(...over.map(({ intentId }) => intentId));
  };
  const { failures } = await run({ rows, change: { closeAuthorizations } });
  expect(closed.toSorted()).toEqual(['pi_1', 'pi_3']);
  expect(failures).toEqual(['authorizations']);
});
