// Compute units of a transaction, and the priority fee on top of its signature fee. The relayer pays both, so a
// wallet's changes to them are limited.
import type { Instruction, ReadonlyUint8Array } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM } from './programs.ts';

export type ComputeBudget = {
  readonly units: number;
  readonly microLamportsPerUnit: bigint;
};

/** Enough for a memo and for the earlier token program, which needed ten times the units. */
const UNITS_AT_LEAST = 40_000;
const UNITS_PER_LEG = 10_000;
const MICRO_LAMPORTS_PER_UNIT = 10_000n;

/** Includes a wallet's guards; a transaction with the most legs stays far below. */
const MOST_UNITS = 250_000;
const MOST_PRIORITY_LAMPORTS = 5_000n;
const MICROS = 1_000_000n;

const SET_UNITS = 2;
const SET_PRICE = 3;

export function budgetFor(legs: number): ComputeBudget {
  return { units: UNITS_AT_LEAST + UNITS_PER_LEG * legs, microLamportsPerUnit: MICRO_LAMPORTS_PER_UNIT };
}

export function isBearable(budget: ComputeBudget): boolean {
  return budget.units <= MOST_UNITS && priorityLamports(budget) <= MOST_PRIORITY_LAMPORTS;
}

/** Rounded up, as on chain. */
export function priorityLamports({ units, microLamportsPerUnit }: ComputeBudget): bigint {
  return (BigInt(units) * microLamportsPerUnit + MICROS - 1n) / MICROS;
}

export function budgetInstructions({ units, microLamportsPerUnit }: ComputeBudget): readonly Instruction[] {
  const setUnits = Buffer.alloc(5);
  setUnits.writeUInt8(SET_UNITS);
  setUnits.writeUInt32LE(units, 1);
  const setPrice = Buffer.alloc(9);
  setPrice.writeUInt8(SET_PRICE);
  setPrice.writeBigUInt64LE(microLamportsPerUnit, 1);
  return [setUnits, setPrice].map((data) => ({
    programAddress: COMPUTE_BUDGET_PROGRAM,
    data: Uint8Array.from(data),
  }));
}

export type BudgetPart = Partial<ComputeBudget>;

/** Undefined for an instruction type, or a length, that we never send. */
export function readBudgetPart(data: ReadonlyUint8Array): BudgetPart | undefined {
  const bytes = Buffer.from(data);
  if (bytes[0] === SET_UNITS && bytes.length === 5) return { units: bytes.readUInt32LE(1) };
  if (bytes[0] === SET_PRICE && bytes.length === 9) return { microLamportsPerUnit: bytes.readBigUInt64LE(1) };
  return undefined;
}
