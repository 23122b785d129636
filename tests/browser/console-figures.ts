// Figures and readings that the double of the console's server makes up. The schemas of the protocol hold them.
import { type Overview, overview } from '@svc-pay/protocol/merchant';
import { type OperatorReport, operatorReport } from '@svc-pay/protocol/operator';
import { iso, MINUTE, NOW, USDC, WALLET } from './console-records.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const share = (part: number, whole: number) => (whole === 0 ? null : (part / whole).toFixed(6));

/** The same waves in every run. */
function pointAt(atMs: number, stepMs: number) {
  const place = Math.floor(atMs / stepMs);
  const wave = (turn: number) => (Math.sin(place * turn) + 1) / 2;
  const size = stepMs === DAY ? 24 : 1;
  const completed = Math.round(size * (6 + 9 * wave(0.9) + 5 * wave(2.3)));
  const failed = Math.round(size * 0.5 * wave(1.7));
  const volume = completed * (18 + 9 * wave(0.4));
  const gas = completed * (0.011 + 0.02 * wave(3.1));
  return {
    at: iso(atMs),
    completed,
    failed,
    canceled: Math.round(2 * wave(1.1)),
    mismatched: 0,
    refunds: Math.round(wave(0.7)),
    reversals: 0,
    successRate: share(completed, completed + failed),
    volumeUsd: volume.toFixed(4),
    refundedUsd: (20 * Math.round(wave(0.7))).toFixed(2),
    unpriced: 0,
    gasUsd: gas.toFixed(4),
    gasShare: share(gas, volume),
    settleTime: {
      count: completed,
      p50Ms: Math.round(1_700 + 500 * wave(1.3)),
      p95Ms: Math.round(4_100 + 2_600 * wave(2.9)),
    },
    tokens: [],
  };
}

const tokenOf = (chain: string, shortcode: string, asset: string, volumeUsd: number) => ({
  chain,
  tokenShortcode: shortcode,
  asset,
  decimals: 6,
  volume: volumeUsd.toFixed(6),
  volumeUsd: volumeUsd.toFixed(2),
  refunded: '20.000000',
  gas: '0.00412',
  gasToken: 'ETH',
  gasDecimals: 18,
  gasShare: '0.001204',
});

export function overviewOf(query: URLSearchParams, behindMs = 1_200): Overview {
  const interval = query.get('interval') === 'hour' ? 'hour' : 'day';
  const stepMs = interval === 'hour' ? HOUR : DAY;
  const [fromMs, toMs] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  const count = Math.round((toMs - fromMs) / stepMs);
  const points = Array.from({ length: count }, (_, index) => pointAt(fromMs + index * stepMs, stepMs)).filter(
    // A gap, as of a shop that was closed.
    (_, index) => count < 20 || index % 17 !== 5,
  );
  const sum = (of: (point: (typeof points)[number]) => number) => points.reduce((total, point) => total + of(point), 0);
  const [completed, failed, volume] = [
    sum((point) => point.completed),
    sum((point) => point.failed),
    sum((point) => Number(point.volumeUsd)),
  ];
  const gas = sum((point) => Number(point.gasUsd));
  return overview.parse({
    asOf: iso(Date.now() - behindMs),
    from: iso(fromMs),
    to: iso(toMs),
    interval,
    total: {
      completed,
      failed,
      canceled: sum((point) => point.canceled),
      mismatched: 0,
      refunds: sum((point) => point.refunds),
      reversals: 0,
      successRate: share(completed, completed + failed),
      volumeUsd: volume.toFixed(4),
      refundedUsd: sum((point) => Number(point.refundedUsd)).toFixed(2),
      unpriced: 3,
      gasUsd: gas.toFixed(4),
      gasShare: share(gas, volume),
      settleTime: { count: completed, p50Ms: 1_930, p95Ms: 5_480 },
      tokens: [
        tokenOf('eip155:8453', 'base_usdc', USDC, volume * 0.8),
        tokenOf('eip155:1', 'eth_usdc', WALLET, volume * 0.2),
      ],
    },
    points,
    failures: [
      { code: 'insufficient_funds', count: Math.ceil(failed * 0.6) },
      { code: 'authorization_expired', count: Math.ceil(failed * 0.3) },
      { code: 'invalid_signature', count: Math.ceil(failed * 0.1) },
    ].filter(({ count: failures }) => failures > 0),
  });
}

