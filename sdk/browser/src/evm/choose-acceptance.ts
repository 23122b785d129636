// Which acceptance to sign when there are several: one the payer can afford, on the wallet's own chain if possible.
import type { Acceptance } from '@svc-pay/protocol';
import type { ChooseToken } from '../choose-token.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { haltIfAborted, untilAborted } from '../http/race.ts';
import type { WalletCall } from '../wallet.ts';
import { askToken, chainIdOfAcceptance, type TokenQuestion } from './read-token.ts';

type Holder = Omit<TokenQuestion, 'acceptance'>;

type Chosen = {
  readonly acceptance: Acceptance;
  /** False while the payer's balance could not be read: it may turn out to be too small. */
  readonly isAffordable: boolean;
  /** What may be chosen instead: everything else that is not known to be too dear. */
  readonly others: readonly Acceptance[];
};

/** A balance that can’t be read is no reason to refuse; one that is too small is. */
export async function chooseAcceptance(
  acceptances: readonly Acceptance[],
  holder: Holder,
  call: WalletCall,
  choose?: ChooseToken,
): Promise<Chosen> {
  const candidates = await Promise.all(
    acceptances.map(async (acceptance) => {
      const held = await askToken('balanceOf', { ...holder, acceptance }, call);
      const enough = held === undefined ? 'unknown' : held >= BigInt(acceptance.maxAmountRequired) ? 'yes' : 'no';
      return { acceptance, held, enough, isHere: chainIdOfAcceptance(acceptance) === holder.walletChainId } as const;
    }),
  );
  const affordable = candidates.filter(({ enough }) => enough === 'yes');
  const possible = affordable.length > 0 ? affordable : candidates.filter(({ enough }) => enough === 'unknown');
  const usual = possible.find(({ isHere }) => isHere) ?? possible[0];
  const wanted = affordable.length > 1 && choose !== undefined ? await askPayer(affordable, choose, call) : undefined;
  const chosen = wanted === undefined ? usual : candidates.find(({ acceptance }) => acceptance === wanted);
  if (chosen === undefined) throw new SvcPayError('insufficient_funds');
  const others = candidates.filter((one) => one !== chosen && one.enough !== 'no').map(({ acceptance }) => acceptance);
  return { acceptance: chosen.acceptance, isAffordable: chosen.enough === 'yes', others };
}

type Held = { readonly acceptance: Acceptance; readonly held: bigint | undefined; readonly isHere: boolean };

/** Those on the wallet's own chain come first: they need no switching. */
async function askPayer(affordable: readonly Held[], choose: ChooseToken, call: WalletCall): Promise<Acceptance> {
  const tokens = [...affordable.filter(({ isHere }) => isHere), ...affordable.filter(({ isHere }) => !isHere)].map(
    ({ acceptance, held = 0n }) => ({ acceptance, heldAmount: held.toString() }),
  );
  const chosen = await untilAborted(Promise.resolve(choose(tokens)), call.signal);
  haltIfAborted(call.signal);
  const token = tokens.find(({ acceptance }) => acceptance === chosen?.acceptance);
  if (token === undefined) throw new SvcPayError('wallet_closed', { reason: 'chooseToken' });
  return token.acceptance;
}
