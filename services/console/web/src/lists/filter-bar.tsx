import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PageScope } from '../api/scope.ts';
import { useTokens } from '../api/tokens.ts';
import { chainName, symbolOf } from '../format/chains.ts';
import { short } from '../format/short.ts';
import { isoToLocal, localToIso } from '../format/time.ts';
import { Choice } from '../ui/choice.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { Sheet, SheetActions } from '../ui/sheet.tsx';
import { isBackwards, TimeRangeFields } from '../ui/time-range.tsx';
import { INTENT_WORDS, PAYMENT_WORDS } from '../words/states.ts';
import { FILTERS, type FilterName, filtersOf, hasFilters, type ListFilters, withFilter } from './filters.ts';
import { TypedFilterSheet } from './typed-filter-sheet.tsx';

export function FilterBar({ scope, filters }: { readonly scope: PageScope; readonly filters: ListFilters }) {
  const navigate = useNavigate();
  const tokens = useTokens(scope);
  const [choosing, setChoosing] = useState<'time' | 'typed'>();
  const close = () => setChoosing(undefined);
  const go = (search: ListFilters) =>
    void navigate({
      to: '/$mode/$accountId/payments',
      params: { mode: scope.mode, accountId: scope.accountId },
      search,
      replace: true,
    });
  const set = (name: FilterName, value: string | undefined) => go(withFilter(filters, name, value));
  const chains = [...new Map(tokens.map(({ chain, chainName: name }) => [chain, name]))];
  const options: Readonly<Partial<Record<FilterName, readonly (readonly [string, string])[]>>> = {
    status: Object.entries(filters.list === 'intents' ? INTENT_WORDS : PAYMENT_WORDS).map(([name, { word }]) => [
      name,
      word,
    ]),
    chain: withChosen(chains, filters.chain, chainName),
    token: withChosen(
      tokens.map((one) => [one.tokenShortcode, `${symbolOf(one.tokenShortcode)}, ${one.chainName}`] as const),
      filters.token,
      symbolOf,
    ),
  };
  return (
    <div className="flex flex-wrap items-center gap-2" role="group" aria-label="Filters">
      {filtersOf(filters.list, 'choice').map((name) => (
        <Choice
          key={name}
          label={FILTERS[name].label}
          value={filters[name]}
          options={options[name] ?? []}
          onChange={(value) => set(name, value)}
        />
      ))}
      <button
        type="button"
        className={`button small ${isDated(filters) ? '!border-accent !text-accent' : ''}`}
        onClick={() => setChoosing('time')}
      >
        {isDated(filters) ? rangeWords(filters) : 'Created'}
      </button>
      <button type="button" className="button small" onClick={() => setChoosing('typed')}>
        <Icon name="plus" className="size-3.5" /> More filters
      </button>
      {filtersOf(filters.list, 'typed').map((name) => {
        const [value, { label }] = [filters[name], FILTERS[name]];
        return value === undefined ? null : (
          <span key={name} className="button small !border-accent !text-accent">
            {label}: <span className="mono">{short(value)}</span>
            <button
              type="button"
              aria-label={`Remove filter ${label}`}
              className="-mr-1 rounded p-0.5"
              onClick={() => set(name, undefined)}
            >
              <Icon name="close" className="size-3.5" />
            </button>
          </span>
        );
      })}
      {hasFilters(filters) && (
        <button
          type="button"
          className="button bare small"
          onClick={() => go(filters.list === 'intents' ? { list: 'intents' } : {})}
        >
          Clear all
        </button>
      )}
      {choosing === 'time' && (
        <TimeSheet
          filters={filters}
          onClose={close}
          onChoose={(chosen) => {
            close();
            go(chosen);
          }}
        />
      )}
      {choosing === 'typed' && (
        <TypedFilterSheet
          filters={filters}
          onClose={close}
          onChoose={(chosen) => {
            close();
            go(chosen);
          }}
        />
      )}
    </div>
  );
}

/** A filter of the address is shown also when the account no longer takes that token. */
function withChosen(
  options: readonly (readonly [string, string])[],
  chosen: string | undefined,
  nameOf: (text: string) => string,
): readonly (readonly [string, string])[] {
  if (chosen === undefined || options.some(([name]) => name === chosen)) return options;
  return [...options, [chosen, nameOf(chosen)]];
}

const isDated = ({ createdAfter, createdBefore }: ListFilters) =>
  createdAfter !== undefined || createdBefore !== undefined;

function rangeWords({ createdAfter, createdBefore }: ListFilters): string {
  const day = (iso: string) => isoToLocal(iso).replace('T', ' ');
  if (createdAfter !== undefined && createdBefore !== undefined) return `${day(createdAfter)} to ${day(createdBefore)}`;
  return createdAfter === undefined ? `before ${day(createdBefore ?? '')}` : `since ${day(createdAfter)}`;
}

type TimeSheetProps = {
  readonly filters: ListFilters;
  readonly onClose: () => void;
  readonly onChoose: (filters: ListFilters) => void;
};

function TimeSheet({ filters, onClose, onChoose }: TimeSheetProps) {
  const [from, setFrom] = useState(isoToLocal(filters.createdAfter));
  const [to, setTo] = useState(isoToLocal(filters.createdBefore));
  const choose = () =>
    onChoose(withFilter(withFilter(filters, 'createdAfter', localToIso(from)), 'createdBefore', localToIso(to)));
  return (
    <Sheet title="Created" onClose={onClose}>
      <Form onSubmit={choose}>
        <TimeRangeFields from={from} to={to} onFrom={setFrom} onTo={setTo} />
        <SheetActions>
          <button
            type="button"
            className="button"
            onClick={() =>
              onChoose(withFilter(withFilter(filters, 'createdAfter', undefined), 'createdBefore', undefined))
            }
          >
            Any time
          </button>
          <button type="submit" className="button first" disabled={isBackwards(from, to)}>
            Show
          </button>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
