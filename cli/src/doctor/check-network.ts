// Checks the configuration of a network against the chain.

import { type Clock, findChain, TOKENS } from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { isEvm, isIcp, type OperatedEvm, type OperatedNetwork } from '@svc-pay/runtime/config/networks';
import { checkToken } from './check-token.ts';
import { checkTokenLedgers } from './check-token-ledgers.ts';
import { type Finding, findingsOf } from './finding.ts';
import { type Ask, askChain, shownHost } from './json-rpc.ts';

/** Selector of `version()`. */
const VERSION_CALL = '0x54fd4d50';
const TIMEOUT_MS = 5_000;
const AHEAD_MS = 15_000;
const BEHIND_MS = 600_000;

export async function checkNetwork(
  network: NetworkId,
  setup: OperatedNetwork,
  clock: Clock,
  timeoutMs = TIMEOUT_MS,
): Promise<readonly Finding[]> {
  const { warning } = findingsOf('network', network);
  const chainId = chainIdOf(network);
  const { rpcUrls = [] } = setup;
  if (isIcp(setup)) return checkTokenLedgers(network, setup);
  if (chainId === undefined || !isEvm(setup))
    return [warning('The doctor can’t look into this kind of chain yet.', 'Check it by hand.')];
  if (rpcUrls.length === 0) {
    return [warning('No RPC address is configured, so nothing could be checked.', 'Add `rpcUrls` to the network.')];
  }
  const findings: Finding[] = [];
  let asked: Ask | undefined;
  for (const url of rpcUrls) {
    const ask: Ask = (method, ...parameters) => askChain(url, method, parameters, timeoutMs);
    const found = await checkEndpoint(network, chainId, url, ask, clock);
    findings.push(...found);
    if (found.every(({ status }) => status !== 'problem')) asked ??= ask;
  }
  if (asked === undefined) return findings;
  findings.push(await checkProcessor(network, setup, asked));
  for (const token of TOKENS)
    if (token.network === network) findings.push(...(await checkToken(token, chainId, asked)));
  return findings;
}

async function checkEndpoint(
  network: NetworkId,
  chainId: number,
  url: string,
  ask: Ask,
  clock: Clock,
): Promise<readonly Finding[]> {
  const { ok, warning, problem } = findingsOf('network', network);
  const host = shownHost(url);
  const answer = await ask('eth_chainId');
  if (!answer.ok) return [problem(`RPC ${host} ${answer.reason}.`, 'Check the address, its key and the way to it.')];
  if (typeof answer.result !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(answer.result)) {
    return [problem(`RPC ${host} does not say which chain it serves.`, 'Use the RPC address of an EVM chain.')];
  }
  const served = BigInt(answer.result);
  if (served !== BigInt(chainId)) {
    return [problem(`RPC ${host} serves chain ${served}, not ${chainId}.`, `Use an RPC address of ${network}.`)];
  }
  const found = [ok(`RPC ${host} serves the right chain.`)];
  const block = await ask('eth_getBlockByNumber', 'latest', false);
  const timestamp = block.ok ? (block.result as { timestamp?: unknown } | null)?.timestamp : undefined;
  if (typeof timestamp === 'string' && /^0x[0-9a-f]{1,10}$/i.test(timestamp)) {
    const aheadMs = Number.parseInt(timestamp, 16) * 1_000 - clock.nowMs();
    if (aheadMs > AHEAD_MS) {
      found.push(
        warning(
          `The newest block at ${host} is ${Math.round(aheadMs / 1_000)} s ahead of this machine’s clock.`,
          'Let this machine keep time by NTP.',
        ),
      );
    } else if (-aheadMs > BEHIND_MS && findChain(network)?.name !== 'Anvil') {
      found.push(
        warning(
          `The newest block at ${host} is ${Math.round(-aheadMs / 60_000)} minutes old.`,
          'The node may be stuck or still catching up: use another.',
        ),
      );
    }
  }
  return found;
}

async function checkProcessor(network: NetworkId, setup: OperatedEvm, ask: Ask): Promise<Finding> {
  const { ok, problem } = findingsOf('network', network);
  const { processor, processorVersion } = setup;
  const code = await ask('eth_getCode', processor, 'latest');
  if (!code.ok)
    return problem(`Asked for the processor, the RPC ${code.reason}.`, 'Use an RPC address that serves eth_getCode.');
  if (typeof code.result !== 'string' || code.result === '0x') {
    return problem(`There is no contract at processor ${processor}.`, 'Deploy the processor, or correct its address.');
  }
  const answer = await ask('eth_call', { to: processor, data: VERSION_CALL }, 'latest');
  const version = answer.ok ? decodeString(answer.result) : undefined;
  if (version === undefined) {
    return problem(
      `The contract at ${processor} does not tell its version.`,
      'It is no payment processor: correct the address.',
    );
  }
  return version === processorVersion
    ? ok(`Processor ${processor} is version ${version}.`)
    : problem(
        `Processor ${processor} is version ${version}, the configuration says ${processorVersion}.`,
        'Correct `processorVersion`: it decides what is offered.',
      );
}

/** Decodes the single `string` that an EVM call returned; undefined for any other result. */
function decodeString(result: unknown): string | undefined {
  if (typeof result !== 'string' || !/^0x(?:[0-9a-fA-F]{64}){2,}$/.test(result)) return undefined;
  const word = (index: number) => BigInt(`0x${result.slice(2 + index * 64, 2 + (index + 1) * 64)}`);
  const length = word(1);
  if (word(0) !== 32n || length > 256n) return undefined;
  const bytes = Buffer.from(result.slice(130, 130 + Number(length) * 2), 'hex');
  return bytes.length === Number(length) ? bytes.toString('utf8') : undefined;
}
