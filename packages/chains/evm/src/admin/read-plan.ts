// Reads a plan from JSON. Amounts are strings of digits in the token's smallest unit.
import type { Address } from 'viem';
import { type DeploymentPlan, planProblems } from './plan.ts';

export type ReadPlan =
  | { readonly ok: true; readonly plan: DeploymentPlan }
  | { readonly ok: false; readonly code: 'plan_invalid'; readonly problems: readonly string[] };

type Fields = Record<string, unknown>;

export function readPlan(text: string): ReadPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'plan_invalid', problems: ['the plan is not JSON'] };
  }
  const problems: string[] = [];
  const fields = isFields(value) ? value : {};
  const textOf = (from: Fields, name: string): string => {
    const field = from[name];
    if (typeof field !== 'string') problems.push(`${name}: a text is needed`);
    return typeof field === 'string' ? field : '';
  };
  const amount = (from: Fields, name: string): bigint => {
    const digits = textOf(from, name);
    if (/^\d{1,31}$/.test(digits)) return BigInt(digits);
    problems.push(`${name}: a string of digits is needed`);
    return 0n;
  };
  const wholeNumber = (from: Fields, name: string): number => {
    const field = from[name];
    if (typeof field === 'number' && Number.isSafeInteger(field)) return field;
    problems.push(`${name}: a whole number is needed`);
    return 0;
  };
  const list = (name: string): readonly unknown[] => {
    const field = fields[name];
    if (!Array.isArray(field)) problems.push(`${name}: a list is needed`);
    return Array.isArray(field) ? (field as unknown[]) : [];
  };
  const plan: DeploymentPlan = {
    label: textOf(fields, 'label'),
    council: list('council').map((entry) => String(entry) as Address),
    adminDelaySeconds: wholeNumber(fields, 'adminDelaySeconds'),
    feeRecipient: textOf(fields, 'feeRecipient') as Address,
    registrar: textOf(fields, 'registrar') as Address,
    guardian: textOf(fields, 'guardian') as Address,
    recovery: textOf(fields, 'recovery') as Address,
    relayers: list('relayers').map((entry) => String(entry) as Address),
    tokens: list('tokens').map((entry) => {
      const token = isFields(entry) ? entry : {};
      return {
        address: textOf(token, 'address') as Address,
        callGas: wholeNumber(token, 'callGas'),
        operatorHourlyCapAtomic: amount(token, 'operatorHourlyCapAtomic'),
        recoveryHourlyCapAtomic: amount(token, 'recoveryHourlyCapAtomic'),
      };
    }),
  };
  if (problems.length === 0) problems.push(...planProblems(plan));
  return problems.length === 0 ? { ok: true, plan } : { ok: false, code: 'plan_invalid', problems };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
