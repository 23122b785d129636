import type { OperatedLane, OperatorReport, ReportedNetwork, ShownBacklog } from '@svc-pay/protocol/operator';
import { useQuery } from '@tanstack/react-query';
import { useOperatorReport } from '../api/operator.ts';
import { meQuery } from '../api/people.ts';
import { chainName } from '../format/chains.ts';
import { counted, duration } from '../format/figures.ts';
import { showAtomic } from '../format/money.ts';
import { exact } from '../format/time.ts';
import { NotFound } from '../shell/not-found.tsx';
import { Badge, Bones, Card, Copy, Empty, Fact, Heading, Problem, StateBadge, Time } from '../ui/bits.tsx';
import { conditionWords, NODE_WORDS, obstacleWords, STAGE_WORDS } from '../words/operator.ts';
import { LedgerCheckCard } from './parts/ledger-check-card.tsx';

const FLOAT_LOW_DAYS = 3;
const FLOAT_SHORT_DAYS = 7;

export function Operator() {
  const { data: me } = useQuery(meQuery);
  // The server refuses as well.
  return me?.person.operatorView === true ? <Report /> : <NotFound />;
}

function Report() {
  const { data, error, refetch } = useOperatorReport();
  return (
    <>
      <Heading
        title="Operator"
        about={
          data === undefined ? (
            'The whole installation, as its processes last recorded it.'
          ) : (
            <span role="status">
              The whole installation, as of <time dateTime={data.at}>{exact(data.at)}</time>. Nothing is changed here.
            </span>
          )
        }
      />
      {error !== null && <Problem of={error} again={() => void refetch()} />}
      {data === undefined && error === null && <Bones lines={8} />}
      {data !== undefined && <Parts report={data} />}
    </>
  );
}

