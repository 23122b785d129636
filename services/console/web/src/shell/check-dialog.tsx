// Asks for the passkey before keys, payouts, refunds and people.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onCheckNeeded } from '../api/call.ts';
import { Problem } from '../ui/bits.tsx';
import { Icon } from '../ui/icon.tsx';
import { Sheet, SheetActions } from '../ui/sheet.tsx';

type Waiting = { readonly answer: (checked: boolean) => void };

export function CheckDialog() {
  const [waiting, setWaiting] = useState<Waiting>();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();
  useEffect(() => {
    onCheckNeeded(() => new Promise((answer) => setWaiting({ answer })));
    return () => onCheckNeeded(undefined);
  }, []);
  if (waiting === undefined) return null;
  const end = (checked: boolean) => {
    setWaiting(undefined);
    setProblem(undefined);
    waiting.answer(checked);
  };
  const check = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { checkWithPasskey } = await import('../api/passkeys.ts');
      await checkWithPasskey();
      await queries.invalidateQueries({ queryKey: ['me'] });
      end(true);
    } catch (caught) {
      setProblem(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Sheet title="Confirm that it is you" onClose={() => end(false)}>
      <p className="text-soft">This step needs your passkey once more. It then counts for five minutes.</p>
      {problem !== undefined && <Problem of={problem} />}
      <SheetActions>
        <button type="button" className="button" onClick={() => end(false)}>
          Not now
        </button>
        <button type="button" className="button first" disabled={busy} onClick={() => void check()}>
          <Icon name="passkey" />
          {busy ? 'Waiting for your passkey …' : 'Use passkey'}
        </button>
      </SheetActions>
    </Sheet>
  );
}
