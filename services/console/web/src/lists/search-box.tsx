import type { Payment } from '@svc-pay/protocol';
import type { Refund } from '@svc-pay/protocol/merchant';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CallRefusal } from '../api/call.ts';
import { type PageScope, relay } from '../api/scope.ts';
import { Icon } from '../ui/icon.tsx';
import { readSearch } from './search.ts';

const NOTHING = 'Paste a whole id, transaction, wallet address, or metadata as key:value.';

export function SearchBox({ scope }: { readonly scope: PageScope }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [told, setTold] = useState<string>();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
      if (event.key !== '/' || isTyping || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const at = { mode: scope.mode, accountId: scope.accountId };
  const open = (intentId: string) =>
    navigate({ to: '/$mode/$accountId/payments/$intentId', params: { ...at, intentId } });
  const find = async () => {
    const found = readSearch(typed);
    if (found.is === 'nothing') return setTold(NOTHING);
    setTold(undefined);
    if (found.is === 'filter')
      return navigate({ to: '/$mode/$accountId/payments', params: at, search: { [found.name]: found.value } });
    if (found.is === 'event')
      return navigate({ to: '/$mode/$accountId/events/$eventId', params: { ...at, eventId: found.id } });
    if (found.is === 'endpoint')
      return navigate({ to: '/$mode/$accountId/endpoints/$endpointId', params: { ...at, endpointId: found.id } });
    if (found.is === 'intent') return open(found.id);
    try {
      if (found.is === 'payment')
        return await open((await relay<Payment>(scope, `/sdk/payments/${found.id}`)).paymentIntentId);
      const { refund } = await relay<{ readonly refund: Refund }>(scope, `/sdk/refunds/${found.id}`);
      return await open(refund.paymentIntentId);
    } catch (problem) {
      const isUnknown = problem instanceof CallRefusal && problem.status === 404;
      return setTold(
        isUnknown ? `There is no such ${found.is} in ${scope.mode} mode.` : 'The search failed; try again.',
      );
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void find();
  };
  return (
    <form role="search" className="relative" onSubmit={submit}>
      <Icon name="search" className="pointer-events-none absolute top-2.5 left-3 size-4 text-soft" />
      <input
        ref={box}
        type="search"
        className="field !pl-9"
        aria-label="Search payments"
        aria-describedby="search-told"
        placeholder="Id, transaction, payer or metadata"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <p id="search-told" role="status" className="text-[0.857rem] text-bad empty:hidden">
        {told}
      </p>
    </form>
  );
}
