/**
 * Everything a button says. `{amount}`, `{wallet}`, `{network}`, `{token}`, `{time}`, `{id}` and `{part}` are filled in where the
 * English table has them. A merchant's own table may hold any part of it.
 */
export type Words = {
  readonly pay: string;
  readonly payPlain: string;
  readonly authorize: string;
  readonly authorizePlain: string;
  readonly tryAgain: string;
  readonly checkAgain: string;
  readonly cancel: string;
  readonly close: string;
  /** Stands for a wallet that told no name. */
  readonly yourWallet: string;
  readonly finding: string;
  readonly preparing: string;
  readonly chooseWallet: string;
  readonly chooseToken: string;
  readonly tokenOn: string;
  readonly balance: string;
  readonly connect: string;
  readonly connectText: string;
  readonly switchNetwork: string;
  readonly switchNetworkText: string;
  readonly sign: string;
  readonly signText: string;
  readonly signUptoText: string;
  readonly approve: string;
  readonly approveText: string;
  readonly approving: string;
  readonly approvingText: string;
  readonly approvingSlowText: string;
  readonly sendMoney: string;
  readonly sendMoneyText: string;
  readonly confirming: string;
  readonly confirmingText: string;
  readonly confirmingSlowText: string;
  /** Added when a wallet was asked some time ago. */
  readonly walletSlowText: string;
  readonly preparingText: string;
  readonly preparingSlowText: string;
  readonly sending: string;
  readonly sendingText: string;
  readonly sendingSlowText: string;
  readonly settling: string;
  readonly settlingText: string;
  readonly settlingSlowText: string;
  readonly checking: string;
  readonly checkingText: string;
  readonly checkingSlowText: string;
  readonly paid: string;
  readonly paidPlain: string;
  readonly paidText: string;
  readonly paidPlainText: string;
  /** Stands for the amount of a cap where the page does not know it. */
  readonly signedCap: string;
  readonly authorized: string;
  readonly authorizedText: string;
  readonly authorizedUntilText: string;
  readonly failed: string;
  readonly nothingCharged: string;
  readonly unknown: string;
  readonly unknownText: string;
  readonly unknownUnderWayText: string;
  readonly unknownUptoText: string;
  readonly unknownAskedText: string;
  readonly mismatched: string;
  readonly mismatchedText: string;
  readonly elsewhere: string;
  readonly elsewhereText: string;
  readonly misconfigured: string;
  readonly misconfiguredText: string;
  /** By code: what happened and what to do next. `otherwise` is for all others. */
  readonly problems: Readonly<Record<'otherwise', string>> & Readonly<Record<string, string>>;
};

export type OwnWords = Partial<Omit<Words, 'problems'>> & { readonly problems?: Readonly<Record<string, string>> };
