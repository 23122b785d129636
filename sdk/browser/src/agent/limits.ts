// What an agent may spend. All limits hold together; the day is the day of UTC on which a payment is signed.
import { AgentPayError } from './agent-error.ts';
import { parseUnits } from './units.ts';

/** Decimal text, counted in whole dollar tokens: `'0.10'` is ten cents. */
export type AgentLimits = {
  /** Most that one request may cost. */
  readonly perRequest: string;
  /**
   * Most that one host is paid in a day. As a table only its hosts are paid: `{ 'api.example.com': '1.00' }`; the entry `*`
   * stands for any other host. A port that is not the scheme's own belongs to the name.
   */
  readonly perHost: string | Readonly<Record<string, string>>;
  /** Most that all hosts together are paid in a day. */
  readonly perDay: string;
};

export type ReadLimits = {
  readonly perRequestUnits: bigint;
  readonly perDayUnits: bigint;
  /** Undefined: the host is not paid. */
  readonly perHostUnits: (host: string) => bigint | undefined;
};

/** Throws for a limit that is no amount: an agent without a limit is never made. */
export function readLimits({ perRequest, perHost, perDay }: AgentLimits): ReadLimits {
  const table = typeof perHost === 'string' ? { '*': perHost } : perHost;
  const hosts = new Map(
    Object.entries(table).map(([host, limit]) => [
      host.toLowerCase().replace(/\.(?=:|$)/, ''),
      unitsIn(limit, `perHost ${host}`),
    ]),
  );
  return {
    perRequestUnits: unitsIn(perRequest, 'perRequest'),
    perDayUnits: unitsIn(perDay, 'perDay'),
    perHostUnits: (host) => hosts.get(host) ?? hosts.get('*'),
  };
}

export function unitsIn(limit: string, name: string): bigint {
  const units = typeof limit === 'string' ? parseUnits(limit) : undefined;
  if (units === undefined) throw new AgentPayError('invalid_request', { reason: `${name} is no decimal amount` });
  return units;
}
