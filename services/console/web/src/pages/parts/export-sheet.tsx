// Reads an export page by page and hands it over as one file.
import { useRef, useState } from 'react';
import { queryText } from '../../api/call.ts';
import { type PageScope, relayAnswer } from '../../api/scope.ts';
import { Notice, Problem } from '../../ui/bits.tsx';
import { Form, SelectField, Submit } from '../../ui/form.tsx';
import { Sheet, SheetActions } from '../../ui/sheet.tsx';

/** Headers of `@svc-pay/protocol/merchant`, which would bring all its schemas with them. */
const CURSOR_HEADER = 'X-SVC-Export-Cursor';
const MORE_HEADER = 'X-SVC-Export-More';
const PAGE = '5000';

const WHAT = [
  ['payments', 'Payments: one row for each booking of a payment'],
  ['ledger', 'Ledger: every entry of the books'],
] as const;

export function ExportSheet({ scope, onClose }: { readonly scope: PageScope; readonly onClose: () => void }) {
  const [what, setWhat] = useState('payments');
  const [format, setFormat] = useState('csv');
  const [lines, setLines] = useState<number>();
  const [done, setDone] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const stop = useRef<AbortController>(undefined);
  const busy = lines !== undefined && !done && problem === undefined;
  const close = () => {
    stop.current?.abort();
    onClose();
  };
  const run = async () => {
    const controller = new AbortController();
    stop.current = controller;
    setProblem(undefined);
    setDone(false);
    setLines(0);
    try {
      const parts = await readAll(scope, what, format, controller.signal, setLines);
      save(
        new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' }),
        `${scope.mode}-${what}.${format}`,
      );
      setDone(true);
    } catch (caught) {
      if (!controller.signal.aborted) setProblem(caught);
    }
  };
  return (
    <Sheet title="Export" onClose={close}>
      <Form onSubmit={() => void run()}>
        <SelectField label="What" value={what} onChange={setWhat} options={WHAT} />
        <SelectField
          label="Format"
          value={format}
          onChange={setFormat}
          options={[
            ['csv', 'CSV, for spreadsheets'],
            ['jsonl', 'JSON lines, for programs'],
          ]}
          hint={`Everything of ${scope.accountName} in ${scope.mode} mode, in the order it was booked.`}
        />
        {problem !== undefined && <Problem of={problem} />}
        {lines !== undefined && problem === undefined && (
          <Notice tone={done ? 'good' : 'note'}>
            {done ? `Saved with ${lines.toLocaleString('en')} lines.` : `${lines.toLocaleString('en')} lines so far …`}
          </Notice>
        )}
        <SheetActions>
          <button type="button" className="button" onClick={close}>
            {done ? 'Close' : 'Cancel'}
          </button>
          <Submit busy={busy}>Export</Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

async function readAll(
  scope: PageScope,
  what: string,
  format: string,
  signal: AbortSignal,
  tell: (lines: number) => void,
): Promise<string[]> {
  const parts: string[] = [];
  let cursor: string | undefined;
  let lines = 0;
  for (;;) {
    const answer = await relayAnswer(scope, `/sdk/exports/${what}${queryText({ format, limit: PAGE, cursor })}`, {
      signal,
    });
    const text = await answer.text();
    parts.push(text);
    lines += text.split('\n').length - 1;
    tell(lines);
    const next = answer.headers.get(CURSOR_HEADER);
    if (answer.headers.get(MORE_HEADER) !== 'true' || next === null || next === cursor) return parts;
    cursor = next;
  }
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
