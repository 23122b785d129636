// Whether a node refuses a log query because of its size. Providers have no common code for it: the texts below are those
// of geth, reth, Erigon, Nethermind, Nitro, zkSync, proxyd, Alchemy, Infura, QuickNode, Ankr, Cloudflare, Chainstack, dRPC
// and BlastAPI. A text that is not known stops the reader at this node and is found by the alert; a text that is taken for
// one of these wrongly costs smaller ranges and nothing else.

const TOO_LARGE =
  /block range|range (?:is )?too (?:large|wide|big)|ranges? over|max(?:imum)? (?:block )?range|maximum allowed number of requested blocks|limited to (?:a )?[\d,]+|(?:more|greater|larger) than [\d,]+ (?:results|logs|blocks)|max results|too many (?:logs|results|blocks)|exceeds? (?:the )?(?:limit of|maximum|max)|(?:response|result|body)(?: \w+)? (?:is )?(?:too (?:large|big)|exceed)|query (?:timeout|timed out)|timeout exceeded|execution timeout/i;

/** The node does not have the block, or refuses the caller: a smaller range does not help. */
const OTHER =
  /rate.?limit|too many requests|requests? per|per second|daily|quota|capacity|credits|beyond (?:the )?(?:current )?head|out of range|not (?:yet )?(?:available|imported|found)|unauthori[sz]ed|forbidden|api.?key/i;

/** Codes that mean nothing but a range or an answer that is too large. */
const CODES: ReadonlySet<number> = new Set([-32_008, -32_012, -32_020, -32_047, -32_614]);

export function refusesRange({ code, message }: { readonly code: number; readonly message: string }): boolean {
  if (OTHER.test(message)) return false;
  return CODES.has(code) || TOO_LARGE.test(message);
}
