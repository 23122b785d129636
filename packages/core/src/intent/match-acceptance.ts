// Finds the stored acceptance that a client means. Only five fields of the echoed acceptance are compared, by meaning.
import { type AcceptanceEcho, type EvmPaymentHeader, parseNetwork } from '@svc-pay/protocol';
import { sameAddress } from '../token/address.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';

export type MatchRefusal =
  | 'acceptance_mismatch'
  | 'asset_mismatch'
  | 'network_mismatch'
  | 'scheme_mismatch'
  | 'recipient_mismatch'
  | 'amount_mismatch';

export type MatchedAcceptance =
  | { readonly ok: true; readonly acceptance: StoredAcceptance }
  | { readonly ok: false; readonly code: MatchRefusal };

export function matchAcceptance(
  stored: readonly StoredAcceptance[],
  header: EvmPaymentHeader,
  echo: AcceptanceEcho | null | undefined,
): MatchedAcceptance {
  return echo === null || echo === undefined ? matchByHeader(stored, header) : matchByEcho(stored, header, echo);
}

function matchByEcho(
  stored: readonly StoredAcceptance[],
  header: EvmPaymentHeader,
  echo: AcceptanceEcho,
): MatchedAcceptance {
  const alike = stored.filter((acceptance) => matchesEcho(acceptance, echo));
  if (alike.length === 0) return { ok: false, code: 'acceptance_mismatch' };
  const { asset } = echo;
  const acceptance = alike.find(({ token }) => !asset || sameAddress(token.address, asset));
  if (acceptance === undefined) return { ok: false, code: 'asset_mismatch' };
  const difference = differenceOf(acceptance, header);
  return difference === undefined ? { ok: true, acceptance } : { ok: false, code: difference };
}

/** Compares all fields but the asset, which has a refusal code of its own. */
export function matchesEcho(
  acceptance: Pick<StoredAcceptance, 'scheme' | 'network' | 'amount' | 'payTo'>,
  echo: AcceptanceEcho,
): boolean {
  return (
    acceptance.scheme === echo.scheme &&
    acceptance.network === parseNetwork(echo.network) &&
    acceptance.amount.toString() === echo.maxAmountRequired &&
    sameAddress(acceptance.payTo, echo.payTo)
  );
}

/** Without an echo the header's own fields decide; the code names the first field that fits no acceptance. */
function matchByHeader(stored: readonly StoredAcceptance[], header: EvmPaymentHeader): MatchedAcceptance {
  const ranked = stored.map((acceptance) => ({ acceptance, difference: differenceOf(acceptance, header) }));
  const fitting = ranked.find(({ difference }) => difference === undefined);
  if (fitting !== undefined) return { ok: true, acceptance: fitting.acceptance };
  const closest = ORDER.findLast((code) => ranked.some(({ difference }) => difference === code));
  return { ok: false, code: closest ?? 'acceptance_mismatch' };
}

/** In the order in which `differenceOf` tests: the later the difference, the closer the acceptance. */
const ORDER = ['scheme_mismatch', 'network_mismatch', 'recipient_mismatch', 'amount_mismatch'] as const;

function differenceOf(acceptance: StoredAcceptance, header: EvmPaymentHeader): (typeof ORDER)[number] | undefined {
  const { from, to, value } = header.payload.authorization;
  if (header.scheme !== acceptance.scheme) return 'scheme_mismatch';
  if (parseNetwork(header.network) !== acceptance.network) return 'network_mismatch';
  if (!sameAddress(acceptance.payTo, to) || sameAddress(acceptance.token.address, to)) return 'recipient_mismatch';
  // A wallet that pays itself moves nothing, and the token logs it all the same.
  if (acceptance.direct !== undefined && sameAddress(from, to)) return 'recipient_mismatch';
  return value === acceptance.amount.toString() ? undefined : 'amount_mismatch';
}
