// The only code that prints a secret key: right after its creation.
import type { NewKey } from '@svc-pay/core';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { table } from '../output/table.ts';

export const SHOWN_ONCE = 'Secret keys are shown this once and can’t be shown again: store them now.';

export function shownKey({ text, record: { id, mode, kind } }: NewKey) {
  return { id, mode, kind, text };
}

export function shownKeys(keys: readonly NewKey[], paint: Paint): string {
  return table(
    keys.map(shownKey),
    [
      { head: 'MODE', cell: ({ mode }) => mode },
      { head: 'KIND', cell: ({ kind }) => kind },
      { head: 'ID', cell: ({ id }) => id },
      { head: 'KEY', cell: ({ text }) => text },
    ],
    paint,
  );
}
