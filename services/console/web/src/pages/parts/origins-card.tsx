import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { adminPost, type PublishableRightsOf, usePublishableRights } from '../../api/keys.ts';
import { keyOf, type PageScope } from '../../api/scope.ts';
import { Bones, Card, Problem } from '../../ui/bits.tsx';
import { CheckField, Form, Submit } from '../../ui/form.tsx';

/** Which pages may use the publishable keys, and what for. */
export function OriginsCard({ scope }: { readonly scope: PageScope }) {
  const { data, error } = usePublishableRights(scope);
  return (
    <Card title="Publishable keys">
      {error !== null && (
        <div className="p-4">
          <Problem of={error} />
        </div>
      )}
      {data === undefined && error === null && <Bones lines={2} />}
      {data !== undefined && <OriginsForm key={JSON.stringify(data)} scope={scope} rights={data} />}
    </Card>
  );
}

function OriginsForm({ scope, rights }: { readonly scope: PageScope; readonly rights: PublishableRightsOf }) {
  const queries = useQueryClient();
  const [text, setText] = useState((rights.origins ?? []).join('\n'));
  const [creates, setCreates] = useState(rights.creates);
  const origins = text.split(/\s+/).filter((one) => one !== '');
  const isChanged = creates !== rights.creates || origins.join(' ') !== (rights.origins ?? []).join(' ');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      adminPost(`/accounts/${scope.accountId}/publishable`, {
        mode: scope.mode,
        origins: origins.length === 0 ? null : origins,
        creates,
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(scope, 'account') }),
  });
  return (
    <div className="p-4">
      <Form onSubmit={() => mutate()}>
        <div>
          <label htmlFor="origins" className="mb-1 block font-medium">
            Origins whose pages may use them
          </label>
          <textarea
            id="origins"
            className="field mono min-h-20"
            value={text}
            spellCheck={false}
            placeholder="https://shop.example"
            aria-describedby="origins-hint"
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <p id="origins-hint" className="mt-1 text-[0.857rem] text-soft">
            One for each line, such as https://shop.example. Empty: every page.
          </p>
        </div>
        <CheckField
          label="They may create payments"
          about="Without this, pages only pay what your server created."
          checked={creates}
          onChange={setCreates}
        />
        {error !== null && <Problem of={error} />}
        <div className="flex justify-end">
          <Submit busy={isPending} disabled={!isChanged}>
            Save
          </Submit>
        </div>
      </Form>
    </div>
  );
}
