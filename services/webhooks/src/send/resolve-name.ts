// Resolves names without the thread pool that `dns.lookup` shares with other work: a name server that hangs for one
// merchant must not delay others.
import { Resolver } from 'node:dns/promises';
import { SendProblem } from './send-problem.ts';

export type ResolveName = (hostname: string) => Promise<readonly string[]>;

export type ResolverOptions = {
  /** Undefined: the name servers of the machine. */
  readonly servers?: readonly string[] | undefined;
  readonly timeoutMs?: number;
};

/** If a name server answered any query this recently, a timeout is the fault of the name, not of our name server. */
const HEALTHY_MS = 10_000;
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);
const OUR_SERVER = new Set(['ECONNREFUSED', 'ENONAME', 'ENOTINITIALIZED', 'ELOADIPHLPAPI', 'EADDRGETNETWORKPARAMS']);

export function createResolveName({ servers, timeoutMs = 2_000 }: ResolverOptions = {}): ResolveName {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers([...servers]);
  let lastAnswerMs = Number.NEGATIVE_INFINITY;

  const ask = async (question: Promise<readonly string[]>): Promise<Answer> => {
    try {
      const addresses = await question;
      lastAnswerMs = performance.now();
      return { addresses, code: '' };
    } catch (problem) {
      const code = problem instanceof Error && 'code' in problem ? String(problem.code) : 'EUNKNOWN';
      if (code !== 'ETIMEOUT' && code !== 'ECANCELLED' && !OUR_SERVER.has(code)) lastAnswerMs = performance.now();
      return { addresses: [], code };
    }
  };

  return async (hostname) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    // Defined by the standard; no name server is asked.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1'];
    const answers = await Promise.all([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]);
    const addresses = answers.flatMap((answer) => answer.addresses);
    if (addresses.length > 0) return addresses;
    const code = answers.find((answer) => !ABSENT.has(answer.code))?.code;
    if (code === undefined) throw new SendProblem('unreachable', 'the name has no address');
    const silent = code === 'ETIMEOUT' && performance.now() - lastAnswerMs > HEALTHY_MS;
    const ours = silent || OUR_SERVER.has(code);
    throw new SendProblem(ours ? 'our_fault' : 'unreachable', `${code}: the name could not be resolved`);
  };
}

type Answer = { readonly addresses: readonly string[]; readonly code: string };
