import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { adminPost } from '../api/keys.ts';
import { endsHere, type ShownPayout, usePayouts } from '../api/payouts.ts';
import { may } from '../api/roles.ts';
import { keyOf, type PageScope, useScope } from '../api/scope.ts';
import { chainName } from '../format/chains.ts';
import { Bones, Card, Copy, Empty, Heading, Notice, Problem, StateBadge, Time } from '../ui/bits.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { Sheet, SheetActions, SheetBack } from '../ui/sheet.tsx';
import { PAYOUT_WORDS } from '../words/states.ts';

const BPS_OF_PERCENT = 100;

export function Payouts() {
  const scope = useScope();
  const { data, error, refetch } = usePayouts(scope);
  const [ending, setEnding] = useState<ShownPayout>();
  const mayEnd = may(scope.role, 'payouts');
  return (
    <>
      <Heading
        title="Payouts"
        about={`The wallets that payments of ${scope.mode} mode go to. A new wallet is activated by its own signature and an approval, with the command of your operator.`}
      />
      {error !== null && <Problem of={error} again={() => void refetch()} />}
      <Card>
        {data === undefined && error === null && <Bones />}
        {data?.length === 0 && <Empty title="No payout yet">Without one nobody can pay you in this mode.</Empty>}
        <ul className="divide-y divide-line">
          {data?.map((payout) => (
            <li
              key={`${payout.network} ${payout.processor} ${payout.payoutId}`}
              aria-label={`Payout ${payout.payoutId} on ${chainName(payout.network)}`}
              className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3"
            >
              <PayoutFacts payout={payout} />
              <StateBadge words={PAYOUT_WORDS[payout.status]} />
              {mayEnd && endsHere(payout) && (
                <button type="button" className="button bare small grave" onClick={() => setEnding(payout)}>
                  End
                </button>
              )}
            </li>
          ))}
        </ul>
      </Card>
      {ending !== undefined && <EndSheet scope={scope} payout={ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}

function PayoutFacts({
  payout: { network, payoutId, merchant, feeBps, splits, direct },
}: {
  readonly payout: ShownPayout;
}) {
  const percent = (bps: number) => `${bps / BPS_OF_PERCENT} %`;
  return (
    <div className="min-w-64 flex-1">
      <p className="font-medium">
        {chainName(network)} <span className="font-normal text-soft">payout {payoutId}</span>
      </p>
      <p>
        To <Copy text={merchant} label="wallet" />
      </p>
      <p className="text-[0.857rem] text-soft">
        {direct === undefined ? 'Through the payment processor' : 'Straight to the wallet'}
        {feeBps > 0 && `, fee ${percent(feeBps)}`}
        {splits.length > 0 && `, ${splits.length === 1 ? 'one share' : `${splits.length} shares`} of others: `}
        {splits.map(({ bps }) => percent(bps)).join(', ')}
        {direct !== undefined && (
          <>
            , from <Time iso={direct.activeFrom} plain />
          </>
        )}
      </p>
    </div>
  );
}

function EndSheet({
  scope,
  payout,
  onClose,
}: {
  readonly scope: PageScope;
  readonly payout: ShownPayout;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      adminPost(`/accounts/${scope.accountId}/payouts/disable`, { network: payout.network, payoutId: payout.payoutId }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keyOf(scope, 'payouts') });
      onClose();
    },
  });
  return (
    <Sheet title="End this payout now" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p>
          No payment to <span className="mono break-all">{payout.merchant}</span> on {chainName(payout.network)} is
          accepted or sent any more, and the wallets that it replaced end with it. This can’t be taken back.
        </p>
        <Notice tone="wait">
          Nobody can pay you with what only this payout takes, until another wallet is activated.
        </Notice>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} grave>
            End now
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
