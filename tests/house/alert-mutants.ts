// Rules that are a little wrong. Cases that let one of them pass do not hold the rule.
import { type Condition, readExpression } from './promql.ts';

export type AlertRule = {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};
export type AlertMutant = { readonly name: string; readonly rule: AlertRule };

/** Thresholds a tenth lower and higher, or by one where they count things; no `for`, and twice as long a one. */
export function mutantsOf(rule: AlertRule): readonly AlertMutant[] {
  const { for: waits, ...atOnce } = rule;
  const { conditions } = readExpression(rule.expr);
  const shifted = conditions.flatMap((condition, index) =>
    (['earlier', 'later'] as const).map((when) => ({
      name: `condition ${index + 1} ${when}`,
      rule: { ...rule, expr: replaced(rule.expr, condition, mutated(condition, when)) },
    })),
  );
  if (waits === undefined) return shifted;
  return [
    ...shifted,
    { name: 'without its for', rule: atOnce },
    { name: 'with twice its for', rule: { ...rule, for: doubled(waits) } },
  ];
}

function mutated({ kind, left, operator, right }: Condition, when: 'earlier' | 'later'): string {
  if (kind === 'absent') return when === 'earlier' ? 'vector(1)' : 'absent(vector(1))';
  if (operator === '==') return `${left} != ${right}`;
  const sign = (operator === '>') === (when === 'earlier') ? -1 : 1;
  return `${left} ${operator} ${moved(right, sign, when)}`;
}

/** A count moves by one: an alert for one of a thing can't fire for a tenth of it. */
function moved(threshold: string, sign: 1 | -1, when: 'earlier' | 'later'): string {
  if (when === 'earlier' && /^[01]$/.test(threshold)) return `${threshold} + ${sign * 0.1}`;
  if (when === 'later' && /^\d$/.test(threshold)) return `${threshold} + ${sign * 1.1}`;
  return `${1 + sign * 0.1} * (${threshold})`;
}

const replaced = (text: string, { from, to }: Condition, by: string) => text.slice(0, from) + by + text.slice(to);

function doubled(duration: string): string {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  if (unit === '') throw new Error(`not a duration that is known here: ${duration}`);
  return `${Number(count) * 2}${unit}`;
}
