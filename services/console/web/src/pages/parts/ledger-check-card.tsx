import type { OperatorReport } from '@svc-pay/protocol/operator';
import { chainName } from '../../format/chains.ts';
import { counted } from '../../format/figures.ts';
import { Badge, Card, Empty, Fact, Time } from '../../ui/bits.tsx';
import { obstacleWords } from '../../words/operator.ts';

type Check = OperatorReport['ledgerCheck'];

export function LedgerCheckCard({ check: { last, open } }: { readonly check: Check }) {
  return (
    <Card title="Last ledger check" action={last !== null && <Result check={last} />}>
      {last === null ? (
        <Empty title="The books were never checked">Run “svc ledger check” each day.</Empty>
      ) : (
        <dl className="px-4 py-2">
          <Fact name="Ended">
            {last.endedAt !== null && <Time iso={last.endedAt} />}{' '}
            {last.old && <Badge tone="bad">Older than a day</Badge>}
          </Fact>
          {last.booksAt !== null && (
            <Fact name="Books up to">
              <Time iso={last.booksAt} plain />
            </Fact>
          )}
          {last.looked !== null && <Fact name="Looked at">{counted(last.looked)}</Fact>}
          {last.obstacle !== null && <Fact name="Why">{obstacleWords(last.obstacle)}</Fact>}
          <Fact name="Compared with">{last.networks.map(chainName).join(', ') || 'no chain'}</Fact>
          {last.uncompared.length > 0 && <Fact name="Not compared">{last.uncompared.map(chainName).join(', ')}</Fact>}
        </dl>
      )}
      {open !== null && (
        <p className="border-t border-line px-4 py-2.5 text-soft">
          A check began <Time iso={open.startedAt} /> and has not ended.
        </p>
      )}
    </Card>
  );
}

function Result({ check: { differing, obstacle } }: { readonly check: NonNullable<Check['last']> }) {
  if (obstacle !== null) return <Badge tone="wait">Proved nothing</Badge>;
  return differing === 0 ? (
    <Badge tone="good">No difference</Badge>
  ) : (
    <Badge tone="bad">{counted(differing ?? 0)} differences</Badge>
  );
}
