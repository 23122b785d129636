// Canisters that call each other. Messages wait in one queue and run one at a time; between two of them the process does
// other things. There is no consensus: what ran is final.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CallContext, deliver, type Work } from './call-context.ts';
import { Canister, type CanisterOptions, NO_MESSAGE } from './canister.ts';
import type { LocalClock } from './clock.ts';
import { type CanisterAnswer, type Message, type Outcome, type OutgoingCall, REJECT, rejected } from './message.ts';

const ANONYMOUS = Uint8Array.of(4);
/** Identifies the system itself as caller, of a timer for instance. */
const MANAGEMENT = new Uint8Array();

export type Request = {
  readonly canister: Uint8Array;
  readonly caller: Uint8Array;
  readonly method: string;
  readonly arg: Uint8Array;
};

export class CanisterNetwork {
  readonly #canisters = new Map<string, Canister>();
  readonly #clock: LocalClock;
  readonly #queue: Work[] = [];
  #running = false;

  constructor(clock: LocalClock) {
    this.#clock = clock;
    clock.onTime(() => this.#wakeTimers());
  }

  get canisters(): readonly Canister[] {
    return [...this.#canisters.values()];
  }

  find(id: Uint8Array): Canister | undefined {
    return this.#canisters.get(keyOf(id));
  }

  /** Creates a canister and runs its `canister_init`; throws when that traps. */
  install(options: Omit<CanisterOptions, 'nowNanoseconds'>, arg: Uint8Array): Canister {
    if (this.find(options.id) !== undefined) throw new Error('there is a canister with this id already');
    const canister = new Canister({ ...options, nowNanoseconds: this.#clock.nowNanoseconds });
    if (canister.has('canister_init')) {
      const caller = options.controllers[0] ?? ANONYMOUS;
      const outcome = canister.run({ ...NO_MESSAGE, kind: 'init', entry: 'canister_init', caller, arg });
      if (outcome.kind === 'trapped') throw new Error(`canister_init trapped: ${outcome.message}`);
    }
    this.#canisters.set(keyOf(options.id), canister);
    this.#scheduleTimer(canister);
    return canister;
  }

  /** A replicated call. It executes although the caller may never learn the answer. */
  call(request: Request): Promise<CanisterAnswer> {
    return new Promise((resolve) => {
      this.#enqueueCall(request, resolve);
    });
  }

  /** A query: answered at once, from the state of now, which it does not change. */
  query({ canister: id, caller, method, arg }: Request, dataCertificate: () => Uint8Array): CanisterAnswer {
    const canister = this.find(id);
    if (canister === undefined) return notFound();
    const entry = `canister_query ${method}`;
    if (!canister.has(entry)) return noMethod(method);
    const message: Message = { ...NO_MESSAGE, kind: 'query', entry, caller, method, arg, dataCertificate };
    return answerOf(canister.run(message), true) ?? noReply();
  }

  /** Whether the canister takes a call from outside; undefined for yes. */
  inspect({ canister: id, caller, method, arg }: Request): CanisterAnswer | undefined {
    const canister = this.find(id);
    if (canister === undefined) return notFound();
    const entry = 'canister_inspect_message';
    if (!canister.has(entry)) return undefined;
    const outcome = canister.run({ ...NO_MESSAGE, kind: 'inspect', entry, caller, method, arg });
    if (outcome.kind === 'done' && outcome.effects.accepted) return undefined;
    return outcome.kind === 'trapped' ? trapped(outcome.message) : canisterError('IC0516', 'the call was refused');
  }

  #enqueueCall({ canister: id, caller, method, arg }: Request, answer: (answer: CanisterAnswer) => void): void {
    const canister = this.find(id);
    if (canister === undefined) {
      answer(notFound());
      return;
    }
    const context: CallContext = { canister, caller, method, answer, answered: false, outstanding: 0 };
    this.#enqueue({ kind: 'call', context, arg });
  }

  #enqueue(work: Work): void {
    this.#queue.push(work);
    if (this.#running) return;
    this.#running = true;
    this.#drain().catch((error: unknown) => {
      // A fault of this host, not of a canister: nothing after it can be believed.
      process.nextTick(() => {
        throw error;
      });
    });
  }

  async #drain(): Promise<void> {
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
      this.#run(work);
      await nextTurn();
    }
    this.#running = false;
  }

  #run(work: Work): void {
    if (work.kind === 'call') this.#runCall(work.context, work.arg);
    else if (work.kind === 'answer') this.#runAnswer(work);
    else this.#runTimer(work.canister);
  }

  #runCall(context: CallContext, arg: Uint8Array): void {
    const { canister, caller, method } = context;
    const update = `canister_update ${method}`;
    const query = `canister_query ${method}`;
    const message = { ...NO_MESSAGE, caller, method, arg };
    if (canister.has(update)) {
      this.#settle(context, canister.run({ ...message, entry: update }));
    } else if (canister.has(query)) {
      deliver(context, answerOf(canister.run({ ...message, kind: 'query', entry: query }), true) ?? noReply());
    } else {
      deliver(context, noMethod(method));
    }
  }

  #runAnswer({ context, call, answer }: Extract<Work, { kind: 'answer' }>): void {
    context.outstanding -= 1;
    const reply = answer.kind === 'reply';
    const message: Message = {
      ...NO_MESSAGE,
      kind: 'callback',
      entry: reply ? call.onReply : call.onReject,
      caller: context.caller,
      method: context.method,
      arg: reply ? answer.reply : new Uint8Array(),
      rejectCode: reply ? 0 : answer.code,
      rejectMessage: reply ? '' : answer.message,
      answered: context.answered,
    };
    const outcome = context.canister.run(message);
    if (outcome.kind === 'trapped' && call.onCleanup !== undefined) {
      context.canister.run({ ...NO_MESSAGE, kind: 'cleanup', entry: call.onCleanup, answered: true });
    }
    this.#settle(context, outcome);
  }

  #runTimer(canister: Canister): void {
    const context: CallContext = {
      canister,
      caller: MANAGEMENT,
      method: '',
      answer: undefined,
      answered: true,
      outstanding: 0,
    };
    const entry = 'canister_global_timer';
    if (canister.has(entry)) {
      this.#settle(context, canister.run({ ...NO_MESSAGE, kind: 'timer', entry, caller: MANAGEMENT }));
    }
  }

  /** Makes what a message decided happen, and answers for a canister that will answer no more. */
  #settle(context: CallContext, outcome: Outcome): void {
    if (outcome.kind === 'done') {
      for (const call of outcome.effects.calls) this.#perform(context, call);
      this.#scheduleTimer(context.canister);
    }
    const answer = answerOf(outcome, context.outstanding === 0);
    if (answer !== undefined) deliver(context, answer);
  }

  #perform(context: CallContext, call: OutgoingCall): void {
    context.outstanding += 1;
    const request = {
      canister: call.callee,
      caller: context.canister.id,
      method: call.method,
      arg: Uint8Array.from(Buffer.concat(call.parts)),
    };
    this.#enqueueCall(request, (answer) => this.#enqueue({ kind: 'answer', context, call, answer }));
  }

  #scheduleTimer(canister: Canister): void {
    if (canister.timer > 0n) this.#clock.wakeAt(canister.timer);
  }

  #wakeTimers(): void {
    const now = this.#clock.nowNanoseconds();
    for (const canister of this.#canisters.values()) {
      if (canister.timer === 0n || canister.timer > now) continue;
      canister.clearTimer();
      this.#enqueue({ kind: 'timer', canister });
    }
  }
}

const keyOf = (id: Uint8Array) => Buffer.from(id).toString('hex');

/** The answer that a message settles; `last` says that no other message can answer any more. */
function answerOf(outcome: Outcome, last: boolean): CanisterAnswer | undefined {
  if (outcome.kind === 'done') return outcome.effects.answer ?? (last ? noReply() : undefined);
  return last ? trapped(outcome.message) : undefined;
}

const canisterError = (errorCode: string, message: string) => rejected(REJECT.canisterError, errorCode, message);
const notFound = () => rejected(REJECT.destinationInvalid, 'IC0301', 'there is no canister with this id');
const noMethod = (method: string) => canisterError('IC0536', `the canister has no method '${method}'`);
const noReply = () => canisterError('IC0506', 'the canister did not answer');
const trapped = (message: string) => canisterError('IC0503', `the canister trapped: ${message}`);
