import type { CreateIntentRequest } from '@svc-pay/protocol';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageScope, relayAnswer, useScope } from '../api/scope.ts';
import { useTokens } from '../api/tokens.ts';
import { symbolOf } from '../format/chains.ts';
import { showUsd, typedToUsd } from '../format/money.ts';
import { Card, Copy, Heading, Notice, Problem } from '../ui/bits.tsx';
import { Form, SelectField, Submit, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';

const PAYMENT_REQUIRED = 402;
const LIFETIMES = [
  ['900', '15 minutes'],
  ['3600', 'An hour'],
  ['86400', 'A day'],
] as const;

type MadeLink = { readonly intentId: string; readonly url: string | null };

export function NewLink() {
  const scope = useScope();
  const [made, setMade] = useState<MadeLink>();
  return (
    <>
      <Heading
        title="New payment link"
        about="Whoever opens the link sees what is to be paid and pays it with a wallet, once."
      />
      <div className="max-w-xl">
        {made === undefined ? (
          <LinkForm scope={scope} onMade={setMade} />
        ) : (
          <Made scope={scope} made={made} onAgain={() => setMade(undefined)} />
        )}
      </div>
    </>
  );
}

async function makeLink(scope: PageScope, body: CreateIntentRequest, idempotencyKey: string): Promise<MadeLink> {
  const answer = await relayAnswer(scope, '/sdk/public/payments/intents/x402', {
    method: 'POST',
    body,
    idempotencyKey,
    alsoGood: [PAYMENT_REQUIRED],
  });
  const { paymentIntentId } = (await answer.json()) as { readonly paymentIntentId: string };
  return { intentId: paymentIntentId, url: answer.headers.get('x-svc-pay-url') };
}

function LinkForm({ scope, onMade }: { readonly scope: PageScope; readonly onMade: (made: MadeLink) => void }) {
  const tokens = useTokens(scope);
  const [typed, setTyped] = useState('');
  const [description, setDescription] = useState('');
  const [reference, setReference] = useState('');
  const [token, setToken] = useState('');
  const [lifetime, setLifetime] = useState('');
  const [intention, setIntention] = useState(() => crypto.randomUUID());
  const usd = typedToUsd(typed);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (usdAmount: string) =>
      makeLink(
        scope,
        {
          usdAmount,
          description: description.trim() || null,
          tokenShortcode: token || null,
          maxTimeoutSeconds: lifetime === '' ? null : Number.parseInt(lifetime, 10),
          metadata: reference.trim() === '' ? null : { reference: reference.trim() },
        },
        intention,
      ),
    onSuccess: onMade,
    // A refused form is changed and sent as another request.
    onError: () => setIntention(crypto.randomUUID()),
  });
  return (
    <Card>
      <div className="p-5">
        <Form onSubmit={() => usd !== undefined && mutate(usd)}>
          <TextField
            label="Amount in dollars"
            inputMode="decimal"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            placeholder="12.50"
            error={typed !== '' && usd === undefined ? 'Enter an amount above zero, such as 12.50.' : undefined}
          />
          <TextField
            label="Description"
            value={description}
            maxLength={500}
            onChange={(event) => setDescription(event.currentTarget.value)}
            hint="The payer reads it on the checkout page."
          />
          <TextField
            label="Reference"
            value={reference}
            maxLength={500}
            onChange={(event) => setReference(event.currentTarget.value)}
            hint="Yours alone, such as an order’s number. It is stored as metadata “reference”."
          />
          <SelectField
            label="Token"
            value={token}
            onChange={setToken}
            options={[
              ['', 'Every token that you take'],
              ...tokens
                .filter(({ available }) => available)
                .map((one) => [one.tokenShortcode, `${symbolOf(one.tokenShortcode)} on ${one.chainName}`] as const),
            ]}
          />
          <SelectField
            label="Can be paid for"
            value={lifetime}
            onChange={setLifetime}
            options={[['', 'The usual time'], ...LIFETIMES]}
          />
          {error !== null && <Problem of={error} />}
          <div className="flex justify-end">
            <Submit busy={isPending} disabled={usd === undefined}>
              {usd === undefined ? 'Make the link' : `Make a link for ${showUsd(usd)}`}
            </Submit>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function Made({
  scope,
  made,
  onAgain,
}: {
  readonly scope: PageScope;
  readonly made: MadeLink;
  readonly onAgain: () => void;
}) {
  return (
    <Card title="Your link is ready">
      <div className="grid gap-4 p-5">
        {made.url === null ? (
          <Notice tone="wait">
            The payment was created, but the service gave no link: its public address is not https, or the tokens can’t
            be paid by signature.
          </Notice>
        ) : (
          <>
            <div className="rounded-lg border border-line bg-sunk px-3 py-2.5">
              <Copy text={made.url} shown={made.url} label="payment link" />
            </div>
            <p className="text-soft">
              Whoever has the link can pay it and see whether it was paid. It is shown only here.
            </p>
          </>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button" onClick={onAgain}>
            <Icon name="plus" /> Another one
          </button>
          <Link
            to="/$mode/$accountId/payments/$intentId"
            params={{ mode: scope.mode, accountId: scope.accountId, intentId: made.intentId }}
            className="button first"
          >
            Follow it
          </Link>
        </div>
      </div>
    </Card>
  );
}
