// Order as shown on its page.
import { type Item, itemOf } from './items.ts';
import { linesOf } from './meter.ts';
import type { Order, OrderView, ShownItem } from './order.ts';

function shownItem({ id, name, about, tokenShortcode, sale }: Item): ShownItem {
  const isExact = sale.kind === 'exact';
  return {
    id,
    name,
    about,
    tokenShortcode,
    kind: sale.kind,
    amountAtomic: String(isExact ? sale.priceAtomic : sale.capAtomic),
    unitAtomic: isExact ? null : String(sale.unitAtomic),
  };
}

export function viewOf(order: Order): OrderView | undefined {
  const item = itemOf(order.item);
  if (item === undefined) return undefined;
  const { sale } = item;
  const usedAtomic = String(sale.kind === 'exact' ? sale.priceAtomic : BigInt(order.units) * sale.unitAtomic);
  return { ...order, shown: shownItem(item), lines: sale.kind === 'exact' ? [] : linesOf(order.units), usedAtomic };
}
