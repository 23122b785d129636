import { Copy, Notice } from './bits.tsx';
import { Sheet, SheetActions } from './sheet.tsx';

export type ShownSecret = { readonly title: string; readonly text: string; readonly about: string };

/** A secret that the service shows once. Only the button closes it, not a stray Escape. */
export function SecretSheet({ secret, onClose }: { readonly secret: ShownSecret; readonly onClose: () => void }) {
  return (
    <Sheet title={secret.title} onClose={() => undefined}>
      <Notice tone="wait">Copy it now. It is not shown again.</Notice>
      <div className="rounded-lg border border-line bg-sunk px-3 py-2.5 break-all">
        <Copy text={secret.text} shown={secret.text} label={secret.title} />
      </div>
      <p className="text-soft">{secret.about}</p>
      <SheetActions>
        <button type="button" className="button first" onClick={onClose}>
          I have stored it
        </button>
      </SheetActions>
    </Sheet>
  );
}
