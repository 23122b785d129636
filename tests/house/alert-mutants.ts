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

/**
 * Thresholds a tenth lower and higher, or by one where they count things; no `for`, and twice as long a one; each label matcher
 * left out and turned round; each range half and twice as long.
 */
export function mutantsOf(rule: AlertRule): readonly AlertMutant[] {
  const { for: waits, ...atOnce } = rule;
  const changed = [...changedExpressions(rule.expr)].map(([name, expr]) => ({ name, rule: { ...rule, expr } }));
  if (waits === undefined) return changed;
  return [
    ...changed,
    { name: 'without its for', rule: atOnce },
    { name: 'with twice its for', rule: { ...rule, for: times(waits, 2) } },
  ];
}

function* changedExpressions(text: string): Generator<readonly [string, string]> {
  const { conditions, selectors, ranges } = readExpression(text);
  for (const [index, condition] of conditions.entries()) {
    for (const when of ['earlier', 'later'] as const)
      yield [`condition ${index + 1} ${when}`, replaced(text, condition, mutated(condition, when))];
  }
  for (const [index, matcher] of selectors.flatMap(({ matchers }) => matchers).entries()) {
    const { label, operator, value } = matcher;
    const name = `matcher ${index + 1}, ${label}${operator}"${value}",`;
    // Every series matches this one, also a series without the label.
    yield [`${name} left out`, replaced(text, matcher, `${label}=~".*"`)];
    yield [`${name} turned round`, replaced(text, matcher, `${label}${OPPOSITE[operator]}${JSON.stringify(value)}`)];
  }
  for (const [index, range] of ranges.entries()) {
    yield [`range ${index + 1} of ${range.duration}, half`, replaced(text, range, times(range.duration, 0.5))];
    yield [`range ${index + 1} of ${range.duration}, twice`, replaced(text, range, times(range.duration, 2))];
  }
}

const OPPOSITE: Readonly<Record<string, string>> = { '=': '!=', '!=': '=', '=~': '!~', '!~': '=~' };

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

const replaced = (text: string, { from, to }: { readonly from: number; readonly to: number }, by: string) =>
  text.slice(0, from) + by + text.slice(to);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function times(duration: string, factor: number): string {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  if (unit === '') throw new Error(`not a duration that is known here: ${duration}`);
  return `${Number(count) * (SECONDS[unit] ?? 0) * factor}s`;
}
