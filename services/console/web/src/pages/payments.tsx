import type { ListedIntentBody, ListedPaymentBody } from '@svc-pay/protocol/merchant';
import { Link, useSearch } from '@tanstack/react-router';
import { memo, type ReactNode, useState } from 'react';
import { may } from '../api/roles.ts';
import { type PageScope, useScope } from '../api/scope.ts';
import { chainName, symbolOf } from '../format/chains.ts';
import { showAtomic, showUsd } from '../format/money.ts';
import { short } from '../format/short.ts';
import { FilterBar } from '../lists/filter-bar.tsx';
import { hasFilters, pathOf, queryOf } from '../lists/filters.ts';
import { RowLink } from '../lists/row-link.tsx';
import { RowList } from '../lists/row-list.tsx';
import { SearchBox } from '../lists/search-box.tsx';
import { useList } from '../lists/use-list.ts';
import { Bones, Empty, Heading, Problem, StateBadge, Time } from '../ui/bits.tsx';
import { Icon } from '../ui/icon.tsx';
import { useIsNarrow } from '../ui/narrow.ts';
import { INTENT_WORDS, PAYMENT_WORDS } from '../words/states.ts';
import { ExportSheet } from './parts/export-sheet.tsx';

const ROW = 48;
const NARROW_ROW = 64;

export function Payments() {
  const scope = useScope();
  const filters = useSearch({ from: '/signed-in/$mode/$accountId/payments' });
  const [exporting, setExporting] = useState(false);
  const at = { mode: scope.mode, accountId: scope.accountId };
  const tab = (isHere: boolean) =>
    `-mb-px border-b-2 px-1 pb-2 font-medium ${isHere ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'}`;
  return (
    <>
      <Heading title="Payments">
        <button type="button" className="button" onClick={() => setExporting(true)}>
          <Icon name="save" /> Export
        </button>
        {may(scope.role, 'charge') && (
          <Link to="/$mode/$accountId/new" params={at} className="button first">
            <Icon name="plus" /> New payment link
          </Link>
        )}
      </Heading>
      <nav aria-label="Lists" className="mb-4 flex gap-5 border-b border-line">
        <Link
          to="/$mode/$accountId/payments"
          params={at}
          search={{}}
          className={tab(filters.list === undefined)}
          aria-current={filters.list === undefined ? 'true' : undefined}
        >
          Payments
        </Link>
        <Link
          to="/$mode/$accountId/payments"
          params={at}
          search={{ list: 'intents' }}
          className={tab(filters.list === 'intents')}
          aria-current={filters.list === 'intents' ? 'true' : undefined}
        >
          Asked for
        </Link>
      </nav>
      <div className="mb-4 grid gap-3">
        <SearchBox scope={scope} />
        <FilterBar scope={scope} filters={filters} />
      </div>
      {filters.list === 'intents' ? <Intents scope={scope} /> : <Paid scope={scope} />}
      {exporting && <ExportSheet scope={scope} onClose={() => setExporting(false)} />}
    </>
  );
}

function Paid({ scope }: { readonly scope: PageScope }) {
  const filters = useSearch({ from: '/signed-in/$mode/$accountId/payments' });
  const list = useList<ListedPaymentBody>(scope, pathOf(filters), { ...queryOf(filters), expand: 'intent' });
  return (
    <Listed list={list} label="Payments" filtered={hasFilters(filters)} idOf={({ id }) => id}>
      {(payment) => (
        <Row
          list={listOf(scope)}
          intentId={payment.paymentIntentId}
          amount={payment.paidAmount ?? payment.amount}
          decimals={payment.decimals}
          symbol={symbolOf(payment.tokenShortcode)}
          words={PAYMENT_WORDS[payment.status]}
          about={payment.paymentIntent?.description ?? null}
          payer={payment.payer ?? null}
          place={chainName(payment.chain)}
          createdAt={payment.createdAt}
        />
      )}
    </Listed>
  );
}

function Intents({ scope }: { readonly scope: PageScope }) {
  const filters = useSearch({ from: '/signed-in/$mode/$accountId/payments' });
  const list = useList<ListedIntentBody>(scope, pathOf(filters), queryOf(filters));
  return (
    <Listed list={list} label="Payments asked for" filtered={hasFilters(filters)} idOf={({ id }) => id}>
      {(intent) => (
        <Row
          list={listOf(scope)}
          intentId={intent.id}
          amount={intent.amount}
          usd={intent.amountUsd ?? null}
          decimals={null}
          symbol=""
          words={INTENT_WORDS[intent.status]}
          about={intent.description}
          payer={intent.expectedSenderPrincipal}
          place={(intent.tokens ?? [])
            .map(symbolOf)
            .filter((one, index, all) => all.indexOf(one) === index)
            .join(', ')}
          createdAt={intent.createdAt}
          upTo={intent.x402_upto}
        />
      )}
    </Listed>
  );
}

