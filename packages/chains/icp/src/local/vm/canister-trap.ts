/** A canister's message failed: nothing that it did is kept. */
export class CanisterTrap extends Error {
  override readonly name = 'CanisterTrap';
}
