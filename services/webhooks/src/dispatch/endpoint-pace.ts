// Two sets of slots per endpoint. A quarter is kept for deliveries that go first, which may use the general slots too.
// Each set has limits and pauses of its own: a flood that a receiver is too slow for uses up neither the kept slots nor
// the patience with its payment events.
import { keptSlots } from '@svc-pay/core';
import { createEndpointSlots } from './endpoint-slots.ts';

export type SlotKind = 'general' | 'kept';
type Rooms = Readonly<Record<SlotKind, number>>;

export type Pace = {
  /** Number of further requests that may start for this endpoint now. */
  readonly roomFor: (endpoint: string, nowMs: number) => Rooms;
  /** Takes a slot, a kept one if the delivery goes first and one is free. To be given back to `ended`. */
  readonly began: (endpoint: string, goesFirst: boolean, nowMs: number) => SlotKind;
  readonly ended: (endpoint: string, slot: SlotKind, answered: boolean, nowMs: number) => void;
  /** Number of further requests that may start in total. */
  readonly free: () => Rooms;
};

const FIRST_ALLOWANCE = 4;

export function createPace(total: number, perEndpoint: number): Pace {
  const kept = { total: keptSlots(total), perEndpoint: keptSlots(perEndpoint), first: keptSlots(FIRST_ALLOWANCE) };
  const general = {
    total: total - kept.total,
    perEndpoint: perEndpoint - kept.perEndpoint,
    first: FIRST_ALLOWANCE - kept.first,
  };
  const slots = { general: createEndpointSlots(general), kept: createEndpointSlots(kept) };
  return {
    roomFor: (endpoint, nowMs) => ({
      general: slots.general.roomFor(endpoint, nowMs),
      kept: slots.kept.roomFor(endpoint, nowMs),
    }),
    began: (endpoint, goesFirst, nowMs) => {
      const slot = goesFirst && slots.kept.roomFor(endpoint, nowMs) > 0 ? 'kept' : 'general';
      slots[slot].began(endpoint);
      return slot;
    },
    ended: (endpoint, slot, answered, nowMs) => slots[slot].ended(endpoint, answered, nowMs),
    free: () => ({ general: slots.general.free(), kept: slots.kept.free() }),
  };
}
