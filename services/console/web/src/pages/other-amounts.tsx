// What the account wants done with another amount than it asked for.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { adminPost, type MismatchPolicyOf, useMismatchPolicy } from '../api/keys.ts';
import { keyOf, type PageScope, useScope } from '../api/scope.ts';
import { showAtomic, typedToAtomic } from '../format/money.ts';
import { Bones, Card, Heading, Notice, Problem } from '../ui/bits.tsx';
import { Form, SelectField, Submit, TextField } from '../ui/form.tsx';

/** Millionths of a dollar, and hundredths of a percent. */
const USD_DECIMALS = 6;
const PERCENT_DECIMALS = 2;
const MOST_BPS = 10_000n;

const UNDER = [
  ['hold', 'Wait: the payer can send the rest, or you decide'],
  ['accept', 'Count it as paid'],
  ['refund', 'Give it all back'],
] as const;
const OVER = [
  ['refund', 'Count it as paid, and give the rest back'],
  ['accept', 'Count it as paid, and keep it all'],
  ['hold', 'Wait: you decide'],
] as const;

export function OtherAmounts() {
  const scope = useScope();
  const { data, error, refetch } = useMismatchPolicy(scope);
  return (
    <>
      <Heading
        title="Other amounts"
        about="A payer who sends a transaction of their own decides how much it is. This is what becomes of more or less than you asked for."
      />
      <div className="grid max-w-xl gap-4">
        {error !== null && <Problem of={error} again={() => void refetch()} />}
        {data === undefined && error === null && (
          <Card>
            <Bones lines={5} />
          </Card>
        )}
        {data !== undefined && <PolicyForm scope={scope} policy={data} />}
        <p className="text-soft">
          <Link
            to="/$mode/$accountId/payments"
            params={{ mode: scope.mode, accountId: scope.accountId }}
            search={{ status: 'mismatched' }}
            className="link"
          >
            Payments that wait for your decision
          </Link>
        </p>
      </div>
    </>
  );
}

/** Zero where nothing is typed; undefined for what is no such number. */
function scaled(typed: string, decimals: number): string | undefined {
  if (/^[0.,\s]*$/.test(typed)) return '0';
  return typedToAtomic(typed, decimals);
}

const shown = (whole: string, decimals: number) =>
  whole === '0' ? '' : showAtomic(whole, decimals).replaceAll(',', '');

function PolicyForm({ scope, policy }: { readonly scope: PageScope; readonly policy: MismatchPolicyOf }) {
  const queries = useQueryClient();
  const [over, setOver] = useState<string>(policy.over);
  const [under, setUnder] = useState<string>(policy.under);
  const [dollars, setDollars] = useState(shown(policy.toleranceUsdMicros, USD_DECIMALS));
  const [percent, setPercent] = useState(shown(String(policy.toleranceBps), PERCENT_DECIMALS));
  const micros = scaled(dollars, USD_DECIMALS);
  const points = scaled(percent, PERCENT_DECIMALS);
  const bps = points !== undefined && BigInt(points) <= MOST_BPS ? Number.parseInt(points, 10) : undefined;
  const isChanged =
    over !== policy.over ||
    under !== policy.under ||
    micros !== policy.toleranceUsdMicros ||
    bps !== policy.toleranceBps;
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      adminPost(`/accounts/${scope.accountId}/mismatch`, {
        mode: scope.mode,
        over,
        under,
        toleranceUsdMicros: micros,
        toleranceBps: bps,
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(scope, 'account') }),
  });
  return (
    <Card>
      <div className="p-5">
        <Form onSubmit={() => mutate()}>
          <SelectField label="Less than asked for" value={under} onChange={setUnder} options={UNDER} />
          {under === 'accept' && (
            <Notice tone="wait">
              Any payment of a hundredth of the price or more then counts as paid. Choose this for donations, not for
              goods.
            </Notice>
          )}
          <SelectField
            label="More than asked for"
            value={over}
            onChange={setOver}
            options={OVER}
            hint="Also for money that comes when the payment is already paid, canceled or expired."
          />
          <TextField
            label="Tolerated difference in dollars"
            inputMode="decimal"
            value={dollars}
            placeholder="0"
            onChange={(event) => setDollars(event.currentTarget.value)}
            error={micros === undefined ? 'Enter an amount such as 0.05.' : undefined}
          />
          <TextField
            label="Tolerated difference in percent"
            inputMode="decimal"
            value={percent}
            placeholder="0"
            onChange={(event) => setPercent(event.currentTarget.value)}
            hint="The larger of both counts, and never more than a tenth of the price."
            error={bps === undefined ? 'Enter a percentage such as 0.5.' : undefined}
          />
          <p className="text-soft">Nothing is sent back by itself: what is due back waits for you to refund it.</p>
          {error !== null && <Problem of={error} />}
          {isSuccess && !isChanged && <Notice tone="good">Saved. It counts for money that arrives from now on.</Notice>}
          <div className="flex justify-end">
            <Submit busy={isPending} disabled={!isChanged || micros === undefined || bps === undefined}>
              Save
            </Submit>
          </div>
        </Form>
      </div>
    </Card>
  );
}