/** Of an account that has no payment. */
export function emptyOverview(query: URLSearchParams): Overview {
  const none = { completed: 0, failed: 0, canceled: 0, mismatched: 0, refunds: 0, reversals: 0, unpriced: 0 };
  return overview.parse({
    ...overviewOf(query),
    points: [],
    failures: [],
    total: {
      ...none,
      successRate: null,
      volumeUsd: '0',
      refundedUsd: '0',
      gasUsd: '0',
      gasShare: null,
      settleTime: null,
      tokens: [],
    },
  });
}

const reading = (ageMs: number) => ({ at: iso(NOW - ageMs), old: ageMs > MINUTE });
const node = (endpoint: number, change: object = {}) => ({
  ...reading(9_000),
  endpoint,
  state: 'fine',
  head: '38121904',
  headTime: iso(NOW - 10_000),
  finalHead: '38121290',
  tookMs: 48 + 31 * endpoint,
  answeredAt: iso(NOW - 9_000),
  ...change,
});
const STAGES = ['queued', 'queued_solo', 'queued_refund', 'pending', 'held'];
const backlog = (counts: readonly number[]) =>
  STAGES.map((stage, index) => ({
    stage,
    count: counts[index] ?? 0,
    more: false,
    oldestAt: (counts[index] ?? 0) === 0 ? null : iso(NOW - (index + 1) * 4_000),
  }));
const network = (name: string, change: object) => ({
  network: name,
  offered: true,
  reason: null,
  since: iso(NOW - 5 * DAY),
  health: reading(800),
  head: '38121904',
  finality: { blocks: '614', seconds: 1_228 },
  nodes: [node(1), node(2)],
  tokenLedgers: [],
  backlog: backlog([]),
  ...change,
});
const lane = (name: string, index: number, change: object) => ({
  network: name,
  relayer: `0x${'de70'.repeat(9)}000${index}`,
  mode: 'live',
  duty: 'settle',
  status: 'active',
  condition: 'fine',
  capped: false,
  obstacle: null,
  obstacleSince: null,
  awake: false,
  heartbeatAt: iso(NOW - 2_000),
  pending: { count: 0, oldestAt: null },
  balance: '412000000000000000',
  coin: { symbol: 'ETH', decimals: 18 },
  checked: reading(700),
  float: { kind: 'days', days: 41.2, perDay: '10000000000000000' },
  ...change,
});

export const operatorsView = (): OperatorReport =>
  operatorReport.parse({
    at: iso(NOW),
    networks: [
      network('eip155:8453', {
        nodes: [node(1), node(2, { head: '38121903' }), node(3, { state: 'behind', head: '38120011' })],
        backlog: backlog([12, 1, 0, 3, 0]),
      }),
      network('eip155:1', {
        offered: false,
        reason: 'chain_unreachable',
        since: iso(NOW - 9 * MINUTE),
        head: null,
        finality: null,
        nodes: [
          node(1, { state: 'silent', ...reading(11 * MINUTE), tookMs: 5_000, head: '24120881', finalHead: '24120810' }),
        ],
        backlog: backlog([4]),
      }),
      network('icp:mainnet', {
        offered: null,
        since: null,
        head: null,
        finality: null,
        health: { at: null, old: true },
        nodes: [],
        tokenLedgers: [
          { ...reading(3_000), ledger: 'xevnm-gaaaa-aaaar-qafnq-cai', nextIndex: '812004', stoppedAt: null },
        ],
      }),
    ],
    lanes: [
      lane('eip155:8453', 1, { awake: true, pending: { count: 3, oldestAt: iso(NOW - 14_000) } }),
      lane('eip155:8453', 2, { condition: 'low', float: { kind: 'days', days: 2.4, perDay: '10000000000000000' } }),
      lane('eip155:1', 3, { checked: reading(12 * MINUTE), float: { kind: 'no_spending' } }),
    ],
    backlog: [
      { stage: 'delivery', count: 41, more: false, oldestAt: iso(NOW - 2_000) },
      { stage: 'delivery_failing', count: 380, more: false, oldestAt: iso(NOW - 3 * HOUR) },
      { stage: 'expiry', count: 0, more: false, oldestAt: null },
    ],
    ledgerCheck: {
      last: {
        startedAt: iso(NOW - 7 * HOUR),
        endedAt: iso(NOW - 7 * HOUR + 4 * MINUTE),
        booksAt: iso(NOW - 7 * HOUR + 2_000),
        networks: ['eip155:8453', 'eip155:1'],
        uncompared: [],
        looked: 184_220,
        differing: 0,
        obstacle: null,
        old: false,
      },
      open: null,
    },
  });
