// Which paths of the certified state a sender may read.
import { type Authenticated, mayActAt } from './authenticate.ts';
import type { StatePath } from './hash-tree.ts';
import { forbidden, malformed } from './refused-request.ts';
import type { TrackedRequest } from './request-statuses.ts';

type Reading = {
  readonly scope: 'canister' | 'subnet';
  readonly effectiveId: Uint8Array;
  readonly sender: Authenticated;
  readonly find: (requestId: Uint8Array) => TrackedRequest | undefined;
};

/** Labels of which nothing is secret. */
const PUBLIC = new Set(['time', 'subnet', 'canister_ranges']);
const CANISTER_FIELDS = new Set(['certified_data', 'controllers', 'module_hash', 'metadata']);

export function checkPaths(paths: readonly StatePath[], reading: Reading): void {
  const requests = paths.filter((path) => textOf(path[0]) === 'request_status').map((path) => path[1]);
  if (new Set(requests.map((id) => hexOf(id))).size > 1) throw malformed('one request is read at a time');
  for (const path of paths) checkPath(path, reading);
}

/** Agents read the time alone to set their clock. */
export const isTimeOnly = (paths: readonly StatePath[]) =>
  paths.every((path) => path.length === 1 && textOf(path[0]) === 'time');

function checkPath([first, second, third]: StatePath, { scope, effectiveId, sender, find }: Reading): void {
  const name = textOf(first);
  if (PUBLIC.has(name)) return;
  if (scope === 'subnet' || second === undefined) throw malformed('this path cannot be read');
  if (name === 'canister') {
    if (hexOf(second) !== hexOf(effectiveId)) throw malformed('the address names another canister');
    if (!CANISTER_FIELDS.has(textOf(third))) throw malformed('this path cannot be read');
  } else if (name === 'request_status') {
    checkRequest(find(second), effectiveId, sender);
  } else {
    throw malformed('this path cannot be read');
  }
}

/** A request that nobody sent may be asked for: its sender learns so that it did not arrive. */
function checkRequest(request: TrackedRequest | undefined, effectiveId: Uint8Array, sender: Authenticated): void {
  if (request === undefined) return;
  if (hexOf(request.sender) !== hexOf(sender.sender)) throw forbidden('the request is of another sender');
  if (hexOf(request.canister) !== hexOf(effectiveId)) throw forbidden('the request is for another canister');
  if (!mayActAt(sender, request.canister)) throw forbidden('the delegation is not for this canister');
}

const hexOf = (label: Uint8Array | undefined) => Buffer.from(label ?? []).toString('hex');
const textOf = (label: Uint8Array | undefined) => Buffer.from(label ?? []).toString();
