// Compares the figures of accounts with the books from which they are folded.
import type { Mode } from '../account/mode.ts';
import type { Findings } from './findings.ts';

/** A figure of an account in one token that is not the sum of the books. */
type OverviewDifference = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: string;
  readonly asset: string;
  /** Column of the figures. */
  readonly figure: string;
  /** What the books have more than the figures; negative: less. */
  readonly missing: bigint;
};

export type OverviewComparison = {
  /** Accounts, modes and tokens that were compared. */
  readonly looked: number;
  /** Null: nothing is folded yet. */
  readonly asOf: string | null;
  readonly differences: readonly OverviewDifference[];
};

/** `findings` must have the check `overview`. */
export function checkOverview({ looked, asOf, differences }: OverviewComparison, findings: Findings): void {
  findings.looked('overview', looked);
  findings.note('overview', asOf === null ? 'nothing is counted yet' : `everything up to ${asOf} is counted`);
  for (const { accountId, mode, network, asset, figure, missing } of differences) {
    const [amount, words] = missing > 0n ? [missing, 'fewer'] : [-missing, 'more'];
    findings.differs(
      'overview',
      [accountId, mode, network, asset],
      `${figure} has ${amount} ${words} than the books: \`overview rebuild\` counts anew`,
    );
  }
}
