// The reader of the page, where the page asks for something that is not typed: test coins from a wallet and from a faucet.
// What to pay is read from what the page prints, as a person reads it.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { LocalChain } from '@svc-pay/evm/local';
import { type Address, createTestClient, http, parseEther } from 'viem';
import { TRUSTED_CA } from './differences.ts';

const ADDRESS = /0x[0-9a-fA-F]{40}/g;
const addressesIn = (line: string) => (line.match(ADDRESS) ?? []) as Address[];

/** Hears every line that the page prints, and pays where one asks for it. */
export type Reader = { readonly hear: (line: string) => Promise<void> };

export function createReader(chain: LocalChain): Reader {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  const fund = (address: Address) => node.setBalance({ address, value: parseEther('0.01') });
  return {
    hear: async (line) => {
      if (line.startsWith('Send 0.01 test ether')) await Promise.all(addressesIn(line).map(fund));
      const [payer] = line.startsWith('Get 1 USDC') ? addressesIn(line) : [];
      if (payer !== undefined) await chain.mint(chain.tokens.usdc, payer, 1_000_000n);
    },
  };
}

const CADDY_CA = 'var/lib/containers/storage/volumes/svc-pay_caddy/_data/caddy/pki/authorities/local/root.crt';
const SYSTEM_CAS = 'etc/ssl/certs/ca-certificates.crt';

/** Trusts Caddy's own authority on the machine, once Caddy has made it: a public name has a certificate that all trust. */
export function trustCaddy(fileOf: (name: string) => string): boolean {
  const made = fileOf(CADDY_CA);
  if (!existsSync(made)) return false;
  const certificate = readFileSync(made);
  appendFileSync(fileOf(SYSTEM_CAS), certificate);
  writeFileSync(fileOf(TRUSTED_CA), certificate);
  return true;
}
