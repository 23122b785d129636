import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ShownKey, useKeys } from '../api/keys.ts';
import { keyOf, type PageScope, useScope } from '../api/scope.ts';
import { isoOf } from '../format/time.ts';
import { Badge, Bones, Card, Copy, Empty, Heading, Problem, Time } from '../ui/bits.tsx';
import { Icon } from '../ui/icon.tsx';
import { SecretSheet, type ShownSecret } from '../ui/secret-sheet.tsx';
import { CreateKeySheet, RevokeKeySheet, RollKeySheet, SignSheet } from './parts/key-sheets.tsx';
import { OriginsCard } from './parts/origins-card.tsx';

type Doing = { readonly what: 'create' | 'roll' } | { readonly what: 'revoke' | 'sign'; readonly key: ShownKey };

export function Keys() {
  const scope = useScope();
  const queries = useQueryClient();
  const { data: keys, error, refetch } = useKeys(scope);
  const [doing, setDoing] = useState<Doing>();
  const [secret, setSecret] = useState<ShownSecret>();
  const close = () => setDoing(undefined);
  const done = async (made?: ShownSecret) => {
    setDoing(undefined);
    setSecret(made);
    await queries.invalidateQueries({ queryKey: keyOf(scope, 'keys') });
  };
  const usable = keys?.filter(({ state }) => state === 'usable') ?? [];
  const ended = keys?.filter(({ state }) => state !== 'usable') ?? [];
  return (
    <>
      <Heading
        title="API keys"
        about={`Keys of ${scope.mode} mode. Secret keys belong on your server; publishable keys may be in a page.`}
      >
        <button type="button" className="button" onClick={() => setDoing({ what: 'roll' })}>
          Roll signing key
        </button>
        <button type="button" className="button first" onClick={() => setDoing({ what: 'create' })}>
          <Icon name="plus" /> Create key
        </button>
      </Heading>
      <div className="grid gap-6">
        {error !== null && <Problem of={error} again={() => void refetch()} />}
        <Card title="Keys in use">
          {keys === undefined && error === null && <Bones />}
          {keys !== undefined && usable.length === 0 && (
            <Empty title="No key yet">Create a secret key for your server.</Empty>
          )}
          {usable.length > 0 && <KeyTable keys={usable} onDo={setDoing} />}
        </Card>
        <OriginsCard scope={scope} />
        {ended.length > 0 && (
          <details className="card">
            <summary className="px-4 py-3 font-semibold">
              {ended.length === 1 ? 'One key that no longer works' : `${ended.length} keys that no longer work`}
            </summary>
            <KeyTable keys={ended} />
          </details>
        )}
      </div>
      <Doings scope={scope} doing={doing} onClose={close} onDone={done} />
      {secret !== undefined && <SecretSheet secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

type DoingsProps = {
  readonly scope: PageScope;
  readonly doing: Doing | undefined;
  readonly onClose: () => void;
  readonly onDone: (made?: ShownSecret) => Promise<void>;
};

function Doings({ scope, doing, onClose, onDone }: DoingsProps) {
  switch (doing?.what) {
    case 'create':
      return <CreateKeySheet scope={scope} onClose={onClose} onDone={onDone} />;
    case 'roll':
      return <RollKeySheet scope={scope} onClose={onClose} onDone={onDone} />;
    case 'revoke':
      return <RevokeKeySheet apiKey={doing.key} onClose={onClose} onDone={onDone} />;
    case 'sign':
      return <SignSheet apiKey={doing.key} onClose={onClose} onDone={onDone} />;
    case undefined:
      break;
  }
  return null;
}

function KeyTable({ keys, onDo }: { readonly keys: readonly ShownKey[]; readonly onDo?: (doing: Doing) => void }) {
  return (
    <div className="relative overflow-x-auto">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">May do</th>
            <th scope="col">Last used</th>
            <th scope="col">Created</th>
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td>
                <div className="flex flex-wrap items-center gap-2">
                  <Badge tone={key.kind === 'secret' ? 'note' : 'quiet'}>
                    {key.kind === 'secret' ? 'Secret' : 'Publishable'}
                  </Badge>
                  {key.publishableText === null ? (
                    <span className="mono whitespace-nowrap">…{key.hint.slice(-4)}</span>
                  ) : (
                    <Copy text={key.publishableText} label="publishable key" />
                  )}
                  {key.signs && (
                    <Badge tone="good" title="Webhooks are signed with this key.">
                      Signs webhooks
                    </Badge>
                  )}
                  {key.state === 'revoked' && <Badge tone="bad">Revoked</Badge>}
                  {key.state === 'expired' && <Badge tone="quiet">Expired</Badge>}
                  {key.state === 'usable' && key.expiresAtMs !== null && (
                    <Badge tone="wait">
                      Ends <Time iso={isoOf(key.expiresAtMs)} />
                    </Badge>
                  )}
                </div>
              </td>
              <td className="text-soft" data-name="May do">
                {key.scopes === null ? 'Everything of its kind' : key.scopes.join(', ')}
              </td>
              <td className="text-soft" data-name="Last used">
                {key.lastUsedAtMs === null ? 'Never' : <Time iso={isoOf(key.lastUsedAtMs)} />}
              </td>
              <td className="text-soft" data-name="Created">
                <Time iso={isoOf(key.createdAtMs)} plain />
              </td>
              <td>
                {onDo !== undefined && (
                  <div className="flex justify-end gap-1">
                    {key.kind === 'secret' && !key.signs && (
                      <button type="button" className="button bare small" onClick={() => onDo({ what: 'sign', key })}>
                        Sign with it
                      </button>
                    )}
                    <button
                      type="button"
                      className="button bare small grave"
                      onClick={() => onDo({ what: 'revoke', key })}
                    >
                      Revoke
                    </button>
                  </div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
