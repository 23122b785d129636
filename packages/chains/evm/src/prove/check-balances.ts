// Compares what the processors hold and owe of each token with the sums of logs and books.
import type { Census, Findings } from '@svc-pay/core';
import { toFunctionSelector } from 'viem';
import { askNode, hexOf, wordOf } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { topicOf } from './processor-logs.ts';
import { createTokenFlows, type TokenFlow, type TokenFlows } from './token-flows.ts';

const BALANCE = toFunctionSelector('balanceOf(address)');
const TOTAL_OWED = toFunctionSelector('totalOwed(address)');

/** Amounts held and owed after `block`, summed over all processors. */
export async function readHoldings(
  rpc: JsonRpc,
  processors: readonly string[],
  tokens: readonly string[],
  block: bigint,
): Promise<ReadonlyMap<string, TokenFlow>> {
  const at = hexOf(block);
  const pairs = tokens.flatMap((token) => processors.map((processor) => ({ token, processor })));
  const results = await askNode(
    rpc,
    pairs.flatMap(({ token, processor }) => [
      { method: 'eth_call', params: [{ to: token, data: `${BALANCE}${topicOf(processor).slice(2)}` }, at] },
      { method: 'eth_call', params: [{ to: processor, data: `${TOTAL_OWED}${topicOf(token).slice(2)}` }, at] },
    ]),
  );
  const holdings = createTokenFlows();
  for (const [index, { token }] of pairs.entries()) {
    holdings.add(token, 'heldAtomic', wordOf(results[index * 2]));
    holdings.add(token, 'owedAtomic', wordOf(results[index * 2 + 1]));
  }
  return new Map(tokens.map((token) => [token, holdings.of(token)]));
}

export function checkBalances(
  holdings: ReadonlyMap<string, TokenFlow>,
  flows: TokenFlows,
  census: Census | undefined,
  findings: Findings,
): void {
  for (const [token, { heldAtomic, owedAtomic }] of holdings) {
    findings.looked('balances');
    const expected = flows.of(token);
    if (owedAtomic !== expected.owedAtomic)
      findings.differs(
        'balances',
        [token],
        `the processor owes ${owedAtomic}, the books' escrow that is not withdrawn is ${expected.owedAtomic}`,
      );
    if (heldAtomic !== expected.heldAtomic)
      findings.differs(
        'balances',
        [token],
        `the processor holds ${heldAtomic}, its transfers add up to ${expected.heldAtomic}`,
      );
    if (heldAtomic < owedAtomic)
      findings.differs('balances', [token], `the processor holds ${heldAtomic} and owes ${owedAtomic}`);
    const stranded = census?.strandedAtomic.get(token) ?? 0n;
    if (heldAtomic - owedAtomic < stranded && census?.unresolvedStranded === 0)
      findings.differs(
        'balances',
        [token],
        `the books call ${stranded} stranded, beyond what it owes the processor holds ${heldAtomic - owedAtomic}`,
      );
    // Anybody can send tokens to the processor: that is no difference, and the recovery key can return them.
    if (heldAtomic - owedAtomic > stranded)
      findings.note(
        'balances',
        `${heldAtomic - owedAtomic - stranded} of token ${token} lie on the processor and belong to no payment`,
      );
  }
}
