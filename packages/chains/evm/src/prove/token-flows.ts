/** Expected amounts of one token (lower-case address): held by the processor, and the owed part of it. */
export type TokenFlow = { heldAtomic: bigint; owedAtomic: bigint };
export type TokenFlows = {
  readonly add: (token: string, what: keyof TokenFlow, amountAtomic: bigint) => void;
  readonly of: (token: string) => Readonly<TokenFlow>;
};

export function createTokenFlows(): TokenFlows {
  const flows = new Map<string, TokenFlow>();
  const flowOf = (token: string): TokenFlow => {
    const flow = flows.get(token) ?? { heldAtomic: 0n, owedAtomic: 0n };
    flows.set(token, flow);
    return flow;
  };
  return {
    add: (token, what, amountAtomic) => {
      flowOf(token)[what] += amountAtomic;
    },
    of: flowOf,
  };
}
