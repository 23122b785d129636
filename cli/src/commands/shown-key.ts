// The only code that prints a secret key: right after its creation.
import type { MadeKey } from '@svc-pay/postgres/operator';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { table } from '../output/table.ts';

export const SHOWN_ONCE = 'Secret keys are shown this once and can’t be shown again: store them now.';

export function shownKeys(keys: readonly MadeKey[], paint: Paint): string {
  return table(
    keys,
    [
      { head: 'MODE', cell: ({ mode }) => mode },
      { head: 'KIND', cell: ({ kind }) => kind },
      { head: 'ID', cell: ({ id }) => id },
      { head: 'KEY', cell: ({ text }) => text },
    ],
    paint,
  );
}
