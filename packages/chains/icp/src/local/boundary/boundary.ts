// Answers what the Internet Computer's HTTP interface asks: calls, queries and reads of the certified state.
import { sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cbor, hashOfMap } from '@icp-sdk/core/agent';
import { Principal } from '@icp-sdk/core/principal';
import type { CanisterNetwork } from '../vm/canister-network.ts';
import type { LocalClock } from '../vm/clock.ts';
import type { CanisterAnswer } from '../vm/message.ts';
import { type Authenticated, authenticate, mayActAt } from './authenticate.ts';
import { type Certifier, openCertifier } from './certifier.ts';
import { type Content, type RequestType, readEnvelope } from './envelope.ts';
import type { BoundaryFaults } from './faults.ts';
import { labelOf, type State, type StatePath } from './hash-tree.ts';
import { domain, drawNodeKey, type NodeKey } from './keys.ts';
import { checkPaths, isTimeOnly } from './readable-paths.ts';
import { forbidden, malformed } from './refused-request.ts';
import { RequestStatuses, type TrackedRequest } from './request-statuses.ts';
import { openSystemState } from './system-state.ts';

export type BoundaryAnswer = { readonly status: number; readonly body: Uint8Array } | 'lost';

/** After this long a call is answered by 202, although it is still under way. */
const SYNCHRONOUS_CALL_MS = 10_000;

export class Boundary {
  readonly #network: CanisterNetwork;
  readonly #clock: LocalClock;
  readonly #faults: BoundaryFaults;
  readonly #node: NodeKey = drawNodeKey();
  readonly #certifier: Certifier;
  readonly #statuses: RequestStatuses;
  readonly #stateAt: (time: bigint) => State;

