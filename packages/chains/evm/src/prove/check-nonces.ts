import type { BookedRelayer, Findings } from '@svc-pay/core';

/** `counts`: transaction count of each relayer on chain, read before the books. */
export function checkNonces(
  relayers: readonly BookedRelayer[],
  counts: ReadonlyMap<string, bigint>,
  findings: Findings,
): void {
  for (const { address, firstNonce, lastNonce, lastMinedNonce, missing, missingCount } of relayers) {
    findings.looked('nonces', Number(lastNonce - firstNonce) + 1 - missingCount);
    if (missingCount > 0)
      findings.differs(
        'nonces',
        [address],
        `${missingCount} nonces have no batch: ${missing.join(', ')}${missingCount > missing.length ? ', …' : ''}`,
      );
    const count = counts.get(address);
    if (count === undefined) continue;
    if (count > lastNonce + 1n)
      findings.differs(
        'nonces',
        [address],
        `${count - lastNonce - 1n} of its transactions are in no batch, from nonce ${lastNonce + 1n} on`,
      );
    if (lastMinedNonce !== null && lastMinedNonce >= count)
      findings.differs(
        'nonces',
        [address],
        `nonce ${lastMinedNonce} is recorded as mined, the chain counts ${count} transactions`,
      );
  }
}
