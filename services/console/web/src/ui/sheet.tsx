// A dialog of the platform: focus stays inside, Escape closes it, and focus returns to where it was.
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

export type SheetProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** Open as long as it is rendered. */
export function Sheet({ title, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closed while it is still in the page: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="sheet"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="flex items-center justify-between gap-4 border-b border-line py-2.5 pr-2.5 pl-5">
        <h2 id={heading}>{title}</h2>
        <button type="button" className="button bare small" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="grid gap-4 p-5">{children}</div>
    </dialog>
  );
}

export const SheetActions = ({ children }: { readonly children: ReactNode }) => (
  <footer className="-mx-5 mt-1 -mb-5 flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
    {children}
  </footer>
);

export const SheetBack = ({ onClose, word = 'Go back' }: { readonly onClose: () => void; readonly word?: string }) => (
  <button type="button" className="button" onClick={onClose}>
    {word}
  </button>
);