function Parts({ report }: { readonly report: OperatorReport }) {
  return (
    <div className="grid gap-4">
      {report.networks.length === 0 && (
        <Card>
          <Empty title="No network is recorded yet">
            Settlement records its networks, nodes and relayers some seconds after it starts.
          </Empty>
        </Card>
      )}
      {report.networks.map((network) => (
        <NetworkCard key={network.network} network={network} />
      ))}
      {report.lanes.length > 0 && <LanesCard lanes={report.lanes} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Backlog of the installation">
          <dl className="px-4 py-2">
            <BacklogFacts backlog={report.backlog} all />
          </dl>
        </Card>
        <LedgerCheckCard check={report.ledgerCheck} />
      </div>
    </div>
  );
}

/** When something was read; marked where that is too long ago to be relied on. */
function Read({ at, old }: { readonly at: string | null; readonly old: boolean }) {
  if (at === null) return <Badge tone="wait">Never read</Badge>;
  if (!old)
    return (
      <span className="text-soft">
        read <Time iso={at} />
      </span>
    );
  return (
    <Badge tone="bad" title="The process that reads it may be down: this may be wrong now.">
      Old: read <Time iso={at} />
    </Badge>
  );
}

function Offered({ network: { offered, reason, since } }: { readonly network: ReportedNetwork }) {
  if (offered === null) return <Badge tone="quiet">Not offered by a lane</Badge>;
  if (offered) return <Badge tone="good">Offered</Badge>;
  return (
    <Badge tone="bad" title={reason === null ? '' : obstacleWords(reason)}>
      Withdrawn {since !== null && <Time iso={since} />}
    </Badge>
  );
}

function NetworkCard({ network }: { readonly network: ReportedNetwork }) {
  const { head, finality, nodes, tokenLedgers, backlog, reason, health, offered } = network;
  return (
    <Card title={chainName(network.network)} action={<Offered network={network} />}>
      {reason !== null && <p className="border-b border-line px-4 py-2.5 text-bad">{obstacleWords(reason)}</p>}
      <div className="grid lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)] lg:divide-x lg:divide-line">
        <div className="min-w-0">
          {nodes.length > 0 && <NodeTable nodes={nodes} />}
          {tokenLedgers.length > 0 && (
            <ul className="divide-y divide-line">
              {tokenLedgers.map((ledger) => (
                <li key={ledger.ledger} className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5">
                  <span className="mono break-all">{ledger.ledger}</span>
                  <span className="flex items-center gap-3">
                    {ledger.stoppedAt !== null && (
                      <Badge tone="bad" title="Its blocks do not continue what was read.">
                        Stopped <Time iso={ledger.stoppedAt} />
                      </Badge>
                    )}
                    <span>block {counted(Number(ledger.nextIndex))}</span>
                    <Read {...ledger} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          {nodes.length + tokenLedgers.length === 0 && <p className="px-4 py-4 text-soft">No node was read.</p>}
        </div>
        <div className="border-line max-lg:border-t">
          <dl className="px-4 py-2">
            {nodes.length > 0 && (
              <>
                <Fact name="Latest block">{head === null ? '—' : counted(Number(head))}</Fact>
                <Fact name="Final after">{finality === null ? '—' : finalityWords(finality)}</Fact>
              </>
            )}
            {offered !== null && (
              <Fact name="Health">
                <Read {...health} />
              </Fact>
            )}
            <BacklogFacts backlog={backlog} />
          </dl>
        </div>
      </div>
    </Card>
  );
}

const finalityWords = ({ blocks, seconds }: NonNullable<ReportedNetwork['finality']>): string =>
  `${counted(Number(blocks))} blocks${seconds === null ? '' : `, ${duration(seconds * 1_000)}`}`;

const NodeTable = ({ nodes }: { readonly nodes: ReportedNetwork['nodes'] }) => (
  <table className="plain-table">
    <thead>
      <tr>
        <th scope="col">Node</th>
        <th scope="col">State</th>
        <th scope="col" className="end">
          Latest block
        </th>
        <th scope="col" className="end">
          Final block
        </th>
        <th scope="col" className="end">
          Took
        </th>
        <th scope="col" className="end">
          As of
        </th>
      </tr>
    </thead>
    <tbody>
      {nodes.map((node) => (
        <tr key={node.endpoint}>
          <td data-name="Node">{node.endpoint}</td>
          <td data-name="State">
            <StateBadge words={NODE_WORDS[node.state]} />
          </td>
          <td data-name="Latest block" className="end">
            {node.head === null ? '—' : counted(Number(node.head))}
          </td>
          <td data-name="Final block" className="end">
            {node.finalHead === null ? '—' : counted(Number(node.finalHead))}
          </td>
          <td data-name="Took" className="end whitespace-nowrap">
            {duration(node.tookMs)}
          </td>
          <td data-name="As of" className="end">
            <Read {...node} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** `all`: also what nobody waits for. */
function BacklogFacts({ backlog, all = false }: { readonly backlog: readonly ShownBacklog[]; readonly all?: boolean }) {
  const shown = backlog.filter(({ count }) => all || count > 0);
  if (shown.length === 0) return <Fact name="Backlog">Nothing waits</Fact>;
  return shown.map(({ stage, count, more, oldestAt }) => (
    <Fact key={stage} name={STAGE_WORDS[stage]}>
      <span className={count === 0 ? 'text-soft' : 'font-medium'}>
        {counted(count)}
        {more && ' or more'}
      </span>
      {oldestAt !== null && (
        <span className="text-soft">
          , oldest <Time iso={oldestAt} />
        </span>
      )}
    </Fact>
  ));
}

function LanesCard({ lanes }: { readonly lanes: readonly OperatedLane[] }) {
  return (
    <Card title="Lanes and relayers">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Relayer</th>
            <th scope="col">State</th>
            <th scope="col" className="end">
              On their way
            </th>
            <th scope="col" className="end">
              Balance
            </th>
            <th scope="col" className="end">
              Spends a day
            </th>
            <th scope="col" className="end">
              Lasts
            </th>
            <th scope="col" className="end">
              As of
            </th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => (
            <tr key={`${lane.network} ${lane.relayer}`}>
              <td>
                <span className="block font-medium">
                  {chainName(lane.network)}
                  {lane.duty === 'recover' && ', stranded money'}
                </span>
                <Copy text={lane.relayer} label="address" />
              </td>
              <td data-name="State">
                <LaneState lane={lane} />
              </td>
              <td data-name="On their way" className="end">
                {counted(lane.pending.count)}
                {lane.pending.oldestAt !== null && (
                  <span className="text-soft">
                    , oldest <Time iso={lane.pending.oldestAt} />
                  </span>
                )}
              </td>
              <td data-name="Balance" className="end" title={lane.balance ?? ''}>
                {coins(lane, lane.balance)}
              </td>
              <td data-name="Spends a day" className="end">
                {lane.float.kind === 'days' ? coins(lane, lane.float.perDay) : '—'}
              </td>
              <td data-name="Lasts" className="end">
                <Lasts float={lane.float} />
              </td>
              <td data-name="As of" className="end">
                <Read {...lane.checked} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** Coins to six decimal places; the title of the cell has all of them. */
function coins({ coin }: OperatedLane, atomic: string | null): string {
  if (atomic === null) return '—';
  const [whole = '', fraction = ''] = showAtomic(atomic, coin.decimals).split('.');
  return `${whole}.${fraction.slice(0, 6)} ${coin.symbol}`;
}

function LaneState({
  lane: { status, condition, obstacle, obstacleSince, capped, awake },
}: {
  readonly lane: OperatedLane;
}) {
  if (obstacle !== null)
    return (
      <Badge tone="bad" title={obstacleWords(obstacle)}>
        Stopped {obstacleSince !== null && <Time iso={obstacleSince} />}
      </Badge>
    );
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {status !== 'active' && <Badge tone="note">{status === 'draining' ? 'Draining' : status}</Badge>}
      <StateBadge words={conditionWords(condition)} />
      {capped && <Badge tone="wait">Near its cap</Badge>}
      {awake && <Badge tone="quiet">Working</Badge>}
    </span>
  );
}

function Lasts({ float }: { readonly float: OperatedLane['float'] }) {
  if (float.kind === 'unknown') return <span className="text-soft">Balance unknown</span>;
  if (float.kind === 'no_spending') return <span className="text-soft">No spending</span>;
  const words = `${float.days.toLocaleString('en-US')} days`;
  if (float.days >= FLOAT_SHORT_DAYS) return <span className="font-medium">{words}</span>;
  return (
    <Badge
      tone={float.days < FLOAT_LOW_DAYS ? 'bad' : 'wait'}
      title="At what it spent on average in the last seven days."
    >
      {words}
    </Badge>
  );
}
