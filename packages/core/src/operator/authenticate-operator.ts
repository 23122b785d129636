// Authenticates an operator by a presented key. Who did it is taken from the row of the key, never from what a caller says.
import type { Id } from '@svc-pay/protocol/ids';
import { type KeyIndexes, keyIndexes, type Peppers } from '../account/peppers.ts';
import { parseOperatorKey } from './operator-key.ts';

export type KnownOperator = { readonly id: Id<'operator'>; readonly name: string; readonly disabled: boolean };

export type AuthenticateOperatorPorts = {
  readonly peppers: Peppers;
  readonly findOperator: (indexes: KeyIndexes) => Promise<KnownOperator | undefined>;
};

export type OperatorAuthentication =
  | { readonly ok: true; readonly operator: KnownOperator; readonly actor: string }
  | { readonly ok: false; readonly code: 'key_missing' | 'key_invalid' };

export async function authenticateOperator(
  { peppers, findOperator }: AuthenticateOperatorPorts,
  presented: string | undefined,
): Promise<OperatorAuthentication> {
  if (presented === undefined || presented === '') return { ok: false, code: 'key_missing' };
  const key = parseOperatorKey(presented);
  const operator = key && (await findOperator(keyIndexes(peppers, key)));
  if (operator === undefined || operator.disabled) return { ok: false, code: 'key_invalid' };
  return { ok: true, operator, actor: operatorActor(operator.id) };
}

/** As written to the audit record. */
export const operatorActor = (id: Id<'operator'>): string => `operator:${id}`;
