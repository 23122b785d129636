import { useState } from 'react';
import { Form, SelectField, TextField } from '../ui/form.tsx';
import { Sheet, SheetActions, SheetBack } from '../ui/sheet.tsx';
import { FILTERS, type FilterName, filtersOf, isTaken, type ListFilters, withFilter } from './filters.ts';

type TypedProps = {
  readonly filters: ListFilters;
  readonly onClose: () => void;
  readonly onChoose: (filters: ListFilters) => void;
};

/** Sets one filter whose value is typed. */
export function TypedFilterSheet({ filters, onClose, onChoose }: TypedProps) {
  const names = filtersOf(filters.list, 'typed');
  const [name, setName] = useState<FilterName>(names[0] ?? 'metadata');
  const [typed, setTyped] = useState('');
  const value = typed.trim();
  const isGood = isTaken(filters.list, name, value);
  const { label, ...about } = FILTERS[name];
  return (
    <Sheet title="More filters" onClose={onClose}>
      <Form onSubmit={() => isGood && onChoose(withFilter(filters, name, value))}>
        <SelectField
          label="Filter by"
          value={name}
          onChange={(chosen) => setName(chosen as FilterName)}
          options={names.map((one) => [one, FILTERS[one].label] as const)}
        />
        <TextField
          label={label}
          value={typed}
          spellCheck={false}
          autoFocus
          onChange={(event) => setTyped(event.currentTarget.value)}
          hint={'hint' in about ? about.hint : undefined}
          error={value !== '' && !isGood ? 'No payment can have this.' : undefined}
        />
        <SheetActions>
          <SheetBack onClose={onClose} />
          <button type="submit" className="button first" disabled={!isGood}>
            Show
          </button>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
