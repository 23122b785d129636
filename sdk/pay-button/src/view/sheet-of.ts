// What the sheet offers at a stage where the payer chooses.
import { networkName } from '@svc-pay/protocol';
import type { AffordableToken } from '@svc-pay/sdk/evm';
import type { Stage } from '../stage.ts';
import { tokenAt } from '../tokens/known-tokens.ts';
import { printHeld } from '../tokens/print-amount.ts';
import type { WalletOffer } from '../wallets/wallet-kind.ts';
import { fill } from '../words/choose-words.ts';
import type { Words } from '../words/words.ts';
import type { Row, Sheet } from './render-dialog.ts';

export type Choices = {
  readonly wallet: (wallet: WalletOffer) => void;
  readonly token: (token: AffordableToken) => void;
};

export function sheetOf(stage: Stage, words: Words, language: string, choose: Choices): Sheet | undefined {
  if (stage.name === 'choose-wallet') {
    const rows = stage.wallets.map((wallet) => ({
      name: wallet.name === '' ? words.yourWallet : wallet.name,
      note: wallet.note,
      icon: wallet.icon,
      choose: () => choose.wallet(wallet),
    }));
    return { heading: words.chooseWallet, close: words.close, rows };
  }
  if (stage.name !== 'choose-token') return undefined;
  const rows = stage.tokens.map((held) => ({ ...tokenRow(held, words, language), choose: () => choose.token(held) }));
  return { heading: words.chooseToken, close: words.close, rows };
}

function tokenRow({ acceptance, heldAmount }: AffordableToken, words: Words, language: string): Omit<Row, 'choose'> {
  const { network, asset, payTo, extra, maxAmountRequired } = acceptance;
  const known = tokenAt(network, asset ?? payTo);
  const token = known === undefined ? (extra?.name ?? '') : printHeld(maxAmountRequired, known, language);
  return {
    name: fill(words.tokenOn, { token, network: networkName(network) ?? network }),
    note:
      known === undefined || heldAmount === undefined
        ? ''
        : fill(words.balance, { amount: printHeld(heldAmount, known, language) }),
    icon: '',
    mark: known?.symbol ?? token,
  };
}
