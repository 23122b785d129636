import { networkName } from '@svc-pay/protocol';

export const chainName = (chain: string | null | undefined): string => (chain ? (networkName(chain) ?? chain) : '—');

/** `base_usdc` → `USDC` */
export function symbolOf(shortcode: string | null | undefined): string {
  if (!shortcode) return '';
  return shortcode.slice(shortcode.lastIndexOf('_') + 1).toUpperCase();
}
