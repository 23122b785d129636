// The only code that opens connections to endpoints. Checks all resolved addresses first: a single denied address
// refuses the target. Dials the checked address itself, so no second DNS lookup can return a different one.
import net from 'node:net';
import tls from 'node:tls';
import { type AddressPolicy, type EndpointTarget, isDeniedAddress } from '@svc-pay/core';
import type { ResolveName } from './resolve-name.ts';
import { problemOf, SendProblem } from './send-problem.ts';
import type { Over } from './time-limit.ts';

/** Filled in while connecting, as far as it got. */
export type Phases = {
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
};

export type DialOptions = {
  readonly resolveName: ResolveName;
  readonly policyOf: () => AddressPolicy;
  /** Trusted certificates, instead of the default ones. */
  readonly ca?: string | undefined;
};

export type Dial = (target: EndpointTarget, phases: Phases, over: Over, budgetMs: number) => Promise<net.Socket>;

const MAX_ADDRESSES = 4;

export function createDial({ resolveName, policyOf, ca }: DialOptions): Dial {
  return async (target, phases, over, budgetMs) => {
    const startMs = performance.now();
    const addresses = target.isAddress ? [target.hostname] : await orOver(resolveName(target.hostname), over);
    if (!target.isAddress) phases.dnsMs = since(startMs);
    const policy = policyOf();
    const denied = addresses.find((address) => isDeniedAddress(address, policy));
    if (denied !== undefined) throw new SendProblem('blocked', `${denied} is not an address that we connect to`);
    const socket = await connectToAny(addresses.slice(0, MAX_ADDRESSES), target, { phases, over, startMs, budgetMs });
    if (!target.secure) return socket;
    return secured(socket, target, phases, over, ca);
  };
}

type Connecting = {
  readonly phases: Phases;
  readonly over: Over;
  readonly startMs: number;
  readonly budgetMs: number;
};

/** Tries the addresses in order, each with a share of the remaining time. Throws the problem of the last one. */
async function connectToAny(
  addresses: readonly string[],
  { port }: EndpointTarget,
  { phases, over, startMs, budgetMs }: Connecting,
): Promise<net.Socket> {
  let problem: SendProblem | undefined;
  for (const [index, address] of addresses.entries()) {
    const leftMs = budgetMs - since(startMs);
    const connectStartMs = performance.now();
    phases.address = address;
    try {
      const socket = await connected(address, port, over, leftMs / (addresses.length - index));
      phases.connectMs = since(connectStartMs);
      return socket;
    } catch (thrown) {
      if (over.aborted) throw thrown;
      const next = problemOf(thrown);
      // If a later address fails by our fault (such as no IPv6 route), the earlier address's problem is reported.
      problem = problem !== undefined && next.outcome === 'our_fault' ? problem : next;
    }
  }
  throw problem ?? new SendProblem('unreachable', 'the name has no address');
}

function connected(address: string, port: number, over: Over, timeoutMs: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    // `host` is an IP address, so Node does no DNS lookup.
    const socket = net.connect({ host: address, port, autoSelectFamily: false, noDelay: true });
    const timer = setTimeout(() => end(new SendProblem('timed_out', 'no connection in time')), timeoutMs);
    const abort = () => end(overProblem());
    const end = (problem: Error | undefined) => {
      clearTimeout(timer);
      over.removeEventListener('abort', abort);
      socket.removeListener('error', end);
      if (problem === undefined) return resolve(socket);
      socket.on('error', () => {});
      socket.destroy();
      reject(problem);
    };
    over.addEventListener('abort', abort);
    if (over.aborted) return abort();
    socket.once('error', end);
    socket.once('connect', () => end(undefined));
  });
}

function secured(
  socket: net.Socket,
  { hostname, isAddress }: EndpointTarget,
  phases: Phases,
  over: Over,
  ca: string | undefined,
): Promise<net.Socket> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const secure = tls.connect({
      socket,
      host: hostname,
      ...(!isAddress && { servername: hostname.replace(/\.$/, '') }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      ...(ca !== undefined && { ca }),
    });
    const abort = () => end(overProblem());
    const end = (problem: Error | undefined) => {
      over.removeEventListener('abort', abort);
      secure.removeListener('error', end);
      if (problem === undefined) {
        phases.tlsMs = since(startMs);
        return resolve(secure);
      }
      secure.on('error', () => {});
      secure.destroy();
      reject(problem);
    };
    over.addEventListener('abort', abort);
    if (over.aborted) return abort();
    secure.once('error', end);
    secure.once('secureConnect', () => end(undefined));
  });
}

const overProblem = () => new SendProblem('timed_out', 'the time was over');

function orOver<Value>(work: Promise<Value>, over: Over): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const abort = () => reject(overProblem());
  over.addEventListener('abort', abort);
  work.then(resolve, reject);
  return promise.finally(() => over.removeEventListener('abort', abort));
}

function since(startMs: number): number {
  return Math.round(performance.now() - startMs);
}
