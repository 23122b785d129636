// Makes an endpoint, or changes one.

import type { EventType } from '@svc-pay/protocol';
import type { Endpoint } from '@svc-pay/protocol/merchant';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf, type PageScope, relay } from '../../api/scope.ts';
import { Problem } from '../../ui/bits.tsx';
import { CheckField, Form, Submit, TextField } from '../../ui/form.tsx';
import { SecretSheet } from '../../ui/secret-sheet.tsx';
import { Sheet, SheetActions, SheetBack } from '../../ui/sheet.tsx';
import { EVENT_NAMES, EVENT_WORDS } from '../../words/states.ts';

type EndpointSheetProps = { readonly scope: PageScope; readonly endpoint?: Endpoint; readonly onClose: () => void };
type Made = { readonly endpoint: Endpoint; readonly secret?: string | null };

const DEFAULT_TYPES: readonly EventType[] = ['payment.completed', 'payment.failed', 'payment.refunded'];

export function EndpointSheet({ scope, endpoint, onClose }: EndpointSheetProps) {
  const queries = useQueryClient();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [types, setTypes] = useState<readonly EventType[]>(endpoint?.eventTypes ?? DEFAULT_TYPES);
  const [timeout, setTimeoutSeconds] = useState(String(endpoint?.timeoutSeconds ?? 5));
  const [retries, setRetries] = useState(String(endpoint?.retryCount ?? 10));
  const [secret, setSecret] = useState<string>();
  const [intention, setIntention] = useState(() => crypto.randomUUID());
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      relay<Made>(
        scope,
        endpoint === undefined ? '/sdk/webhooks/endpoints' : `/sdk/webhooks/endpoints/${endpoint.id}`,
        {
          method: endpoint === undefined ? 'POST' : 'PATCH',
          idempotencyKey: intention,
          body: {
            url: url.trim(),
            eventTypes: types,
            timeoutSeconds: Number.parseInt(timeout, 10),
            retryCount: Number.parseInt(retries, 10),
          },
        },
      ),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: keyOf(scope, 'endpoints') });
      await queries.invalidateQueries({ queryKey: keyOf(scope, 'endpoint', made.endpoint.id) });
      if (made.secret) setSecret(made.secret);
      else onClose();
    },
    onError: () => setIntention(crypto.randomUUID()),
  });
  if (secret !== undefined)
    return (
      <SecretSheet
        secret={{
          title: 'Signing secret',
          text: secret,
          about: 'Your server verifies the signature of each delivery with it.',
        }}
        onClose={onClose}
      />
    );
  const isWhole = (text: string, least: number, most: number) =>
    /^\d{1,2}$/.test(text) && +text >= least && +text <= most;
  const isReady = url.trim() !== '' && types.length > 0 && isWhole(timeout, 1, 30) && isWhole(retries, 0, 36);
  return (
    <Sheet title={endpoint === undefined ? 'Add an endpoint' : 'Change the endpoint'} onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <TextField
          label="Address"
          type="url"
          autoFocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          placeholder="https://shop.example/webhooks"
          hint={scope.mode === 'live' ? 'https, with a public host name.' : 'https; test mode also allows http.'}
        />
        <fieldset>
          <legend className="mb-1 font-medium">Events</legend>
          <CheckField
            label="All"
            checked={types.length === EVENT_NAMES.length}
            onChange={(all) => setTypes(all ? EVENT_NAMES : [])}
          />
          <div className="ml-6.5">
            {EVENT_NAMES.map((type) => (
              <CheckField
                key={type}
                label={type}
                about={EVENT_WORDS[type]}
                checked={types.includes(type)}
                onChange={(checked) => setTypes(checked ? [...types, type] : types.filter((one) => one !== type))}
              />
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Timeout in seconds"
            inputMode="numeric"
            value={timeout}
            onChange={(event) => setTimeoutSeconds(event.currentTarget.value)}
            hint="1 to 30"
            error={isWhole(timeout, 1, 30) ? undefined : '1 to 30'}
          />
          <TextField
            label="Retries"
            inputMode="numeric"
            value={retries}
            onChange={(event) => setRetries(event.currentTarget.value)}
            hint="0 to 36"
            error={isWhole(retries, 0, 36) ? undefined : '0 to 36'}
          />
        </div>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} disabled={!isReady}>
            {endpoint === undefined ? 'Add' : 'Save'}
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
