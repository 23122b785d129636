// LiteSVM's errors, as a node's JSON spells them. Its numbers have no names in JavaScript; its text has.
import type { FailedTransactionMetadata } from 'litesvm';

const SHAPE = /err: (\w+)(?:\((\d+), (\w+)(?:\((\d+)\))?\))?/;

/** A string for what was never charged for; an object for what failed while it ran. */
export function errorIn(failed: FailedTransactionMetadata): unknown {
  const [, name, index, inner, code] = SHAPE.exec(failed.toString()) ?? [];
  if (name !== 'InstructionError' || index === undefined) return name ?? 'GenericError';
  return { InstructionError: [BigInt(index), code === undefined ? inner : { [inner ?? '']: BigInt(code) }] };
}
