// One message while it runs: what it was given, what it gathered so far, and how long it may take.
import { CanisterTrap } from './canister-trap.ts';
import type { Effects, Message, MessageKind, OutgoingCall } from './message.ts';

/** An answer of a canister is at most this long. */
const MAX_REPLY_BYTES = 2 * 1024 * 1024;
const MAX_CALLS = 500;

export class Execution {
  readonly message: Message;
  readonly effects: Effects;
  readonly #startedAt = performance.now();
  readonly #limitMs: number;
  readonly #reply: Uint8Array[] = [];
  #replyBytes = 0;
  #call: OutgoingCall | undefined;
  #certificate: Uint8Array | undefined;

  constructor(message: Message, limitMs: number) {
    this.message = message;
    this.#limitMs = limitMs;
    this.effects = { answer: undefined, calls: [], certifiedData: undefined, timer: undefined, accepted: false };
  }

  /** Milliseconds since the message began. */
  elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Stands for the instruction limit: a message that takes too long traps at its next call of the system. */
  checkTime(): void {
    if (this.elapsedMs() > this.#limitMs) throw new CanisterTrap('the message exceeded its limit of instructions');
  }

  refuseIn(...kinds: readonly MessageKind[]): void {
    if (kinds.includes(this.message.kind)) throw new CanisterTrap(`not allowed in ${this.message.kind}`);
  }

  appendReply(bytes: Uint8Array): void {
    this.#mayAnswer();
    this.#replyBytes += bytes.length;
    if (this.#replyBytes > MAX_REPLY_BYTES) throw new CanisterTrap('the reply is too large');
    this.#reply.push(bytes);
  }

  reply(): void {
    this.#mayAnswer();
    this.effects.answer = { kind: 'reply', reply: Uint8Array.from(Buffer.concat(this.#reply)) };
  }

  reject(message: string): void {
    this.#mayAnswer();
    this.effects.answer = { kind: 'reject', code: 4, errorCode: 'IC0406', message };
  }

  beginCall(call: OutgoingCall): void {
    this.refuseIn('query', 'inspect', 'cleanup', 'init');
    this.#call = call;
  }

  pendingCall(): OutgoingCall {
    if (this.#call === undefined) throw new CanisterTrap('no call was begun');
    return this.#call;
  }

  /** Returns 0, or the reject code when no more calls fit. */
  performCall(): number {
    const call = this.pendingCall();
    this.#call = undefined;
    if (this.effects.calls.length >= MAX_CALLS) return 2;
    this.effects.calls.push(call);
    return 0;
  }

  certificate(): Uint8Array {
    const { dataCertificate } = this.message;
    if (dataCertificate === undefined) throw new CanisterTrap('there is no data certificate');
    this.#certificate ??= dataCertificate();
    return this.#certificate;
  }

  #mayAnswer(): void {
    this.refuseIn('init', 'inspect', 'cleanup', 'timer');
    if (this.message.answered || this.effects.answer !== undefined) throw new CanisterTrap('the call is answered');
  }
}