  constructor(network: CanisterNetwork, clock: LocalClock, faults: BoundaryFaults) {
    this.#network = network;
    this.#clock = clock;
    this.#faults = faults;
    this.#certifier = openCertifier(faults, clock.nowNanoseconds);
    this.#statuses = new RequestStatuses(clock.nowNanoseconds);
    const [certifier, node, statuses] = [this.#certifier, this.#node, this.#statuses];
    this.#stateAt = openSystemState({ certifier, node, network, statuses });
  }

  get rootKey(): Uint8Array {
    return this.#certifier.rootKey;
  }

  get subnetId(): Uint8Array {
    return this.#certifier.subnetId;
  }

  status(): BoundaryAnswer {
    return ok({ root_key: this.rootKey, replica_health_status: 'healthy', impl_version: 'local' });
  }

  /** `version` 2 is answered by 202 alone; later ones by a certificate. */
  async call(effectiveId: Uint8Array, version: number, body: Uint8Array): Promise<BoundaryAnswer> {
    const { content, sender } = this.#open(body, 'call');
    checkTarget(content, sender, effectiveId);
    const known = this.#statuses.find(sender.requestId);
    const refusal = known === undefined ? this.#network.inspect(requestOf(content)) : undefined;
    if (refusal !== undefined) return ok({ status: 'non_replicated_rejection', ...rejectionOf(refusal) });
    const tracked = known ?? this.#begin(content, sender);
    if (this.#faults.loseReplies > 0) {
      this.#faults.loseReplies -= 1;
      await tracked.done;
      return 'lost';
    }
    if (version < 3 || this.#faults.asynchronous || !(await isDoneInTime(tracked))) return ACCEPTED;
    const paths = [[labelOf('request_status'), sender.requestId], TIME];
    return ok({ status: 'replied', certificate: this.#certify(paths) });
  }

  query(effectiveId: Uint8Array, body: Uint8Array): BoundaryAnswer {
    const { content, sender } = this.#open(body, 'query');
    checkTarget(content, sender, effectiveId);
    const answer = this.#network.query(requestOf(content), () =>
      this.#certify([[labelOf('canister'), content.canisterId, labelOf('certified_data')], TIME]),
    );
    return ok(this.#signed(perhapsLying(this.#faults.lie, content, answer), sender.requestId));
  }

  readState(scope: 'canister' | 'subnet', effectiveId: Uint8Array, body: Uint8Array): BoundaryAnswer {
    const { content, sender } = this.#open(body, 'read_state');
    checkPaths(content.paths, { scope, effectiveId, sender, find: (id) => this.#statuses.find(id) });
    const fresh = isTimeOnly(content.paths) && !this.#faults.staleTime;
    return ok({ certificate: this.#certify([...content.paths, TIME], fresh) });
  }

  #open(body: Uint8Array, requestType: RequestType): { content: Content; sender: Authenticated } {
    const envelope = readEnvelope(body);
    if (envelope.content.requestType !== requestType) throw malformed('the request is of another type');
    return { content: envelope.content, sender: authenticate(envelope, this.#clock.nowNanoseconds()) };
  }

  #begin(content: Content, { sender, requestId }: Authenticated): TrackedRequest {
    const request = { sender, canister: content.canisterId, expiry: content.ingressExpiry };
    const processingMs = this.#faults.asynchronous ? this.#faults.processingMs : 0;
    return this.#statuses.track(requestId, request, {
      answer: async () => perhapsLying(this.#faults.lieToCalls, content, await this.#network.call(requestOf(content))),
      processingMs,
    });
  }

  #certify(paths: readonly StatePath[], fresh = false): Uint8Array {
    const age = fresh ? 0n : BigInt(this.#faults.certificateAgeMs) * 1_000_000n;
    return this.#certifier.certify(this.#stateAt(this.#clock.nowNanoseconds() - age), paths);
  }

  #signed(answer: CanisterAnswer, requestId: Uint8Array): Readonly<Record<string, unknown>> {
    const told =
      answer.kind === 'reply'
        ? { status: 'replied', reply: { arg: answer.reply } }
        : { status: 'rejected', ...rejectionOf(answer) };
    const timestamp = this.#clock.nowNanoseconds();
    const hashed = hashOfMap({ ...told, timestamp, request_id: requestId });
    const signed = Buffer.concat([domain('ic-response'), this.#faults.forgedQuerySignatures ? requestId : hashed]);
    const signature = new Uint8Array(sign(null, signed, this.#node.privateKey));
    return { ...told, signatures: [{ timestamp, signature, identity: this.#node.id }] };
  }
}

const TIME: StatePath = [labelOf('time')];
const ACCEPTED = { status: 202, body: new Uint8Array() };

const ok = (value: Readonly<Record<string, unknown>>): BoundaryAnswer => ({ status: 200, body: Cbor.encode(value) });

function checkTarget(content: Content, sender: Authenticated, effectiveId: Uint8Array): void {
  if (Buffer.compare(content.canisterId, effectiveId) !== 0) throw malformed('the address names another canister');
  if (!mayActAt(sender, content.canisterId)) throw forbidden('the delegation is not for this canister');
}

function perhapsLying(
  lie: BoundaryFaults['lie'],
  { canisterId, methodName, arg }: Content,
  answer: CanisterAnswer,
): CanisterAnswer {
  if (answer.kind !== 'reply') return answer;
  const asked = { canister: Principal.fromUint8Array(canisterId).toText(), method: methodName, arg };
  const told = lie?.(asked, answer.reply);
  return told === undefined ? answer : { kind: 'reply', reply: told };
}

const requestOf = ({ canisterId, sender, methodName, arg }: Content) => ({
  canister: canisterId,
  caller: sender,
  method: methodName,
  arg,
});

function rejectionOf(answer: CanisterAnswer): Readonly<Record<string, unknown>> {
  if (answer.kind === 'reply') throw new Error('a reply is no rejection');
  return { reject_code: answer.code, reject_message: answer.message, error_code: answer.errorCode };
}

async function isDoneInTime({ done }: TrackedRequest): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(SYNCHRONOUS_CALL_MS, false, { signal: timer.signal, ref: false }).catch(() => false);
  const inTime = await Promise.race([done.then(() => true), late]);
  timer.abort();
  return inTime;
}
