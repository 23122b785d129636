import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { adminPost, type KeyText, SCOPE_WORDS, type ScopeName, type ShownKey } from '../../api/keys.ts';
import type { PageScope } from '../../api/scope.ts';
import { Notice, Problem } from '../../ui/bits.tsx';
import { CheckField, Form, SelectField, Submit } from '../../ui/form.tsx';
import type { ShownSecret } from '../../ui/secret-sheet.tsx';
import { Sheet, SheetActions, SheetBack } from '../../ui/sheet.tsx';

type SheetOf = { readonly onClose: () => void; readonly onDone: (made?: ShownSecret) => Promise<void> };

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  [String(24 * HOUR_MS), 'A day'],
  [String(7 * 24 * HOUR_MS), 'A week'],
  [String(HOUR_MS), 'An hour'],
  ['0', 'Not at all: it ends now'],
] as const;
const NOT_OF_PUBLISHABLE: readonly ScopeName[] = ['refund', 'webhooks'];

const secretOf = ({ text }: KeyText, kind: string): ShownSecret => ({
  title: kind === 'secret' ? 'New secret key' : 'New publishable key',
  text,
  about: 'Give it to your server as a setting, never in code and never to a page.',
});

export function CreateKeySheet({ scope, onClose, onDone }: SheetOf & { readonly scope: PageScope }) {
  const [kind, setKind] = useState('secret');
  const [isLimited, setLimited] = useState(false);
  const [scopes, setScopes] = useState<readonly ScopeName[]>(['read']);
  const offered = (Object.keys(SCOPE_WORDS) as ScopeName[]).filter(
    (name) => kind === 'secret' || !NOT_OF_PUBLISHABLE.includes(name),
  );
  const chosen = scopes.filter((name) => offered.includes(name));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      adminPost<{ readonly key: KeyText }>(`/accounts/${scope.accountId}/keys`, {
        mode: scope.mode,
        kind,
        ...(isLimited && { scopes: chosen }),
      }),
    onSuccess: ({ key }) => onDone(kind === 'secret' ? secretOf(key, kind) : undefined),
  });
  return (
    <Sheet title={`Create a ${scope.mode} key`} onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <SelectField
          label="Kind"
          value={kind}
          onChange={setKind}
          options={[
            ['secret', 'Secret: for your server'],
            ['publishable', 'Publishable: for a page'],
          ]}
        />
        <div>
          <CheckField label="Limit what it may do" checked={isLimited} onChange={setLimited} />
          {isLimited && (
            <div className="ml-6.5">
              {offered.map((name) => (
                <CheckField
                  key={name}
                  label={name}
                  about={SCOPE_WORDS[name]}
                  checked={scopes.includes(name)}
                  onChange={(checked) => setScopes(checked ? [...scopes, name] : scopes.filter((one) => one !== name))}
                />
              ))}
            </div>
          )}
        </div>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} disabled={isLimited && chosen.length === 0}>
            Create
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

export function RollKeySheet({ scope, onClose, onDone }: SheetOf & { readonly scope: PageScope }) {
  const [overlap, setOverlap] = useState<string>(OVERLAPS[0][0]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      adminPost<{ readonly key: KeyText }>(`/accounts/${scope.accountId}/keys/roll`, {
        mode: scope.mode,
        overlapMs: Number.parseInt(overlap, 10),
      }),
    onSuccess: ({ key }) => onDone(secretOf(key, 'secret')),
  });
  return (
    <Sheet title="Roll the signing key" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p className="text-soft">
          A new secret key takes the place of the one that signs your webhooks. Put it on your server before the old one
          ends.
        </p>
        <SelectField label="The old key stays valid for" value={overlap} onChange={setOverlap} options={OVERLAPS} />
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending}>Roll</Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

export function RevokeKeySheet({ apiKey, onClose, onDone }: SheetOf & { readonly apiKey: ShownKey }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => adminPost(`/keys/${apiKey.id}/revoke`, { now: apiKey.signs }),
    onSuccess: () => onDone(),
  });
  return (
    <Sheet title="Revoke this key now" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p>
          The key <span className="mono">…{apiKey.hint.slice(-4)}</span> stops working for good, within a second as the
          API is set up usually. Whatever still uses it is refused.
        </p>
        {apiKey.signs && (
          <Notice tone="wait">
            It signs your webhooks. Another secret key takes over if there is one; otherwise deliveries wait for a new
            key.
          </Notice>
        )}
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} grave>
            Revoke now
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

export function SignSheet({ apiKey, onClose, onDone }: SheetOf & { readonly apiKey: ShownKey }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => adminPost(`/keys/${apiKey.id}/sign`, {}),
    onSuccess: () => onDone(),
  });
  return (
    <Sheet title="Sign webhooks with this key" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p>
          Webhooks to endpoints without a secret of their own are signed with{' '}
          <span className="mono">…{apiKey.hint.slice(-4)}</span> from now on. Your server has to know it.
        </p>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending}>Sign with it</Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
