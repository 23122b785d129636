// Converts LiteSVM's errors to a node's JSON. In JavaScript its error numbers have no names; its error text has them.
import type { FailedTransactionMetadata } from 'litesvm';

const SHAPE = /err: (\w+)(?:\((\d+), (\w+)(?:\((\d+)\))?\))?/;

/** A string for an error before execution, which is not charged for; an object for an error during execution. */
export function errorIn(failed: FailedTransactionMetadata): unknown {
  const [, name, index, inner, code] = SHAPE.exec(failed.toString()) ?? [];
  if (name !== 'InstructionError' || index === undefined) return name ?? 'GenericError';
  return { InstructionError: [BigInt(index), code === undefined ? inner : { [inner ?? '']: BigInt(code) }] };
}
