// Asks a canister by a replicated call: its subnet agrees on the answer and signs it under the network's root key. A boundary
// node can keep an answer back, but can neither change nor repeat one: each request has a nonce, and the certificate names it.
import { HttpAgent, polling } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import type { Principal } from '@icp-sdk/core/principal';
import { ChainUnavailable, systemClock } from '@svc-pay/core';
import { readLeb128 } from '@svc-pay/protocol/icp';

export type IcpAccess = {
  /** Boundary nodes, asked one after the other until one gives a certified answer. */
  readonly urls: readonly string[];
  /** DER. Never asked for: whoever answers would choose it. */
  readonly rootKey: Uint8Array;
  /** For everything that one node is asked for one answer. */
  readonly timeoutMs: number;
};

export type CertifiedCall = <Answer>(
  canisterId: Principal,
  method: string,
  asked: { readonly types: readonly IDL.Type[]; readonly values: readonly unknown[]; readonly answer: IDL.Type },
) => Promise<Answer>;

/** A canister answers 2 MiB at most; its certificate needs little more. */
const MOST_BYTES = 3 * 1_048_576;
/** By our own clock: agents may have set theirs by the node. What is read counts as read at our time. */
const CLOCKS_DIFFER_MS = 60_000;

/** Throws `ChainUnavailable` when no node gives a certified answer. */
export function openCertifiedCalls(access: IcpAccess): CertifiedCall {
  /** Which node answered last: one that does not answer takes all its time. */
  let preferred = 0;
  return async (canisterId, method, { types, values, answer }) => {
    const arg = new Uint8Array(IDL.encode([...types], [...values]));
    const problems: unknown[] = [];
    const from = preferred;
    for (let tried = 0; tried < access.urls.length; tried += 1) {
      const index = (from + tried) % access.urls.length;
      try {
        const reply = await callOnce(access.urls[index] ?? '', access, { canisterId, method, arg });
        const [decoded] = IDL.decode([answer], reply);
        preferred = index;
        return decoded as never;
      } catch (problem) {
        problems.push(problem);
      }
    }
    throw new ChainUnavailable(`${method} of ${canisterId.toText()}: no node gave a certified answer`, {
      cause: new AggregateError(problems),
    });
  };
}

/**
 * One for each call; to make one takes some microseconds. An agent would set its clock by the node, and any node can make it,
 * by a request refused as expired or by an old certificate. One that then tells no time makes it try again at once and without
 * end, so that the process does nothing else. Ours never does: our own clock counts.
 */
function openAgent(host: string, rootKey: Uint8Array, signal: AbortSignal): HttpAgent {
  const agent = HttpAgent.createSync({
    host,
    rootKey,
    verifyQuerySignatures: true,
    shouldFetchRootKey: false,
    retryTimes: 0,
    fetch: (input, init) => boundedFetch(input, { ...init, redirect: 'error', signal }),
  });
  const refuse = () => Promise.reject(new Error('the node has another time than we'));
  return Object.assign(agent, { syncTime: refuse, syncTimeWithSubnet: refuse });
}

type Asked = { readonly canisterId: Principal; readonly method: string; readonly arg: Uint8Array };

/** All requests of a call end together: a node can make an agent repeat them without end. */
async function callOnce(url: string, access: IcpAccess, { canisterId, method, arg }: Asked): Promise<Uint8Array> {
  const { rootKey, timeoutMs } = access;
  const askedAtMs = systemClock.nowMs();
  const agent = openAgent(url, rootKey, AbortSignal.timeout(timeoutMs));
  const strategy = polling.strategy.chain(polling.strategy.backoff(250, 1.5), polling.strategy.timeout(timeoutMs));
  const fields = { methodName: method, arg, effectiveCanisterId: canisterId };
  const { reply, certificate } = await agent.update(canisterId, fields, { strategy });
  const time = certificate.lookup_path(['time']);
  if (!('value' in time)) throw new Error('the certificate has no time');
  const certifiedAtMs = Number(readLeb128(time.value) / 1_000_000n);
  const isOurTime =
    certifiedAtMs >= askedAtMs - CLOCKS_DIFFER_MS && certifiedAtMs <= systemClock.nowMs() + CLOCKS_DIFFER_MS;
  if (!isOurTime) throw new Error(`the certificate is of ${certifiedAtMs} ms, and was asked for at ${askedAtMs} ms`);
  return reply;
}

/** An answer without end would fill the memory. */
async function boundedFetch(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new Error(`an answer of more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? Buffer.concat(parts) : null, { status, statusText, headers });
}
