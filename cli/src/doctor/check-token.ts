// Checks the EIP-712 domain of a token. A signature is valid only for the domain of the token's contract: if the
// catalogue has another, every payment in the token fails, and nobody notices before the first one.
import type { TokenEntry } from '@svc-pay/core';
import type { Hex } from '@svc-pay/protocol';
import { domainSeparator } from '@svc-pay/protocol/hash';
import { type Finding, findingsOf } from './finding.ts';
import type { Ask } from './json-rpc.ts';

/** Selectors of `DOMAIN_SEPARATOR()` and `decimals()`. */
const DOMAIN_CALL = '0x3644e515';
const DECIMALS_CALL = '0x313ce567';

export async function checkToken(token: TokenEntry, chainId: number, ask: Ask): Promise<readonly Finding[]> {
  const { ok, problem } = findingsOf('token', token.shortcode);
  const word = async (data: string) => {
    const answer = await ask('eth_call', { to: token.address, data }, 'latest');
    return answer.ok && typeof answer.result === 'string' && /^0x[0-9a-f]{64}$/i.test(answer.result)
      ? answer.result.toLowerCase()
      : undefined;
  };
  const wrongAddress = 'Check the token’s address on this chain.';
  const findings: Finding[] = [];
  const decimals = await word(DECIMALS_CALL);
  if (decimals === undefined) return [problem(`No token answers at ${token.address}.`, wrongAddress)];
  if (BigInt(decimals) !== BigInt(token.unit.decimals)) {
    findings.push(
      problem(
        `The token has ${BigInt(decimals)} decimals, the catalogue says ${token.unit.decimals}.`,
        'Do not offer it: every amount would be wrong.',
      ),
    );
  }
  if (token.domain === undefined) return findings;
  const theirs = await word(DOMAIN_CALL);
  const ours = Buffer.from(
    domainSeparator({ ...token.domain, chainId, verifyingContract: token.address as Hex }),
  ).toString('hex');
  if (theirs === undefined) {
    findings.push(
      problem('The token does not tell its signing domain.', 'Do not offer it: signatures can’t be checked.'),
    );
  } else if (theirs !== `0x${ours}`) {
    findings.push(
      problem(
        `The token’s signing domain is not that of name ${token.domain.name}, version ${token.domain.version}.`,
        'Do not offer it: signatures made for this entry would be refused. Correct its line in the catalogue.',
      ),
    );
  }
  return findings.length === 0 ? [ok('Decimals and signing domain are those of the catalogue.')] : findings;
}
