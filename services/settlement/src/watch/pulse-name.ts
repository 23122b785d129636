import type { NetworkId } from '@svc-pay/protocol';

/** The engine takes letters, digits, dots, dashes and underscores. */
export function pulseName(what: string, network: NetworkId): string {
  return `${what}.${network.replace(':', '.')}`;
}