type ListedProps<Item> = {
  readonly list: ReturnType<typeof useList<Item>>;
  readonly label: string;
  readonly filtered: boolean;
  readonly idOf: (item: Item) => string;
  readonly children: (item: Item) => ReactNode;
};

function Listed<Item>({ list, label, filtered, idOf, children }: ListedProps<Item>) {
  const isNarrow = useIsNarrow();
  if (list.isLoading)
    return (
      <div className="card">
        <Bones lines={12} />
      </div>
    );
  if (list.error !== null && list.items.length === 0) return <Problem of={list.error} again={list.reload} />;
  if (list.items.length === 0)
    return (
      <div className="card">
        {filtered ? (
          <Empty title="Nothing matches these filters">Remove one of them, or choose a longer time.</Empty>
        ) : (
          <Empty title="No payments yet">
            They appear here as soon as somebody pays. Make a payment link, or create payments from your server.
          </Empty>
        )}
      </div>
    );
  return (
    <>
      {list.error !== null && (
        <div className="mb-3">
          <Problem of={list.error} again={list.reload} />
        </div>
      )}
      {list.hasNewer && (
        <div role="status" className="mb-3">
          <button type="button" className="button small" onClick={list.reload}>
            There are newer ones: show them
          </button>
        </div>
      )}
      <RowList
        list={list}
        label={label}
        idOf={idOf}
        rowHeight={isNarrow ? NARROW_ROW : ROW}
        columns={
          <div role="rowgroup" className="max-[900px]:sr-only">
            <div role="row" className="payment-row !h-9 text-[0.857rem] font-medium text-soft">
              <span role="columnheader" className="amount-cell">
                <span>Amount</span>
                {label === 'Payments' && <span />}
              </span>
              <span role="columnheader">Status</span>
              <span role="columnheader">Description</span>
              <span role="columnheader">Payer</span>
              <span role="columnheader">{label === 'Payments' ? 'Network' : 'Tokens'}</span>
              <span role="columnheader" className="text-right">
                Created
              </span>
            </div>
          </div>
        }
      >
        {children}
      </RowList>
    </>
  );
}

const listOf = ({ mode, accountId }: PageScope) => `/${mode}/${accountId}/payments`;

type PaymentRowProps = {
  /** The address of the list that it is in. */
  readonly list: string;
  readonly intentId: string;
  readonly amount: string;
  readonly usd?: string | null;
  readonly decimals: number | null | undefined;
  readonly symbol: string;
  readonly words: (typeof INTENT_WORDS)[keyof typeof INTENT_WORDS];
  readonly about: string | null;
  readonly payer: string | null;
  readonly place: string;
  readonly createdAt: string;
  readonly upTo?: boolean;
};

/** Of the rows that stay in sight while others come, none is drawn again. */
const Row = memo(function Row({ list, intentId, usd, upTo = false, ...row }: PaymentRowProps) {
  const amount = usd ? showUsd(usd) : showAtomic(row.amount, row.decimals);
  return (
    <div className="payment-row" role="presentation">
      <span role="cell" className="amount-cell">
        <RowLink href={`${list}/${intentId}`}>
          {upTo && <span className="font-normal text-soft">up to </span>}
          {amount}
        </RowLink>{' '}
        {row.symbol !== '' && <span className="text-soft">{row.symbol}</span>}
      </span>
      <span role="cell">
        <StateBadge words={row.words} />
      </span>
      <span role="cell" className="min-w-0 truncate">
        {row.about ?? <span className="mono text-soft">{short(intentId)}</span>}
      </span>
      <span role="cell" className="mono whitespace-nowrap text-soft" title={row.payer ?? ''}>
        {row.payer === null ? '—' : short(row.payer)}
      </span>
      <span role="cell" className="min-w-0 truncate text-soft">
        {row.place}
      </span>
      <span role="cell" className="text-right text-soft">
        <Time iso={row.createdAt} plain />
      </span>
    </div>
  );
});
