// Rows of which only those in sight are in the page, however long the list is. Arrow keys move through them.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef } from 'react';
import type { LoadedList } from './use-list.ts';

const OVERSCAN = 4;
/** The next page is asked for when so many rows are left to scroll. */
const AHEAD = 40;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

export type RowListProps<Item> = {
  readonly list: LoadedList<Item>;
  readonly label: string;
  readonly columns: ReactNode;
  readonly rowHeight: number;
  readonly idOf: (item: Item) => string;
  /** The cells of a row; one of them has the row's link with `data-row`. */
  readonly children: (item: Item) => ReactNode;
};

export function RowList<Item>({ list, label, columns, rowHeight, idOf, children }: RowListProps<Item>) {
  const { items, hasMore, loadMore } = list;
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<number>(undefined);
  const rows = useVirtualizer({
    count: items.length + (hasMore ? 1 : 0),
    getScrollElement: () => box.current,
    estimateSize: useCallback(() => rowHeight, [rowHeight]),
    overscan: OVERSCAN,
  });
  const mounted = rows.getVirtualItems();
  const lastIndex = mounted.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex >= items.length - AHEAD) loadMore();
  });
  // A row that was not in the page gets the focus once it is.
  useEffect(() => {
    if (wanted.current === undefined) return;
    const link = linkAt(box.current, wanted.current);
    if (link === null) return;
    link.focus({ preventScroll: true });
    wanted.current = undefined;
  });
  const move = (event: KeyboardEvent) => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    const step = event.key === 'Home' ? -items.length : event.key === 'End' ? items.length : STEPS[event.key];
    if (row === null || step === undefined) return;
    event.preventDefault();
    const now = Number.parseInt(row.getAttribute('data-index') ?? '0', 10);
    const next = Math.min(Math.max(now + step, 0), items.length - 1);
    rows.scrollToIndex(next);
    const link = linkAt(box.current, next);
    if (link === null) wanted.current = next;
    else link.focus({ preventScroll: true });
  };
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      className="card min-w-0 overflow-hidden"
    >
      {columns}
      <div
        ref={box}
        role="rowgroup"
        className="list-box relative overflow-x-hidden overflow-y-auto overscroll-contain"
        onKeyDown={move}
      >
        <div role="presentation" className="relative w-full" style={{ height: rows.getTotalSize() }}>
          {mounted.map(({ index, start, size }) => {
            const item = items[index];
            return (
              <div
                key={item === undefined ? 'more' : idOf(item)}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                className="list-row absolute inset-x-0 border-t border-line"
                style={{ height: size, top: start }}
              >
                {item === undefined ? (
                  <div role="cell" className="grid h-full content-center px-4">
                    <div className="bone h-3 w-1/3" />
                    <span className="sr-only">Loading more</span>
                  </div>
                ) : (
                  children(item)
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const linkAt = (box: HTMLElement | null, index: number): HTMLElement | null =>
  box?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row]`) ?? null;
