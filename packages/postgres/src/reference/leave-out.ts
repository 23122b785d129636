// What a transaction moved without what is counted already.
import type { TokenMovement } from '@svc-pay/core';

export type CountedShare = { readonly owner: string; readonly mint: string; readonly amountAtomic: bigint };

export function leaveOut(movement: TokenMovement, { owner, mint, amountAtomic }: CountedShare): TokenMovement {
  const changes = movement.changes.map((change) =>
    change.isAssociated && change.mint === mint && change.owner === owner && change.deltaAtomic > 0n
      ? { ...change, deltaAtomic: change.deltaAtomic - amountAtomic }
      : change,
  );
  return { ...movement, changes };
}
